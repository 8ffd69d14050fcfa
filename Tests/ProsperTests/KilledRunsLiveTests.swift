import Foundation
import Glibc
import Signal
import TestSupport
import Testing

/// What a listener hears when the player is killed and resumed again and again.
///
/// The position is saved once a second, and a FIFO holds a twentieth of a second. On a late machine the player saves
/// later and its reader loses sound. Faults are therefore collected as text, and the control decides whether they
/// count.
@Suite(.serialized) struct KilledRunsLiveTests {
  private static let session = """
    prosper: 1
    title: Interrupted
    sampleRate: 8000
    volume: 0.4
    crossfade: 2s
    stages:
      - name: One
        duration: 9s
        tracks: [{sound: noise.wav, end: 5s}, "generate:drone"]
        gongs: [{sound: &bell {generate: bell, decay: 0.25}, every: 1500ms, volume: 0.7}]
      - name: Two
        duration: 11s
        tracks: [{sound: "generate:ocean", end: 6s}, {sound: noise.wav, start: 2500ms, end: 8s}]
        overlays:
          - sound: {sound: "generate:pink", end: 2s}
            at: 1s
            fadeIn: 700ms
            fadeOut: 400ms
            repeat: {times: 4, delay: 300ms}
            duck: {by: -9dB, attack: 300ms, release: 600ms}
      - name: Three
        duration: 8s
        tracks: ["generate:rain"]
        crossfade: {duration: 3s, curve: sCurve}
        gongs: [{sound: *bell, at: [start, "2.3s", end]}]
    overlays: [{sound: {sound: "generate:brown", end: 9s}, at: 14s, volume: 0.3, fadeIn: 2s, layer: true}]
    """
  private static let rate = 8_000
  /// Blocks as short as at 44,100 Hz. A block of half a second would need sound that is not decoded yet when a gong
  /// begins, and a FIFO holds too little sound to wait for it.
  private static let live = ["--encoding", "f32", "--no-control", "--block-frames", "512"]
  /// A player that begins in the middle of a sound fades in over 20 ms to avoid a click.
  private static let fade = 160

  /// One run: the session frame at which it began, what was heard of it, and the last frame that it reported.
  private struct Run {
    var first: Int
    var frames: [Frame]
    var reported: Int
    var end: Int { first + frames.count }
  }

  private let scratch: Scratch
  private let path: String

  init() throws {
    scratch = try Scratch()
    let noise = TestWave.stereo(TestSound.noise(11_025 * 9), rate: 11_025)
    try Data(noise).write(to: URL(fileURLWithPath: scratch.path("noise.wav")))
    path = try scratch.write("session.yaml", Self.session)
  }

  private func render() async throws -> [Frame] {
    let file = scratch.path("whole.wav")
    let run = try await Prosper.run(["play", path, "-o", file, "--encoding", "f32", "--events", "off"], in: scratch)
    #expect(run.status == 0, "\(run.err)")
    return try FloatWave(at: file).frames
  }

  /// - Parameter moment: The milliseconds from the start to the kill; nil lets the session play to its end.
  /// - Returns: Nil for a run that was killed before it began.
  private func play(killedAt moment: Int?) async throws -> Run? {
    let capture = try FIFOCapture(in: scratch)
    let words = ["play", path, "--resume", "-o", "pipe:" + capture.path] + Self.live
    let run = try await Prosper.run(words, in: scratch) { running in
      guard let moment else { return }
      letPass(seconds: Double(moment) / 1_000)
      running.send(SIGKILL)
    }
    #expect(run.status == (moment == nil ? 0 : -SIGKILL), "\(run.err)")
    let frames = try await capture.frames()
    // The last line may be incomplete.
    let whole = run.out.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let times = try whole.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .compactMap { $0?["session"] as? Double }.map { Int(($0 * Double(Self.rate)).rounded()) }
    guard let first = times.first else {
      #expect(frames.isEmpty)
      return nil
    }
    return Run(first: first, frames: frames, reported: times.last ?? first)
  }

  @Test func `a session killed at twenty moments and resumed is heard as a whole, except for the fades at the joints`()
    async throws
  {
    var chance = SystemRandomNumberGenerator()
    let seed = ProcessInfo.processInfo.environment["PROSPER_TEST_SEED"].flatMap { UInt64($0) } ?? chance.next()
    let moments = Self.moments(20, seed: seed)
    let whole = try await render()
    try await best(where: { (faults: [String]) in faults.isEmpty }) {
      var runs: [Run] = []
      for moment in moments + [nil] {
        if let run = try await play(killedAt: moment) { runs.append(run) }
      }
      let joints = Set(runs.map(\.first).filter { 0 < $0 })
      var faults = 8 <= joints.count ? [] : ["\(joints.count) joints"]
      for (run, next) in zip(runs, runs.dropFirst()) where !Self.follows(next, run) {
        faults.append("\(next.first) follows \(run.first)...\(run.end), reported up to \(run.reported)")
      }
      faults += [Self.fault(of: Self.joined(runs), against: whole, joints: joints)].compactMap { $0 }
      return faults.isEmpty ? [] : faults + ["seed \(seed): killed at \(moments) ms"]
    }
  }

  /// Whether a run begins where the run before it ended.
  private static func follows(_ next: Run, _ run: Run) -> Bool {
    let reported = max(run.first, run.reported)
    // The output is a little ahead of the listener and of the reported position.
    return next.first <= run.end && reported - rate <= next.first && run.end - next.first <= rate * 3 / 2
  }

  /// The effects of commands are kept: the same tracks play at the same positions and volumes.
  @Test func `a session killed after skips, seeks and changes of volume resumes with their effects`() async throws {
    let script = try scratch.write(
      "script",
      """
      {"at": "0.4s", "do": "next"}
      {"at": "0.9s", "do": "volume", "to": 0.3, "over": "500ms"}
      {"at": "1.1s", "do": "nextStage"}
      {"at": "1.6s", "do": "seek", "by": "2.7s"}
      {"at": "2.1s", "do": "overlay", "op": "stop"}
      {"at": "2.4s", "do": "gong", "sound": {"generate": "bowl"}}
      """)
    try await best(where: { (joint: Joint) in joint.isRight }) {
      let heard = try await hear(script)
      let file = scratch.path("rest.wav")
      let resumed = try await Prosper.run(["play", path, "--resume", "-o", file, "--encoding", "f32"], in: scratch)
      #expect(resumed.status == 0, "\(resumed.err)")
      let rest = try FloatWave(at: file).frames
      let reported = try #require(try resumed.events().compactMap { $0["session"] as? Double }.first)
      // Times are reported in milliseconds.
      let first = Int((reported * Double(Self.rate)).rounded())
      let starts = (max(0, first - 4)...first + 4).prefix { $0 < heard.count }
      let lengths = starts.map { zip(heard[$0...], rest).prefix { $0 == $1 }.count }
      let isSame = zip(starts, lengths).contains { $0 + $1 == heard.count }
      return Joint(first: first, last: heard.count, isSame: isSame, sameUpTo: first + (lengths.max() ?? 0))
    }
  }

  /// The frame at which the session was resumed, the frame at which it was killed, and whether the sound between them
  /// is the same.
  private struct Joint {
    var first: Int
    var last: Int
    var isSame: Bool
    var sameUpTo: Int

    var isRight: Bool { isSame && first < last - 500 && last - 3 * KilledRunsLiveTests.rate / 2 < first }
  }

  /// What was heard until the kill, after the script had run.
  private func hear(_ script: String) async throws -> [Frame] {
    let capture = try FIFOCapture(in: scratch)
    let words = ["play", path, "-o", "pipe:" + capture.path, "--script", script] + Self.live
    let killed = try await Prosper.run(words, in: scratch) {
      $0.waitUntilItSays(#""session":2.0"#)
      // The output runs dry, as on a machine that is too busy. No sound is skipped because of it.
      $0.send(SIGSTOP)
      letPass(seconds: 0.4)
      $0.send(SIGCONT)
      $0.waitUntilItSays(#""session":3.0"#)
      letPass(seconds: 0.7)
      $0.send(SIGKILL)
    }
    #expect(killed.status == -SIGKILL && killed.out.contains(#""event":"underrun""#))
    return try await capture.frames()
  }

  /// Half of the runs continue after the first save of the position, a second after the start; the others are killed
  /// before.
  private static func moments(_ count: Int, seed: UInt64) -> [Int] {
    var state = seed
    return (0..<count).map { number in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let chance = Int(state >> 33)
      return number.isMultiple(of: 2) ? chance % 1_300 : 1_300 + chance % 1_100
    }
  }

  /// What was heard: each run up to the frame at which the next one begins.
  private static func joined(_ runs: [Run]) -> [Frame] {
    let ends = runs.dropFirst().map(\.first) + [runs.last?.end ?? 0]
    return zip(runs, ends).flatMap { run, end in run.frames.prefix(end - run.first) }
  }

  /// Describes the first frame that differs from a session without joints, apart from the fade-in at each joint.
  private static func fault(of heard: [Frame], against whole: [Frame], joints: Set<Int>) -> String? {
    if heard.count != whole.count { return "\(heard.count) frames heard instead of \(whole.count)" }
    var joint = -fade
    for (index, (frame, plain)) in zip(heard, whole).enumerated() {
      if joints.contains(index) { joint = index }
      let gain = Float(FadeMath(rate: Double(rate)).smooth(min(1, Double(index - joint) / Double(fade))))
      let error = max(abs(frame.left - gain * plain.left), abs(frame.right - gain * plain.right))
      if fade <= index - joint ? frame != plain : 1e-6 <= error {
        return "frame \(index) differs, after the joint at \(joint)"
      }
    }
    return nil
  }
}
