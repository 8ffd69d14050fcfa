import Foundation
import Testing

@testable import prosper

/// The library says what is wrong and what would help. Only the command line names its options and commands.
struct HintTests {
  /// The string literals of all targets but the command line, each with its file.
  private static let literals: [(file: String, text: String)] = {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    return (files ?? []).filter { $0.pathExtension == "swift" && !$0.path.contains("/Sources/prosper/") }.flatMap {
      file in
      let lines = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n") ?? []
      return lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") && $0.contains("\"") }
        .map { (file.lastPathComponent, String($0)) }
    }
  }()

  @Test func `no message of the library names an option or a command of the command line`() {
    #expect(1_000 < Self.literals.count)
    // `--user` is an option of busctl, others are those of speech engines; the comment is in a file that people edit.
    let others = [
      ("GnomePresence.swift", "--user call"), ("SessionWriter.swift", "names for sounds; 'prosper sounds'"),
      ("EspeakEngine.swift", "--"), ("PiperEngine.swift", "--"),
    ]
    let named = Self.literals.filter { file, text in
      (text.contains(#/"[^"]*--[a-z]/#) || text.contains("'prosper "))
        && !others.contains { $0 == file && text.contains($1) }
    }
    #expect(named.map { "\($0): \($1)" } == [])
  }

  @Test(arguments: Hint.all.keys.sorted()) func `a hint belongs to a message of the library`(ending: String) {
    #expect(Self.literals.contains { $1.contains(ending) })
  }

  @Test func `a hint completes the message whose end it knows, and no other`() {
    #expect(
      Hint.added(to: "no sound server answers (refused); start PulseAudio or PipeWire, or render to a file")
        == "no sound server answers (refused); start PulseAudio or PipeWire, or render to a file with --output FILE.flac"
    )
    #expect(
      Hint.added(to: "the sound server was lost (gone); continue when it is back")
        == "the sound server was lost (gone); continue when it is back with 'prosper play --resume'")
    #expect(Hint.added(to: "a.flac: no such file; check the path") == "a.flac: no such file; check the path")
  }
}
