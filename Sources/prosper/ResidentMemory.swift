import Foundation
import Glibc

/// Memory that only the start needed.
enum ResidentMemory {
  /// Gives back the pages of code and constants that the start has touched, and what the heap no longer uses. The program and
  /// its libraries read again from the page cache what they need from now on. From any thread; takes some milliseconds.
  static func release() {
    trimHeap()
    guard let text = try? String(contentsOfFile: "/proc/self/smaps", encoding: .utf8) else { return }
    var mapping: Range<UInt>?
    for line in text.split(separator: "\n") {
      if let next = range(ofUnwritten: line) {
        mapping = next
      } else if line.first?.isHexDigit == true, line.contains("-") {
        mapping = nil
      } else if line.hasPrefix("Anonymous:"), let range = mapping.take(), isZero(line) {
        // No page of it was ever written: the file has all of them.
        madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
      }
    }
  }

  /// The addresses of a mapped file that can't be written: `7f00-7f40 r-xp 00000000 fe:00 42  /usr/lib/...`.
  private static func range(ofUnwritten line: Substring) -> Range<UInt>? {
    let words = line.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count >= 6, words[1] == "r-xp" || words[1] == "r--p", words[5].hasPrefix("/") else { return nil }
    let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
  }

  private static func isZero(_ line: Substring) -> Bool {
    line.split(separator: " ", omittingEmptySubsequences: true).dropFirst().first == "0"
  }

  private static func trimHeap() {
    guard let trim = dlsym(nil, "malloc_trim") else { return }
    _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> CInt).self)(0)
  }
}
