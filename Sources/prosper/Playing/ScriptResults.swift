import ArgumentParser
import ProsperKit

/// Where the results of a script's expectations are written, as JUnit XML.
struct ScriptResults {
  /// The path of the file of results.
  var path: String
  /// The path of the script.
  var script: String
  var expectations: [Script.Expectation]
  /// The files that the session is played from, which are not replaced.
  var inputs: [String]

  /// Writes a test case for each expectation, after an error has been printed if that fails.
  ///
  /// - Parameters:
  ///   - failures: the expectations that failed.
  ///   - cause: why the session was not played to its end; nil if it was.
  /// - Returns: the exit status of a file that can't be written; nil if it was written.
  func write(_ failures: [ScriptFailure], cause: String?) -> ExitStatus? {
    let cases = expectations.map { expectation -> JUnitReport.Case in
      let failure = expectation.failure(among: failures)?.withoutControls
      let result: JUnitReport.Result =
        switch (failure, cause) {
        case (nil, _): .passed
        case (let failure?, let cause?): .error("\(cause); \(failure)", type: "notPlayed")
        case (let failure?, nil): .failed(failure, type: "expectation")
        }
      let line = expectation.location.line
      return JUnitReport.Case(
        name: "line \(line): \(expectation.summary)".withoutControls, file: script, line: line, result: result,
        output: failure.map { ["\(expectation.location): \($0)".withoutControls] } ?? [])
    }
    do {
      try JUnitReport(name: "prosper play", cases: cases).write(to: path, sparing: inputs)
      return nil
    } catch let code as ExitCode { return ExitStatus(rawValue: code.rawValue) ?? .defect } catch { return .defect }
  }
}
