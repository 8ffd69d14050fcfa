import Foundation
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// The schema for editors agrees with the parser. Python's `jsonschema` (Debian: python3-jsonschema) applies it.
struct SchemaTests {
  /// What no schema can express: rules that depend on two places, on names, on the catalogue, or on spelling.
  static let beyondSchema: Set<String> = [
    "crossfade-long.json", "duplicate-key.json", "duration-week.json",
    "fade-in-long.json", "fade-out-beyond.json", "fade-out-open.json", "gong-endless.json", "gong-random-open.json",
    "open-end.json", "open-session.json", "overlay-fades.json", "position-outside.json",
    "session-week.json", "sound-built-in.json", "sound-near-built-in.json", "sound-part.json",
    "sound-setting-range.json", "sound-setting.json", "sound-undefined.json", "stage-names.json",
    "too-many-cues.json", "track-endless.json",
  ]

  @Test func `the schema accepts every good example, and only those bad ones that it can't judge`() throws {
    let readable = try (Examples.good + Examples.bad).compactMap { file in
      try Self.json(of: file).map { (name: file.lastPathComponent, json: $0) }
    }
    let accepted = try Self.accepted(readable.map(\.json))
    let names = zip(readable, accepted).filter(\.1).map(\.0.name)
    #expect(Set(names) == Self.beyondSchema.union(Examples.good.map(\.lastPathComponent)))
  }

  /// The values of a file as one line of JSON, in either format; nil if it is not text, or neither JSON nor YAML.
  private static func json(of file: URL) throws -> String? {
    let bytes = [UInt8](try Data(contentsOf: file))
    do throws(Diagnostic) {
      return line(try SessionReader.markup(try TextBytes.text(bytes, file: file.path), path: file.path))
    } catch {
      return nil
    }
  }

  private static func line(_ value: Node) -> String {
    switch value.content {
    case .word where value.string == nil && value.kind == "empty": "null"
    case .word(let word) where value.string == nil: word
    case .text, .word: quoted(value.string ?? "")
    case .list(let elements): "[" + elements.map(line).joined(separator: ",") + "]"
    case .map(let entries): "{" + entries.map { quoted($0.key) + ":" + line($0.value) }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.utf16.map { "\\u" + String(0x10000 + UInt32($0), radix: 16).dropFirst() }.joined() + "\""
  }

  private static let judge = """
    import json, sys
    from jsonschema import Draft202012Validator
    schema = json.load(open(sys.argv[1]))
    Draft202012Validator.check_schema(schema)
    judge = Draft202012Validator(schema)
    for line in sys.stdin: print(int(judge.is_valid(json.loads(line))))
    """

  private static func accepted(_ lines: [String]) throws -> [Bool] {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", judge, Examples.sessions.appending(path: "session.schema.json").path]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    try input.fileHandleForWriting.close()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "python3 with the package python3-jsonschema is needed")
    return String(decoding: answer, as: UTF8.self).split(separator: "\n").map { $0 == "1" }
  }
}
