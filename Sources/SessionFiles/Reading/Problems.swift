package import Markup
import Player

/// Collects the problems of one file, and keeps the first ones by position. The parts that read the file share it.
package final class Problems {
  package private(set) var hasErrors = false
  /// The number of problems, including those that are not kept.
  private(set) var count = 0
  /// The problems that may be listed, in the order in which they were found.
  private var kept: [Diagnostic] = []
  /// The location of the last one that is listed so far; nil while there is room for more.
  private var last: SourceLocation?
  /// The places of values about which nothing is reported.
  private var silenced: Set<SourceLocation> = []

  /// The maximum number of problems that are listed. Nobody reads a longer list, so the others are only counted.
  static let maximumListed = 200

  package init() {}

  /// Whether some problems will not be listed.
  var isFull: Bool { Self.maximumListed < count }

  /// Adds a problem because of which the file can't be used. The texts are evaluated only if the problem may be listed,
  /// because a large file may have many, and the search for a similar name takes time.
  package func report(
    _ code: Diagnostic.Code, _ location: SourceLocation, _ problem: @autoclosure () -> String,
    fix: @autoclosure () -> String
  ) {
    hasErrors = true
    add(.error, code, location, problem, fix)
  }

  /// Adds a problem with which the file can be used.
  package func warn(
    _ code: Diagnostic.Code, _ location: SourceLocation, _ problem: @autoclosure () -> String,
    fix: @autoclosure () -> String
  ) {
    add(.warning, code, location, problem, fix)
  }

  /// Adds a problem that was found elsewhere.
  func report(_ diagnostic: Diagnostic) {
    hasErrors = hasErrors || diagnostic.severity == .error
    keep(diagnostic.location) { diagnostic }
  }

  /// Drops what is reported from now on about values that could not be filled in.
  func silence(_ locations: Set<SourceLocation>) { silenced = locations }

  private func add(
    _ severity: Diagnostic.Severity, _ code: Diagnostic.Code, _ location: SourceLocation, _ problem: () -> String,
    _ fix: () -> String
  ) {
    keep(location) { Diagnostic(severity, code, location, problem(), fix: fix()) }
  }

  private func keep(_ location: SourceLocation, _ diagnostic: () -> Diagnostic) {
    if silenced.contains(location) { return }
    count += 1
    if let last, last <= location { return }
    kept.append(diagnostic())
    if kept.count < 2 * Self.maximumListed { return }
    kept = Array(kept.inOrder.prefix(Self.maximumListed))
    last = kept.last?.location
  }

  /// The problems in order of position: at most `maximumListed`, and one that states the number of the others.
  package var sorted: [Diagnostic] { kept.inOrder.listed(of: count, hasErrors ? .error : .warning) }
}

extension [Diagnostic] {
  /// In order of position; problems at one position keep their order.
  package var inOrder: [Diagnostic] {
    enumerated().sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }.map(\.element)
  }

  /// The first ones, at most `Problems.maximumListed`. If there are more, the last one states how many.
  package var listed: [Diagnostic] {
    let problems = filter { $0.unlisted == 0 }
    let count = problems.count + reduce(0) { $0 + $1.unlisted }
    return problems.listed(of: count, contains { $0.severity == .error } ? .error : .warning)
  }

  /// - Parameters:
  ///   - count: the number of problems, including those that are not in this list.
  ///   - severity: that of the statement of how many are not listed.
  fileprivate func listed(of count: Int, _ severity: Diagnostic.Severity) -> [Diagnostic] {
    let first = prefix(Problems.maximumListed)
    guard first.count < count, let last = first.last else { return self }
    let rest = counted(count - first.count, "more problem is", "more problems are")
    var others = Diagnostic(severity, .notShown, last.location, "\(rest) not shown", fix: "fix these first")
    others.unlisted = count - first.count
    return first + [others]
  }
}
