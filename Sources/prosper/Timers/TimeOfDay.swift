/// A time of day in local time, such as 06:30.
struct TimeOfDay: Hashable, Comparable, CustomStringConvertible {
  /// 0…23, 0…59 and 0…59.
  let hour, minute, second: Int

  static let midnight = TimeOfDay()

  private init() { (hour, minute, second) = (0, 0, 0) }

  /// Reads `6:30`, `06:30` or `06:30:15`; nil for any other text.
  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let numbers = parts.compactMap { part in part.allSatisfy { "0"..."9" ~= $0 } ? Int(part) : nil }
    guard 2...3 ~= parts.count, numbers.count == parts.count, parts[0].count <= 2,
      parts.dropFirst().allSatisfy({ $0.count == 2 }), numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 })
    else { return nil }
    (hour, minute, second) = (numbers[0], numbers[1], numbers.count == 3 ? numbers[2] : 0)
  }

  static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
    (left.hour, left.minute, left.second) < (right.hour, right.minute, right.second)
  }

  /// `06:30`, with seconds if they are not 0.
  var description: String {
    ([hour, minute] + (second == 0 ? [] : [second])).map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
