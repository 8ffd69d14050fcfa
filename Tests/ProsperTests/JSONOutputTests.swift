import Foundation
import Markup
import TestSupport
import Testing

/// The articles describe the members of what is printed for programs: no more, and no less.
struct JSONOutputTests {
  private let folder: Scratch
  private let session: String

  init() throws {
    folder = try Scratch()
    session = try folder.write(
      "a.yaml",
      """
      prosper: 1
      title: Members
      sampleRate: 8000
      loudness: {music: -28}
      overlays: [{sound: "generate:beep", at: 2s, duck: {by: -9dB}, fadeIn: 0.05s}]
      stages:
        - {name: A, duration: 10s, tracks: ["generate:rain"], gongs: [{sound: "generate:bell", at: start}]}
        - {name: B, duration: open, tracks: ["generate:drone"]}

      """)
  }

  @Test func `the members of check`() async throws {
    let missing = try folder.write(
      "b.yaml", "prosper: 1\ntitle: t\nstages: [{name: A, duration: 1s, tracks: [no.wav]}]\n")
    _ = try folder.write("part.yaml", "prosper: 1\nstages: [{nam: A, duration: 1s}]\n")
    let including = try folder.write("c.yaml", "prosper: 1\ntitle: t\nstages: [{include: part.yaml}]\n")
    let lines = try await Prosper.run(["check", "--json", missing, including, session], in: folder).events()
    let documented = try Self.members(of: "JSONOutput", "check")
    #expect(lines.reduce(into: Set<String>()) { $0.formUnion($1.keys) } == documented)
  }

  @Test func `the codes of check`() throws {
    #expect(try Self.members(of: "JSONOutput", "Codes") == Set(Diagnostic.Code.allCases.map(\.rawValue)))
  }

  @Test func `the members of show`() async throws {
    let repeated = try folder.write(
      "c.yaml",
      """
      prosper: 1
      title: Members
      parameters: {hours: 1h}
      sampleRate: 8000
      stages: [{name: A, duration: "${hours}", repeat: playlist, tracks: [{generate: beep, end: 0.1s}]}]
      overlays: [{sound: {say: One.}, at: start}]
      gongs: [{sound: "generate:bell", random: 2}]
      """)
    var found: Set<String> = []
    for file in [session, repeated] {
      let show = try await Prosper.run(["show", "--json", file], in: folder)
      Self.collect(try JSONSerialization.jsonObject(with: Data(show.out.utf8)), into: &found)
    }
    #expect(try Self.members(of: "JSONOutput", "show") == found)
  }

  @Test func `the members of measure`() async throws {
    let closed = try folder.write(
      "d.yaml", "prosper: 1\ntitle: t\nsampleRate: 8000\nstages: [{name: A, duration: 1s}]\n")
    let measure = try await Prosper.run(["measure", "--json", closed], in: folder)
    var found: Set<String> = []
    Self.collect(try JSONSerialization.jsonObject(with: Data(measure.out.utf8)), into: &found)
    #expect(try Self.members(of: "JSONOutput", "measure") == found)
  }

  @Test func `the members of status and metrics`() async throws {
    async let playing = run(["play", session, "-o", "null"])
    var members: [String: Any]?
    for _ in 0..<500 where members?["track"] as? String == nil {
      members = try await run(["ctl", "status", "--json"]).events().first?["status"] as? [String: Any]
    }
    // `music` is there only while the music is paused.
    #expect(try await run(["ctl", "music", "pause"]).status == 0)
    members = try await run(["ctl", "status", "--json"]).events().first?["status"] as? [String: Any]
    let metrics = try await run(["metrics", "--format", "json"]).events()
    #expect(try await run(["ctl", "stop"]).status == 0)
    _ = try await playing
    // The version of the format is in each line of the socket.
    #expect(
      Set(try #require(members).keys).subtracting(["v"]) == (try Self.members(of: "ControllingAPlayer", "The status")))
    // `source` says whether they are those of a running player.
    #expect(
      Set(try #require(metrics.first).keys).subtracting(["v", "source", "wait", "execution"])
        == (try Self.members(of: "Metrics", "Members")).subtracting(Self.nestedMetrics))
  }

  private func run(_ words: [String]) async throws -> Prosper {
    try await Prosper.run(words, environment: ["XDG_RUNTIME_DIR": folder.path("")], in: folder)
  }

  /// Members that are described beside the one that contains them.
  private static let nestedMetrics: Set = [
    "low", "normal", "high", "critical", "wait", "execution", "p50", "p95", "p99", "max", "mean", "count", "total",
  ]

  /// The names in the first columns of the tables of a section.
  private static func members(of article: String, _ section: String) throws -> Set<String> {
    let file = Prosper.root.appending(path: "Sources/ProsperKit/ProsperKit.docc/\(article).md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let lines = text.components(separatedBy: "\n").drop { $0 != "## \(section)" }.dropFirst()
    let rows = lines.prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("| `") }
    return Set(rows.flatMap { $0.dropFirst(2).prefix { $0 != "|" }.split(separator: "`") }.map(String.init))
      .filter { !$0.contains(" ") && !$0.contains(",") }
  }

  /// Adds the names of all members, at any depth.
  private static func collect(_ value: Any, into names: inout Set<String>) {
    if let list = value as? [Any] { for element in list { collect(element, into: &names) } }
    guard let members = value as? [String: Any] else { return }
    for (name, value) in members {
      names.insert(name)
      collect(value, into: &names)
    }
  }
}
