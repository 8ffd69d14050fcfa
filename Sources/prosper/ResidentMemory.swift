import Engine
import Glibc

/// Memory that only the start needed.
enum ResidentMemory {
  /// Gives back the pages of code and constants that the start has touched, and what the heap no longer uses. The program and
  /// its libraries read again from the page cache what they need from now on. From any thread, without waiting: it takes up to
  /// a tenth of a second.
  static func release() { OSThread.start { releaseNow() } }

  private static func releaseNow() {
    trimHeap()
    // All is read before the first page goes: what reads it is code too.
    for mapping in unwrittenMappings() {
      madvise(UnsafeMutableRawPointer(bitPattern: mapping.lowerBound), mapping.count, MADV_DONTNEED)
    }
  }

  /// The addresses of the mapped files of which no page was ever written: the file has all of them.
  ///
  /// The kernel describes each mapping by a line like `7f00-7f40 r-xp 00000000 fe:00 42  /usr/lib/...` and lines like
  /// `Anonymous:  0 kB` behind it. Read byte by byte, since text of Foundation's would touch more code than is given back.
  private static func unwrittenMappings() -> [Range<UInt>] {
    var mappings: [Range<UInt>] = []
    var last: Range<UInt>?
    for line in bytes(of: "/proc/self/smaps").split(separator: UInt8(ascii: "\n")) {
      if let range = addresses(line) {
        last = isUnwritable(line) ? range : nil
      } else if line.starts(with: "Anonymous:".utf8), let range = last.take() {
        if !line.contains(where: { UInt8(ascii: "1")...UInt8(ascii: "9") ~= $0 }) { mappings.append(range) }
      }
    }
    return mappings
  }

  private static func bytes(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard 0 <= descriptor else { return [] }
    defer { close(descriptor) }
    var content: [UInt8] = []
    while true {
      let part = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
      }
      if part.isEmpty { return content }
      content += part
    }
  }

  /// Nil where the line begins no mapping.
  private static func addresses(_ line: ArraySlice<UInt8>) -> Range<UInt>? {
    var ends: [UInt] = [0]
    for byte in line {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): ends[ends.count - 1] = ends[ends.count - 1] << 4 | UInt(byte & 15)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): ends[ends.count - 1] = ends[ends.count - 1] << 4 | UInt(byte - 87)
      case UInt8(ascii: "-"): ends.append(0)
      case UInt8(ascii: " ") where ends.count == 2 && ends[0] < ends[1]: return ends[0]..<ends[1]
      default: return nil
      }
    }
    return nil
  }

  /// A mapped file that this process can't write.
  private static func isUnwritable(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.split(separator: UInt8(ascii: " "))
    guard 6 <= words.count, words[5].first == UInt8(ascii: "/") else { return false }
    return words[1].elementsEqual("r-xp".utf8) || words[1].elementsEqual("r--p".utf8)
  }

  private static func trimHeap() {
    guard let trim = dlsym(nil, "malloc_trim") else { return }
    _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> CInt).self)(0)
  }
}
