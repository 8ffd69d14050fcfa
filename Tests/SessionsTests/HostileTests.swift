import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// Texts that are designed to do harm. Each is rejected within seconds and without a crash.
struct HostileTests {
  static let texts: [(path: String, text: String)] = [
    ("depth.yaml", String(repeating: "- ", count: 100_000)),
    ("flow.yaml", String(repeating: "[", count: 100_000)),
    ("depth.json", String(repeating: "[", count: 1_000_000)),
    ("keys.yaml", String(repeating: "? ", count: 100_000)),
    ("under.yaml", String(repeating: "- ", count: 900) + "a"),
    ("values.json", "[" + String(repeating: "1,", count: 600_000) + "1]"),
    ("values.yaml", String(repeating: "- 1\n", count: 600_000)),
    ("unknown.json", "{" + (0..<5_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"),
    ("unknown-keys.json", "{" + (0..<100_000).map { "\"kez\($0)\":1" }.joined(separator: ",") + "}"),
    ("misspelt.json", misspelt),
    ("repeated.yaml", String(repeating: "a: 1\n", count: 100_000)),
    ("repeated-pairs.yaml", (0..<50_000).map { "k\($0): 1\n" }.joined() + (0..<50_000).map { "k\($0): 2\n" }.joined()),
    ("parameters.json", parameters), ("choices.json", choices),
    ("large.yaml", "title: " + String(repeating: "x", count: 1 << 20)),
  ]

  /// As many names as misspelt uses of them.
  private static let misspelt: String = {
    let names = (0..<20_000).map { "\"sound\($0)\":\"generate:bowl\"" }.joined(separator: ",")
    let uses = (0..<20_000).map { "{\"sound\":\"sounf\($0)\",\"at\":1}" }.joined(separator: ",")
    return "{\"prosper\":1,\"title\":\"t\",\"sounds\":{\(names)},"
      + "\"stages\":[{\"name\":\"A\",\"duration\":60,\"gongs\":[\(uses)]}]}"
  }()

  /// As many parameters as misspelt uses of them.
  private static let parameters: String = {
    let names = (0..<50_000).map { "\"name\($0)\":\"${naem\($0)}\"" }.joined(separator: ",")
    return "{\"prosper\":1,\"title\":\"t\",\"parameters\":{\(names)},\"stages\":[{\"name\":\"A\",\"duration\":60}]}"
  }()

  /// Parameters without a value in a long text.
  private static let choices: String = {
    let values = (0..<100_000).map { "\($0)" }.joined(separator: ",")
    let text = String(repeating: "${a}$${", count: 100_000)
    return "{\"prosper\":1,\"title\":\"\(text)\",\"parameters\":{\"a\":{\"default\":\"x\",\"values\":[\(values)]}},"
      + "\"stages\":[{\"name\":\"A\",\"duration\":60}]}"
  }()

  @Test(arguments: ["depth.yaml", "flow.yaml", "depth.json", "keys.yaml"])
  func `nesting beyond the limit is told as such`(path: String) throws {
    let text = try #require(Self.texts.first { $0.path == path }).text
    let problem = reader.read(text: text, path: path, folder: "/f").diagnostics.first
    #expect(problem?.code == .tooLarge && problem?.problem.contains("levels of nesting") == true, "\(problem as Any)")
  }

  @Test func `what looks like an alias is one only with its anchor`() throws {
    _ = try YAMLReader.read("a: {b: \"*c: d & e\"}\n  # *c: d\n# ? *e\n", file: "a.yaml")
    for text in ["a: &x1 {b: 1}\n? *x1\n: 1\n", "a: {b: &x_y 1, [*x_y]: 2}\n", "- &-a 1\n- {*-a : 2}"] {
      #expect(throws: Diagnostic.self) { try YAMLReader.read(text, file: "a.yaml") }
    }
  }

  @Test(arguments: texts.indices) func `a hostile text is rejected`(_ index: Int) {
    let (path, text) = Self.texts[index]
    let reading = reader.read(text: text, path: path, folder: "/f")
    #expect(reading.session == nil)
    #expect((1...201).contains(reading.diagnostics.count))
  }
}
