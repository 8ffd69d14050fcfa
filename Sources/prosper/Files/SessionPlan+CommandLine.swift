import ArgumentParser
import Glibc
import ProsperKit

extension SessionPlan {
  /// Reads, checks and lays out a session file. Reports downloads and speech if stderr is a terminal.
  ///
  /// - Parameters:
  ///   - settings: values for the session's parameters.
  ///   - playsWhileDownloading: whether a remote sound can be used as soon as its download has begun.
  ///   - extent: which sounds are measured.
  ///   - warning: called with each warning that should be read before a request is sent.
  static func read(
    _ path: String, settings: SessionSettings = [:], playsWhileDownloading: Bool = false,
    measures extent: LoudnessSurvey.Extent = .levelled,
    warning: (Markup.Diagnostic) -> Void = { StandardError.printPlain($0.description) }
  ) -> SessionPlan {
    let progress = ProgressLine("measuring sounds")
    let downloads = DownloadLine()
    let speech = ProgressLine("speaking")
    defer {
      progress.end()
      speech.end()
      downloads.end()
    }
    var library = Sounds(playsWhileDownloading: playsWhileDownloading) { downloads.show($0) }
    library.speaking = { speech.show(Double($0) / Double(max(1, $1)), "\($0) of \(counted($1, "sentence"))") }
    return SessionPlan(
      path: path, settings: settings, library: library, measures: extent,
      fetching: announceDownload,
      measuring: { progress.show(Double($0) / Double(max(1, $1)), "\($0) of \($1)") }, warning: warning)
  }

  /// Reports on stderr that a sound is being downloaded, if stderr is a terminal.
  static func announceDownload(_ address: String) {
    if isatty(2) == 1 { StandardError.say("fetching \(address)") }
  }

  /// The exit status for the problems.
  var status: ExitStatus {
    switch verdict {
    case .playable: .finished
    case .invalid: .invalidData
    case .inputMissing: .missingInput
    }
  }

  /// Why a session file can't be opened, and how to fix that; if a name was given, with the names that exist.
  private static func words(of failure: SessionFileError) -> (problem: String, fix: String) {
    guard case .missing(let path) = failure, SessionLibrary.isName(path) else { return (failure.problem, failure.fix) }
    let names = SessionLibrary().entries.map(\.name)
    let fix =
      names.isEmpty
      ? "give the path of a file, or a name that 'prosper sessions' lists" : Suggestion.fix(for: path, among: names)
    return ("no such file, and no session has this name", fix)
  }

  /// Why the session file can't be opened, as a problem of its first line; nil if it can.
  var fileProblem: Markup.Diagnostic? {
    failure.map { failure in
      let (problem, fix) = Self.words(of: failure)
      return Diagnostic(failure.code, SourceLocation(file: path), problem, fix: fix)
    }
  }

  /// Prints all problems to stderr, except for those that `read` has printed before it sent requests.
  func printProblems() {
    if let failure {
      let (problem, fix) = Self.words(of: failure)
      StandardError.say("\(path): \(problem); \(fix)")
    }
    let printed = Set(localAddresses)
    for diagnostic in diagnostics where !printed.contains(diagnostic) {
      StandardError.printPlain(diagnostic.description)
    }
  }
}
