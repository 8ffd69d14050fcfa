import Glibc
import ProsperKit

/// Keeps the memory of a playback small: releases what only the start of the program needed.
enum ResidentMemory {
  /// Releases the pages of code and constants that were used so far, and the unused parts of the heap. What is still
  /// needed is mapped again from the page cache.
  ///
  /// Each release takes a few milliseconds on a thread of its own. Call it before playback starts, while the
  /// output connects or the first sounds are decoded. The second one releases what connecting and the first sounds
  /// needed; the next command costs a few dozen page faults then.
  static func release() {
    OSThread.start {
      releaseUnused()
      WakeUp().wait(seconds: secondRelease)
      releaseUnused()
    }
  }

  /// Seconds from the first release to the second one. By then, sound for some seconds is written ahead.
  private static let secondRelease = 10.0

  private static func releaseUnused() {
    // The list is complete before the first page is released, because the code that makes it is in those pages, too. It
    // is made anew each time, because a library may have been unloaded.
    for mapping in unwrittenMappings() {
      madvise(UnsafeMutableRawPointer(bitPattern: mapping.lowerBound), mapping.count, MADV_DONTNEED)
    }
    trimHeap()
  }

  /// A part of a mapped file.
  private struct Mapping {
    enum Kind { case code, constants, data }

    var range: Range<UInt>
    var path: [UInt8]
    var kind: Kind
    /// Whether no page has been modified, so that every page can be read again from the file.
    var isUnwritten = false
  }

  /// The addresses of the programs and libraries of which no page has been modified; adjacent ones are joined. Other
  /// mapped files are left alone: they can be unmapped meanwhile, and their addresses used for something else.
  ///
  /// A library that another thread is loading is left alone, too. At first, all of its addresses are mapped like
  /// constants. Its data are mapped last and then relocated, and would lose the relocations.
  ///
  /// The kernel describes each mapping by a line like `7f00-7f40 r-xp 00000000 fe:00 42  /usr/lib/...`, followed by
  /// lines like `Anonymous:  0 kB`. They are parsed byte by byte, because the text functions of Foundation would load
  /// more code than is released.
  private static func unwrittenMappings() -> [Range<UInt>] {
    var mappings: [Mapping] = []
    var isListed = false
    forEachLine(of: "/proc/self/smaps") { line in
      if let range = addresses(line) {
        let mapping = mapping(line, range)
        isListed = mapping != nil
        mappings += [mapping].compactMap(\.self)
      } else if isListed, line.starts(with: "Anonymous:".utf8) {
        mappings[mappings.count - 1].isUnwritten = !line.contains { UInt8(ascii: "1")...UInt8(ascii: "9") ~= $0 }
      }
    }
    return mappings.filter { mapping in
      let parts = mappings.filter { $0.path == mapping.path }
      let isLoaded = parts.contains { $0.kind == .code } && parts.contains { $0.kind == .data || !$0.isUnwritten }
      return isLoaded && mapping.kind != .data && mapping.isUnwritten
    }.map(\.range).reduce(into: []) { joined, range in
      if let last = joined.last, last.upperBound == range.lowerBound {
        joined[joined.count - 1] = last.lowerBound..<range.upperBound
      } else {
        joined.append(range)
      }
    }
  }

  /// Calls `body` for each line of a file, and for none if it can't be read. It holds only a part of the file in memory,
  /// because a thread's heap does not shrink. The last line must end with a line feed.
  private static func forEachLine(of path: String, _ body: (ArraySlice<UInt8>) -> Void) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard 0 <= descriptor else { return }
    defer { close(descriptor) }
    var rest: [UInt8] = []
    while true {
      let part = [UInt8](unsafeUninitializedCapacity: 8_192) { buffer, count in
        count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
      }
      if part.isEmpty { return }
      var lines = (rest + part).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      rest = Array(lines.removeLast())
      lines.forEach(body)
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

  private static let kinds: [(permissions: [UInt8], kind: Mapping.Kind)] = [
    (Array("r-xp".utf8), .code), (Array("r--p".utf8), .constants), (Array("rw-p".utf8), .data),
  ]

  /// The mapping in a line; nil if it is no file.
  private static func mapping(_ line: ArraySlice<UInt8>, _ range: Range<UInt>) -> Mapping? {
    let words = line.split(separator: UInt8(ascii: " "))
    guard 6 <= words.count, words[5].first == UInt8(ascii: "/") else { return nil }
    guard let kind = kinds.first(where: { words[1].elementsEqual($0.permissions) })?.kind else { return nil }
    return Mapping(range: range, path: Array(words[5]), kind: kind)
  }

  /// Makes all threads allocate from one heap. Call it before the first thread is started.
  ///
  /// Otherwise each thread would have its own heap, which grows by a system call for every few pages and keeps what the
  /// thread has freed: almost 2 MB while one track plays. The threads rarely allocate, so they hardly wait for each
  /// other.
  static func shareHeap() {
    let arenaMaximum: CInt = -8  // M_ARENA_MAX
    guard let set = dlsym(nil, "mallopt") else { return }
    _ = unsafeBitCast(set, to: (@convention(c) (CInt, CInt) -> CInt).self)(arenaMaximum, 1)
  }

  /// Returns unused heap memory to the system. The functions that control the heap are specific to glibc, so they are
  /// looked up at run time.
  private static func trimHeap() {
    guard let trim = dlsym(nil, "malloc_trim") else { return }
    _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> CInt).self)(0)
  }
}
