/// The problems of one file, in the order in which they are met.
struct Problems {
  let path: String
  private(set) var list: [Diagnostic] = []
  private(set) var hasErrors = false

  /// More than this many help nobody; the count of the others does.
  static let shownAtMost = 200

  init(path: String) { self.path = path }

  mutating func error(_ place: Place, _ problem: String, mend: String) {
    hasErrors = true
    list.append(Diagnostic(.error, path, place, problem, mend: mend))
  }

  mutating func warn(_ place: Place, _ problem: String, mend: String) {
    list.append(Diagnostic(.warning, path, place, problem, mend: mend))
  }

  /// In order of place.
  var sorted: [Diagnostic] {
    let all = list.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element)
    guard Self.shownAtMost < all.count, let last = all.prefix(Self.shownAtMost).last else { return all }
    let rest = Diagnostic(
      hasErrors ? .error : .warning, path, last.place, "\(all.count - Self.shownAtMost) more problems are not shown",
      mend: "fix these first")
    return all.prefix(Self.shownAtMost) + [rest]
  }
}
