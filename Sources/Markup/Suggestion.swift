/// Finds the valid name that is most similar to a mistyped one.
package enum Suggestion {
  /// The most similar name; nil if none is close enough.
  ///
  /// At most a third of the letters may differ. Two neighbouring letters in the wrong order count as one difference.
  /// Only the first 64 letters of the first 1,000 names are compared, which bounds the time that hostile input can take.
  package static func nearest(to name: String, among names: some Sequence<String>) -> String? {
    let wanted = letters(of: name)
    let most = max(1, wanted.count / 3)
    var best: (name: String, distance: Int, length: Int)?
    for name in names.prefix(maximumCompared) {
      let letters = letters(of: name)
      // The distance is at least the difference of the lengths.
      guard abs(letters.count - wanted.count) <= most else { continue }
      let distance = distance(wanted, letters)
      if best.map({ (distance, name) < ($0.distance, $0.name) }) ?? true { best = (name, distance, letters.count) }
    }
    return best.flatMap { $0.distance <= max(1, min(wanted.count, $0.length) / 3) ? $0.name : nil }
  }

  private static let maximumCompared = 1_000

  /// The letters that are compared.
  private static func letters(of name: String) -> [Unicode.Scalar] {
    Array(String(name.unicodeScalars.prefix(64)).lowercased().unicodeScalars)
  }

  /// How to fix an unknown name: "did you mean 'x'?", or the list of valid names.
  package static func fix(for name: String, among names: [String]) -> String {
    if let near = nearest(to: name, among: names) { return "did you mean '\(shown(near))'?" }
    if names.count == 1 { return "use '\(shown(names[0]))'" }
    let some = names.prefix(mostNames).map { "'\(shown($0))'" }.joined(separator: ", ")
    let rest = names.count - mostNames
    return names.isEmpty ? "remove it" : "use one of \(some)" + (0 < rest ? " or \(rest) others" : "")
  }

  /// The maximum number of names that an error lists.
  private static let mostNames = 50

  /// The smallest number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (the
  /// optimal string alignment distance).
  package static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
