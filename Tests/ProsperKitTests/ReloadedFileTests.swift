import Foundation
import ProsperKit
import Synchronization
import TestSupport
import Testing

/// A session file that changes while the session plays, on the virtual clock.
@Suite struct ReloadedFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ stages: String, rate: Int? = 8_000, title: String = "Sit") throws -> String {
    let rate = rate.map { "sampleRate: \($0)\n" } ?? ""
    let text = "prosper: 1\ntitle: \(title)\n\(rate)crossfade: 1s\nstages:\n\(stages)"
    _ = try folder.write(Array(text.utf8), to: "sit.yaml")
    return folder.path("sit.yaml")
  }

  private static let old = """
      - {name: One, duration: 4s, tracks: ["generate:pink"]}
      - {name: Two, duration: 2s, tracks: ["generate:brown"]}

    """
  private static let new = """
      - {name: One, duration: 3s, tracks: ["generate:pink"], gongs: [{sound: "generate:beep", at: [-1s]}]}
      - {name: Three, duration: 2s, tracks: ["generate:rain"]}

    """

  /// Plays the old session, whose file has other stages when the script says `reload`.
  private func play(
    reloading stages: String?, rate: Int? = 8_000
  ) async throws -> (frames: [StereoFrame], outcome: CommandOutcome?) {
    let session = try #require(try await SessionReader().read(path: try write(Self.old)).session)
    if let stages { _ = try write(stages, rate: rate) }
    var options = SessionPlayer.Options()
    let script = Array("{\"at\":1,\"do\":\"reload\"}\n".utf8)
    _ = try folder.write(script, to: "script.jsonl")
    if stages != nil { options.script = try await session.script(path: folder.path("script.jsonl")) }
    let sink = MemorySink()
    let player = try SessionPlayer(session, output: .sink(sink), options: options)
    let events = player.events()
    _ = try await player.play()
    var outcome: CommandOutcome?
    for await event in events {
      if case .command("reload", _, .ended(let ended)) = event.event { outcome = ended }
    }
    return (sink.frames.withLock { $0 }, outcome)
  }

  private func planned(_ stages: String) async throws -> [StereoFrame] {
    let session = try #require(try await SessionReader().read(path: try write(stages)).session)
    let sink = MemorySink()
    _ = try await SessionPlayer(session, output: .sink(sink)).play()
    return sink.frames.withLock { $0 }
  }

  @Test func `a reloaded session has exactly the frames of the new file`() async throws {
    let (frames, outcome) = try await play(reloading: Self.new)
    let planned = try await planned(Self.new)
    #expect(outcome == .done && frames.count == planned.count)
    #expect(frames == planned)
    let old = try await play(reloading: nil).frames
    #expect(frames[..<8_000] == old[..<8_000] && frames != old)
  }

  @Test(arguments: [
    ("  - {name: One, duratio: 4s}\n", "sit.yaml:6:17: unknown key 'duratio'"),
    ("  - {name: One, duration: 4s, tracks: [none.wav]}\n", "sit.yaml:6:40: "),
    ("  - {name: Four, duration: 4s, tracks: [\"generate:pink\"]}\n", "has no stage 'One' any more"),
    (Self.old, "the session file has not changed"),
  ])
  func `a file that can't be used changes nothing, and its first problem is the reason`(
    stages: String, reason: String
  ) async throws {
    let (frames, outcome) = try await play(reloading: stages)
    let words = if case .rejected(let error)? = outcome { error.description } else { "\(outcome as Any)" }
    #expect(words.contains(reason))
    let planned = try await planned(Self.old)
    #expect(frames == planned)
  }

  @Test func `another sample rate is refused, unless nothing in the file asks for it`() async throws {
    let (_, outcome) = try await play(reloading: Self.new, rate: 44_100)
    guard case .rejected(let error)? = outcome else { return #expect(Bool(false), "\(outcome as Any)") }
    #expect(error.description == "'sampleRate' is now 44100, but the session plays at 8000; start it again")
    #expect(try await play(reloading: Self.new, rate: nil).outcome == .done)
  }
}
