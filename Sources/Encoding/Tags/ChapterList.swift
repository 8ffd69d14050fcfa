package import Signal
import Synchronization

/// The chapters of a file that is being rendered: the stages that were entered, where they were entered.
///
/// They are known only at the end, because a command may change the order of the stages. A file reserves room for the
/// planned ones at its beginning. Any thread may use it.
package final class ChapterList: Sendable {
  private let planned: [String]
  private let entered = Mutex<[Entry]>([])

  /// A stage, and the frame of the output at which it begins, in frames of the session's rate.
  package struct Entry: Sendable, Hashable {
    package var name: String
    package var at: FrameCount

    package init(name: String, at: FrameCount) { (self.name, self.at) = (name, at) }
  }

  /// - Parameter planned: the names of the stages that will probably be entered.
  package init(planned: [String]) { self.planned = planned }

  /// Replaces the stages, in order. Those that begin after the end of the file will be omitted.
  package func replace(by stages: [Entry]) { entered.withLock { $0 = stages } }

  /// Chapters that take as much room as the planned ones.
  var reserved: [Chapter] { planned.map { Chapter($0, start: 0) } }

  /// The chapters of a file with `end` frames. A stage that was left at once is none.
  func chapters(until end: FrameCount, at hertz: Int) -> [Chapter] {
    let milliseconds = { (frames: FrameCount) in (Double(frames) * 1_000 / Double(hertz)).rounded() }
    let last = Int64(milliseconds(end))
    let stages = entered.withLock { $0 }.map { Chapter($0.name, start: Int64(milliseconds(max(0, $0.at))), end: last) }
    var chapters = stages.filter { $0.start < last }
    for index in chapters.indices.dropLast() { chapters[index].end = chapters[index + 1].start }
    return chapters.filter { $0.start < $0.end }
  }
}

/// A chapter of a file. Times are in milliseconds.
struct Chapter: Hashable {
  let title: String
  let start: Int64
  var end: Int64

  init(_ title: String, start: Int64, end: Int64 = 0) {
    (self.title, self.start, self.end) = (title.limited(to: 1_000), start, end)
  }
}

extension String {
  /// The text without what exceeds a number of bytes, and without zero bytes, which end a text in many formats.
  func limited(to bytes: Int) -> String {
    let text = contains("\0") ? filter { $0 != "\0" } : self
    if text.utf8.count <= bytes { return text }
    var (result, count) = (UnicodeScalarView(), 0)
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      if bytes < count { break }
      result.append(scalar)
    }
    return String(result)
  }
}
