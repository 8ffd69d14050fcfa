import Sounds
import Testing

@testable import Markup
@testable import SessionFiles
@testable import Timelines

@Suite struct SourceLocationTests {
  @Test(arguments: ["a.json", "a.yaml"])
  func `every key and value of a text knows its file`(file: String) throws {
    let text = #"{"title": "T", "stages": [{"name": "A", "tracks": ["a", {"file": "b"}]}]}"#
    let root = try SessionReader.markup(text, path: file)
    let places = Self.places(of: root)
    #expect(places.count == 14)
    #expect(places.allSatisfy { $0.file == file })
    #expect(places.first?.description == "\(file):1:1")
  }

  @Test func `a problem is printed with the file in which it is`() throws {
    var root = try YAMLReader.read("prosper: 1\ntitel: T\nstages: []\nfadeIn: 90s\n", file: "whole.yaml")
    let stages = try YAMLReader.read("- name: Sit\n  duration: 0s\n", file: "part.yaml")
    guard case .map(var entries) = root.content else { return }
    entries[2].value = stages
    root.content = .map(entries)
    let problems = Problems()
    _ = SessionParser(catalogue: catalogue, folder: "/", home: nil, problems).session(root)
    #expect(
      problems.sorted.map(\.description) == [
        "part.yaml:2:13: error: 'duration' is '0s'; write a time above zero",
        "whole.yaml:2:1: error: unknown key 'titel'; did you mean 'title'?",
        "whole.yaml:4:9: error: 'fadeIn' is 1:30, above the limit of 60 s; write 60s or less",
      ])
  }

  @Test func `the warnings of a sit begin with its name, although it has no file`() throws {
    var sit = Sit(duration: 60)
    sit.music = Session.Sound(.file(path: "two"))
    let bell = try #require(sit.bell).source.label
    let library = DeclaredSounds(seconds: ["two": 2, bell: 9])
    let warnings = try Timeline.compile(sit.session(), library: library).warnings
    #expect(Set(warnings.map(\.location.description)) == ["sit:1:1"])
  }

  private static func places(of node: Node) -> [Markup.SourceLocation] {
    let inner: [Markup.SourceLocation] =
      switch node.content {
      case .list(let elements): elements.flatMap(places)
      case .map(let entries): entries.flatMap { [$0.location] + places(of: $0.value) }
      case .text, .word: []
      }
    return [node.location] + inner
  }
}
