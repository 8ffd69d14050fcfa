import ProsperKit

/// Results of tests in the XML format of JUnit, which CI services show.
struct JUnitReport {
  enum Result {
    case passed
    /// What was tested is wrong: the message on one line, and its kind.
    case failed(String, type: String)
    /// It could not be tested.
    case error(String, type: String)
  }

  struct Case {
    var name: String
    /// The file that is tested, and the line in it.
    var file: String
    var line: Int?
    var result: Result
    /// Further lines.
    var output: [String] = []
  }

  /// The command, such as `prosper check`.
  var name: String
  var cases: [Case]

  /// The document, in UTF-8.
  var xml: String {
    let failures = cases.count { if case .failed = $0.result { true } else { false } }
    let errors = cases.count { if case .error = $0.result { true } else { false } }
    let counts = "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
    let head = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name=\(Self.quoted(name)) \(counts)>
        <testsuite name=\(Self.quoted(name)) \(counts) skipped="0">

      """
    return head + cases.map(element).joined() + "  </testsuite>\n</testsuites>\n"
  }

  private func element(of test: Case) -> String {
    var text =
      "    <testcase classname=\(Self.quoted(name)) name=\(Self.quoted(test.name)) file=\(Self.quoted(test.file))"
    if let line = test.line { text += " line=\"\(line)\"" }
    let details = test.output.joined(separator: "\n").forXML
    switch test.result {
    case .passed where test.output.isEmpty: return text + "/>\n"
    case .passed: text += ">\n      <system-out>\(details)</system-out>\n"
    case .failed(let message, let type):
      text += ">\n      <failure message=\(Self.quoted(message)) type=\(Self.quoted(type))>\(details)</failure>\n"
    case .error(let message, let type):
      text += ">\n      <error message=\(Self.quoted(message)) type=\(Self.quoted(type))>\(details)</error>\n"
    }
    return text + "    </testcase>\n"
  }

  private static func quoted(_ text: String) -> String { "\"\(text.replacing("\n", with: " ").forXML)\"" }

  /// Writes the document into a file that has its name only when it is complete.
  ///
  /// - Parameter inputs: files that it must not replace.
  /// - Throws: the exit code, after an error has been printed.
  func write(to path: String, sparing inputs: [String]) throws {
    try TextFile.write(to: path, .replace, sparing: inputs) { $0.write(xml) }
  }
}
