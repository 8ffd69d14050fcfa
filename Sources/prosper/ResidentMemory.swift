import Engine
import Glibc

/// Releases memory that only the start of the program needed.
enum ResidentMemory {
  /// Releases the pages of code and constants that were used so far, and the unused parts of the heap. What is still
  /// needed is read again from the page cache.
  ///
  /// The code that executes commands keeps its pages: while a command halts the render, the output has only a few
  /// milliseconds of sound, and hundreds of page faults would be heard.
  ///
  /// Any thread. Returns at once: the work takes up to a tenth of a second and has a thread of its own.
  static func release() { OSThread.start { releaseNow() } }

  private static func releaseNow() {
    trimHeap()
    // The whole list is made before the first page is released, because the code that makes it is in those pages, too.
    for mapping in unwrittenMappings() {
      madvise(UnsafeMutableRawPointer(bitPattern: mapping.lowerBound), mapping.count, MADV_DONTNEED)
    }
  }

  /// The addresses of the mapped files of which no page has been modified, so that every page can be read again from
  /// the file.
  ///
  /// The kernel describes each mapping by a line like `7f00-7f40 r-xp 00000000 fe:00 42  /usr/lib/...`, followed by
  /// lines like `Anonymous:  0 kB`. They are parsed byte by byte, because the text functions of Foundation would load
  /// more code than is released.
  private static func unwrittenMappings() -> [Range<UInt>] {
    var mappings: [Range<UInt>] = []
    var last: Range<UInt>?
    for line in bytes(of: "/proc/self/smaps").split(separator: UInt8(ascii: "\n")) {
      if let range = addresses(line) {
        last = isReleasable(line) ? range : nil
      } else if line.starts(with: "Anonymous:".utf8), let range = last.take() {
        if !line.contains(where: { UInt8(ascii: "1")...UInt8(ascii: "9") ~= $0 }) { mappings.append(range) }
      }
    }
    return mappings
  }

  /// The content of a file; empty if it can't be read. Files in `/proc` have no size, so it is read up to the end.
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

  /// The address range in the first line of a mapping; nil for other lines.
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

  /// The beginnings of the names of the program and of the libraries that execute commands.
  private static let kept = ["prosper", "libswift", "libdispatch", "libpulse", "libc.", "libm.", "ld-"].map {
    Array($0.utf8)
  }

  /// Whether a line describes a mapped file that this process can't write, and whose pages may be released.
  private static func isReleasable(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.split(separator: UInt8(ascii: " "))
    guard 6 <= words.count, words[5].first == UInt8(ascii: "/"),
      let name = words[5].split(separator: UInt8(ascii: "/")).last, !kept.contains(where: { name.starts(with: $0) })
    else { return false }
    return words[1].elementsEqual("r-xp".utf8) || words[1].elementsEqual("r--p".utf8)
  }

  /// Returns unused heap memory to the system. `malloc_trim` is specific to glibc, so it is looked up at run time.
  private static func trimHeap() {
    guard let trim = dlsym(nil, "malloc_trim") else { return }
    _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> CInt).self)(0)
  }
}
