import Foundation
import Glibc
import Signal
import Synchronization
import TestSupport
import Testing

/// A computer that goes to sleep during a session: a system bus with a substitute for logind, and a real sound server.
@Suite(.serialized) struct SleepLiveTests {
  /// Four seconds with a crossfade in the middle.
  private static let session = """
    prosper: 1
    title: Asleep
    sampleRate: 48000
    crossfade: {duration: 1s, curve: equalPower}
    stages:
      - {name: One, duration: 2s, tracks: ["generate:rain"]}
      - {name: Two, duration: 2s, tracks: ["generate:ocean"]}
    """
  private static let both = ["block sleep:idle", "delay sleep"]

  /// The sleep locks that were held at some moments.
  private final class Seen: Sendable {
    private let all = Mutex<[[String]]>([])
    var locks: [[String]] { all.withLock { $0 } }
    func note(_ locks: [String]?) { all.withLock { $0.append(locks ?? ["no answer"]) } }
  }

  @Test func `a session pauses while the computer sleeps, and resumes at the next frame`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("sleep.yaml", Self.session)
    let render = try await Prosper.run(
      ["play", session, "-o", scratch.path("a.wav"), "--encoding", "f32", "--events", "off"], in: scratch)
    #expect(render.status == 0 && render.err.isEmpty)
    let rendered = try FloatWave(at: scratch.path("a.wav")).frames.sounding
    // Prosper reports an underrun. The session is then played again, if the machine was late.
    try await best(hasServer: true, where: { (heard: Heard) in !heard.ranDry && heard.lost <= 4 }) {
      let (run, sound) = try await self.listen(to: session, scratch)
      #expect(run.status == 0 && run.err.isEmpty)
      let events = try run.events()
      let corks = events.filter { $0["event"] as? String == "output.corked" }
      #expect(corks.map { $0["reason"] as? String } == ["the computer goes to sleep"])
      let states = events.compactMap { event -> String? in
        let state = event["state"] as? String
        return state == event["previous"] as? String ? nil : state
      }
      #expect(
        states == ["preparing", "playing", "crossfading", "crossfadePaused", "crossfading", "playing", "finished"])
      let ranDry = events.contains { $0["event"] as? String == "underrun" }
      let (lost, fault) = Self.compare(sound, with: rendered)
      #expect(ranDry || fault == nil, "\(fault ?? "")")
      return Heard(ranDry: ranDry, lost: lost)
    }
  }

  private struct Heard {
    /// Whether the player reported an underrun.
    var ranDry: Bool
    /// The number of lost frames.
    var lost: Int
  }

  /// Plays the session. The computer sleeps for a second during its crossfade.
  private func listen(to session: String, _ scratch: Scratch) async throws -> (Prosper, [Frame]) {
    let (server, bus) = try await onOwnThread { (try PulseServer(), try SystemBus()) }
    let isListening = Flag()
    let listening = Background {
      let capture = try Capture(of: server)
      isListening.raise()
      _ = capture.wait { !$0.sound.isEmpty && $0.silenceAtEnd > 96_000 }
      return Array(capture.sound)
    }
    _ = try await onOwnThread { eventually { isListening.isRaised } }
    let environment = ["PULSE_SERVER": server.address, "DBUS_SYSTEM_BUS_ADDRESS": bus.address]
    let seen = Seen()
    let run = try await Prosper.run(["play", session], environment: environment, in: scratch) {
      $0.waitUntilItSays("crossfade.started")
      seen.note(try? bus.locks())
      try? bus.prepareForSleep(true)
      $0.waitUntilItSays("crossfade.paused")
      _ = eventually { (try? bus.locks()) == [] }
      seen.note(try? bus.locks())
      letPass(seconds: 1)
      try? bus.prepareForSleep(false)
      $0.waitUntilItSays("crossfade.resumed")
      _ = eventually { (try? bus.locks()) == Self.both }
      seen.note(try? bus.locks())
    }
    #expect(seen.locks == [Self.both, [], Self.both])
    let isFree = try await onOwnThread { try eventually { try bus.locks().isEmpty } }
    #expect(isFree)
    return (run, try await onOwnThread { try listening.value() })
  }

  /// How many frames the sound lacks, apart from the silence in its middle, and a description of what else is wrong
  /// with it.
  private static func compare(_ heard: [Frame], with wanted: [Frame]) -> (lost: Int, fault: String?) {
    let quiet = heard.indices.first { index in heard[index...].prefix(9_600).allSatisfy { $0 == .silence } }
    guard let quiet, let end = heard[quiet...].firstIndex(where: { $0 != .silence }) else { return (0, "no silence") }
    let (before, after) = (heard[..<quiet], heard[end...])
    let lost = wanted.count - before.count - after.count
    if before.count < 9_600 || after.count < 9_600 { return (lost, "\(before.count) and \(after.count) frames") }
    // Each ramp has 960 frames and begins or ends with a silent one. On a busy machine, late sound is lost in the
    // second one.
    if !(0...960 ~= lost) { return (lost, "\(lost) frames lost") }
    if before.dropLast(960) != wanted[..<(before.count - 960)] { return (lost, "the sound before the silence differs") }
    let isRest = Array(after.dropFirst(970)) == Array(wanted.suffix(after.count - 970))
    return (lost, isRest ? nil : "the sound after the silence differs")
  }

  @Test func `a paused session stays paused through a sleep, and keeps the computer awake only while it plays`()
    async throws
  {
    let scratch = try Scratch()
    let session = try scratch.write("sleep.yaml", Self.session)
    let bus = try await onOwnThread { try SystemBus() }
    let seen = Seen()
    let environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address, "XDG_RUNTIME_DIR": scratch.path("")]
    let run = try await Prosper.run(["play", session, "-o", "null"], environment: environment, in: scratch) { running in
      let ctl = { (word: String) in
        _ = try? output(of: Prosper.executable.path, ["ctl", word], environment: environment)
      }
      running.waitUntilItSays("stage.started")
      _ = eventually { (try? bus.locks()) == Self.both }
      seen.note(try? bus.locks())
      ctl("pause")
      _ = eventually { (try? bus.locks()) == [] }
      seen.note(try? bus.locks())
      try? bus.prepareForSleep(true)
      running.waitUntilItSays("output.corked")
      try? bus.prepareForSleep(false)
      // No event is expected here.
      _ = eventually(within: 1) { running.said().contains(#""previous":"paused""#) }
      seen.note(try? bus.locks())
      ctl("resume")
      _ = eventually { (try? bus.locks()) == Self.both }
      seen.note(try? bus.locks())
    }
    #expect(run.status == 0 && run.err.isEmpty)
    #expect(seen.locks == [Self.both, [], [], Self.both])
    let events = try run.events()
    let resumed = try #require(events.first { $0["previous"] as? String == "paused" }?["run"] as? Double)
    let corked = try #require(events.first { $0["event"] as? String == "output.corked" }?["run"] as? Double)
    #expect(resumed - corked > 1)
  }

  @Test func `a render does not keep the computer awake`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("sleep.yaml", Self.session)
    let silent = try SilentBus(in: scratch)
    let environment = ["DBUS_SYSTEM_BUS_ADDRESS": silent.address]
    let run = try await Prosper.run(["play", session, "-o", "null:fast"], environment: environment, in: scratch)
    #expect(run.status == 0 && silent.connections == 0)
  }

  /// Both sessions end after about four seconds, while an answer from a bus would be awaited for 25 s or more.
  @Test(arguments: [false, true])
  func `a session plays normally without a bus, and with a bus that never answers`(isThere: Bool) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("sleep.yaml", Self.session)
    let silent = isThere ? try SilentBus(in: scratch) : nil
    let environment = ["DBUS_SYSTEM_BUS_ADDRESS": silent?.address ?? "unix:path=\(scratch.path("none"))"]
    try await best(where: { $0 < .seconds(6) }) {
      let began = ContinuousClock.now
      let run = try await Prosper.run(["play", session, "-o", "null"], environment: environment, in: scratch)
      #expect(run.status == 0 && run.err.isEmpty)
      let events = try run.events()
      #expect(!events.contains { ($0["event"] as? String)?.hasPrefix("output") ?? true })
      #expect(events.last?["reason"] as? String == "completed")
      return run.endedAt - began
    }
    if let silent { #expect(1 <= silent.connections) }
  }
}
