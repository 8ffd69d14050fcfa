import Engine

extension SourceError {
  /// The message for a file that is named on the command line, and not in a session.
  var ofArgument: String {
    if case .missing(let path) = self { return "\(path): no such file; check the path" }
    return description
  }
}
