/// Finds the valid name that is most similar to a mistyped one.
package enum Suggestion {
  /// The most similar name; nil if none is close enough.
  ///
  /// At most a third of the letters may differ. Two neighbouring letters in the wrong order count as one difference.
  /// Only the first 64 letters are compared, which bounds the time that hostile input can take.
  package static func nearest(to name: String, among names: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().prefix(64))
    let rated = names.map { (name: $0, distance: distance(wanted, Array($0.lowercased().prefix(64)))) }
    guard let best = rated.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else { return nil }
    return best.distance <= max(1, min(wanted.count, best.name.count) / 3) ? best.name : nil
  }

  /// How to fix an unknown name: "did you mean 'x'?", or the list of valid names.
  package static func fix(for name: String, among names: [String]) -> String {
    if let near = nearest(to: name, among: names) { return "did you mean '\(shown(near))'?" }
    if names.count == 1 { return "use '\(shown(names[0]))'" }
    return names.isEmpty ? "remove it" : "use one of \(names.map { "'\(shown($0))'" }.joined(separator: ", "))"
  }

  /// The smallest number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (the
  /// optimal string alignment distance).
  static func distance(_ a: [Character], _ b: [Character]) -> Int {
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
