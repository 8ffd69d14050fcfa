import Foundation
import Signal
import TestSupport
import Testing

/// What `prosper ctl status` prints about a player.
@Suite struct StatusTests {
  private let folder: Scratch
  private let session: String

  init() throws {
    folder = try Scratch()
    let wave = TestWave.float(Array(repeating: Frame(mono: 0.1), count: 80_000), rate: 8_000)
    try tagged(wave, title: "Dawn", artist: "Choir").write(to: URL(fileURLWithPath: folder.path("b.wav")))
    session = try folder.write(
      "a.yaml",
      """
      prosper: 1
      title: Status
      volume: 0.8
      sampleRate: 8000
      stages:
        - name: One
          tracks: ["generate:rain", b.wav]
          duration: 30m
          overlays: [{sound: "generate:brown", at: 0s, repeat: {times: forever}}]
        - {name: Two, duration: 20s, tracks: [b.wav]}
      """)
  }

  private func run(_ words: [String]) async throws -> Prosper {
    try await Prosper.run(words, environment: ["XDG_RUNTIME_DIR": folder.path("")], in: folder)
  }

  private func status() async throws -> [String: Any]? {
    try await run(["ctl", "status", "--json"]).events().first?["status"] as? [String: Any]
  }

  @Test func `the status contains the next track, the overlays, the planned position and the tags`() async throws {
    async let playing = run(["play", session, "--output", "null"])
    var first: [String: Any]?
    for _ in 0..<500 where first?["track"] as? String == nil || (first?["overlays"] as? [String])?.isEmpty ?? true {
      first = try await status()
    }
    #expect(first?["overlays"] as? [String] == ["brown"] && first?["pausedOverlays"] as? [String] == [])
    #expect(first?["plannedDuration"] as? Double == 1820)
    let next = first?["next"] as? [String: Any]
    #expect(next?["track"] as? String == "b.wav" && (next?["tags"] as? [String: String])?["title"] == "Dawn")
    #expect(first?["queued"] as? Int == 0 && first?["musicVolume"] as? Double == 1)
    #expect(first?["volumeTarget"] as? Double == 0.8)
    #expect((first?["actions"] as? [String])?.contains("extend") == true)
    #expect((first?["actions"] as? [String])?.contains("reload") == true)
    for command in [["music", "volume", "0.5"], ["overlay", "volume", "+6dB"], ["extend", "5m"], ["extend", "-1m"]] {
      #expect(try await run(["ctl"] + command).status == 0)
    }
    let longer = try await status()
    #expect(longer?["duration"] as? Double == 2060 && longer?["plannedDuration"] as? Double == 2060)
    #expect(longer?["musicVolume"] as? Double == 0.5 && longer?["overlayVolume"] as? Double == 1.995)
    for command in [["overlay", "pause"], ["pause"], ["goto", "Two", "5"], ["volume", "0.5"]] {
      #expect(try await run(["ctl"] + command).status == 0)
    }
    let status = try #require(try await status())
    #expect(status["stage"] as? String == "Two" && status["state"] as? String == "paused")
    #expect(status["track"] as? String == "b.wav" && status["position"] as? Double == 5)
    #expect(status["planned"] as? Double == 2045 && status["volume"] as? Double == 0.5)
    let tags = status["tags"] as? [String: String]
    #expect(tags == ["title": "Dawn", "artist": "Choir"])
    let reported = try await run(["ctl", "status"]).out
    #expect(reported.contains("\ntrack   b.wav (Dawn, Choir), 0:05 / 0:10\n"))
    #expect(reported.contains("\nplan    34:05 / 34:20\n"))
    #expect(try await run(["ctl", "stop"]).status == 0)
    let names = try await playing.events().compactMap { $0["event"] as? String }
    #expect(names.contains("overlay.paused"))
  }

  @Test func `the status contains what was changed by hand, and what was heard`() async throws {
    async let playing = run(["play", session, "--output", "null"])
    var first: [String: Any]?
    for _ in 0..<500 where first?["track"] as? String == nil { first = try await status() }
    #expect((first?["changes"] as? [Any])?.isEmpty == true && first?["added"] as? Double == 0)
    for command in [["extend", "5m"], ["extend", "-1m"], ["volume", "0.5"], ["pause"], ["goto", "Two", "5"]] {
      #expect(try await run(["ctl"] + command).status == 0)
    }
    let status = try #require(try await status())
    let changes = try #require(status["changes"] as? [[String: Any]])
    #expect(changes.map { $0["name"] as? String } == ["extend", "extend", "goto"])
    #expect(changes.allSatisfy { $0["stage"] as? String == "One" && ($0["at"] as? Double ?? 60) < 60 })
    #expect(status["added"] as? Double == 240)
    let heard = try #require(status["heard"] as? [[String: Any]])
    #expect(heard.map { $0["stage"] as? String } == ["One", "Two"])
    #expect(heard.last?["from"] as? Double == 5 && heard.last?["to"] as? Double == 5)
    #expect(try await run(["ctl", "stop"]).status == 0)
    _ = try await playing
  }
}
