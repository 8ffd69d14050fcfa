import Player

/// Collects the problems of one file in the order in which the parser finds them.
struct Problems {
  let path: String
  private(set) var list: [Diagnostic] = []
  private(set) var hasErrors = false

  /// The maximum number of problems that are listed. Nobody reads a longer list, so the others are only counted.
  static let maximumListed = 200

  init(path: String) { self.path = path }

  /// Adds a problem because of which the file can't be used.
  mutating func error(_ location: SourceLocation, _ problem: String, fix: String) {
    hasErrors = true
    list.append(Diagnostic(.error, path, location, problem, fix: fix))
  }

  /// Adds a problem with which the file can be used.
  mutating func warn(_ location: SourceLocation, _ problem: String, fix: String) {
    list.append(Diagnostic(.warning, path, location, problem, fix: fix))
  }

  /// All problems in order of position: at most `maximumListed`, and one that states the number of the others.
  var sorted: [Diagnostic] {
    let all = list.enumerated().sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }.map(
      \.element)
    guard Self.maximumListed < all.count, let last = all.prefix(Self.maximumListed).last else { return all }
    let rest = Diagnostic(
      hasErrors ? .error : .warning, path, last.location,
      "\(counted(all.count - Self.maximumListed, "more problem is", "more problems are")) not shown",
      fix: "fix these first")
    return all.prefix(Self.maximumListed) + [rest]
  }
}
