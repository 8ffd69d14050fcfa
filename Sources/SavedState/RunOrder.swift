/// The order in which runs have begun and ended, in the file `ended` of the state folder: the number of the last beginning
/// or end of any run, and the number of the last end. The wall clock can't tell the order, because on some machines it
/// starts in the past.
struct RunOrder {
  private static let file = "ended"

  /// 0 before the first run.
  private(set) var (last, lastEnd) = (0, 0)

  /// Reads the order. Earlier versions wrote an empty file.
  init(in folder: StateFolder) {
    let words = ((try? folder.read(Self.file)) ?? "").split { $0.isWhitespace }
    let numbers = words.compactMap { Int($0) }
    guard numbers.count == 2, let (last, end) = numbers.first.map({ ($0, numbers[1]) }), 0 <= end, end <= last,
      last < SavedPosition.lastNumber
    else { return }
    (self.last, lastEnd) = (last, end)
  }

  /// Records that a run has begun to save its position, or that a session has been played to its end.
  static func note(isEnd: Bool, in folder: StateFolder) {
    let known = RunOrder(in: folder)
    try? folder.write("\(known.last + 1) \(isEnd ? known.last + 1 : known.lastEnd)\n", to: file)
  }
}
