/// Collects the problems of one file in the order in which the parser finds them.
struct Problems {
  let path: String
  private(set) var list: [Diagnostic] = []
  private(set) var hasErrors = false

  /// The longest list that is still useful to read; the problems after it are only counted.
  static let shownAtMost = 200

  init(path: String) { self.path = path }

  /// Adds a problem that keeps the file from being used.
  mutating func error(_ location: SourceLocation, _ problem: String, fix: String) {
    hasErrors = true
    list.append(Diagnostic(.error, path, location, problem, fix: fix))
  }

  /// Adds a problem that does not keep the file from being used.
  mutating func warn(_ location: SourceLocation, _ problem: String, fix: String) {
    list.append(Diagnostic(.warning, path, location, problem, fix: fix))
  }

  /// All problems in order of position, at most `shownAtMost`, then one that counts the rest.
  var sorted: [Diagnostic] {
    let all = list.enumerated().sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }.map(
      \.element)
    guard Self.shownAtMost < all.count, let last = all.prefix(Self.shownAtMost).last else { return all }
    let rest = Diagnostic(
      hasErrors ? .error : .warning, path, last.location, "\(all.count - Self.shownAtMost) more problems are not shown",
      fix: "fix these first")
    return all.prefix(Self.shownAtMost) + [rest]
  }
}
