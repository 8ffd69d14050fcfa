import Foundation
import Signal
import TestSupport

/// Something that goes wrong, what a listener hears, and how the test causes it.
struct Fault: Sendable {
  typealias Play = @Sendable (FaultEnvironment) async throws -> Prosper

  var name: String
  /// What is heard, in words, and whether it was heard.
  var heard: (words: String, check: @Sendable (FaultEnvironment, Prosper) throws -> Bool)
  /// The first run provides the row. The others add only their exit codes, after their names.
  var plays: [(name: String, play: Play)]
  /// The least number of seconds that the output has buffered when it asks for more. If the machine kept prosper
  /// waiting for longer, the output reports an underrun that does not belong to this row.
  var inHand = Double.infinity

  init(
    _ name: String, heard words: String, _ check: @escaping @Sendable (FaultEnvironment, Prosper) throws -> Bool,
    play: @escaping Play
  ) {
    self.name = name
    heard = (words, check)
    plays = [("", play)]
  }

  func or(_ name: String, _ play: @escaping Play) -> Fault {
    var fault = self
    fault.plays.append((name, play))
    return fault
  }

  func holding(_ seconds: Double) -> Fault {
    var fault = self
    fault.inHand = seconds
    return fault
  }

  /// The row of the table that the fault actually produces.
  func row() async throws -> String {
    var codes: [String] = []
    var cells: [String] = []
    for (name, play) in plays {
      let ground = try FaultEnvironment()
      let run = try await play(ground)
      codes.append("\(run.status)" + (name.isEmpty ? "" : " \(name)"))
      guard name.isEmpty else { continue }
      let isHeard = try heard.check(ground, run)
      cells = [
        isHeard ? heard.words : "not what is promised: \(run.err)", try events(run, ground), try counted(run, ground),
      ]
    }
    return "| \(name) | \(cells.joined(separator: " | ")) | \(codes.joined(separator: ", ")) |"
  }

  /// The unusual events, each once. If the session ends before anything is heard, its first sound may still be loading,
  /// depending on the machine. That load is then reported as cancelled.
  private func events(_ run: Prosper, _ ground: FaultEnvironment) throws -> String {
    var names: [String] = []
    let all = try run.events()
    let isUnheard = all.last?["played"] as? Double == 0
    for event in all {
      if isExcused(ground), event["of"] as? String == "output" { continue }
      if isUnheard, event["event"] as? String == "load.failed", event["code"] as? String == "cancelled" { continue }
      guard let name = event["event"] as? String else { continue }
      let isUnusual =
        name.hasPrefix("output.") || ["load.failed", "track.skipped", "underrun", "warning", "error"].contains(name)
      let shown = "`\(name)`" + ((event["code"] as? String).map { " \($0)" } ?? "")
      if isUnusual, !names.contains(shown) { names.append(shown) }
    }
    return names.joined(separator: ", ")
  }

  private func counted(_ run: Prosper, _ ground: FaultEnvironment) throws -> String {
    let events = try run.events()
    var last = events.last ?? [:]
    // Each underrun of the output is reported with its length.
    let reported = events.count { $0["of"] as? String == "output" && 0 < $0["milliseconds"] as? Double ?? 0 }
    if isExcused(ground), last["underruns"] as? Int == reported { last["underruns"] = 0 }
    return ["damaged", "underruns", "starved", "late"].compactMap { key in
      (last[key] as? Int).flatMap { 0 < $0 ? "\(key)" : nil }
    }.joined(separator: ", ")
  }

  /// Whether the machine is to blame for an underrun of the output.
  private func isExcused(_ ground: FaultEnvironment) -> Bool { inHand <= ground.wait.seconds }
}

/// A folder with a session: three seconds of a recording, then one second of a built-in sound.
struct FaultEnvironment: Sendable {
  static let rate = 8_000
  let scratch: Scratch
  let session: String
  let wait = ProcessorWait()
  /// The recording: three seconds in which the frames alternate between two levels.
  static let bed = (0..<3 * rate).map { Frame(mono: $0 % 2 == 0 ? 0.25 : 0.125) }

  init() throws {
    scratch = try Scratch()
    session = scratch.path("s.yaml")
    try plan(seconds: 3, rate: Self.rate)
    try put(TestWave.stereo(Self.bed, rate: Self.rate))
  }

  /// Writes the session so that the recording plays for this many seconds.
  func plan(seconds: Int, rate: Int) throws {
    _ = try scratch.write(
      "s.yaml",
      """
      prosper: 1
      title: Fault
      sampleRate: \(rate)
      stages:
        - {name: One, duration: \(seconds)s, crossfade: 0, tracks: [bed.wav]}
        - {name: Two, duration: 1s, crossfade: 0, tracks: ["generate:white"]}
      """)
  }

  var sound: String { scratch.path("bed.wav") }
  var output: String { scratch.path("out.wav") }

  func put(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: sound)) }

  func play(
    _ words: String..., environment: [String: String] = [:], program: [String]? = nil,
    whileRunning: @escaping @Sendable (Running) -> Void = { _ in }
  ) async throws -> Prosper {
    try await Prosper.run(
      ["play", session, "--no-control"] + words, environment: environment, in: scratch, program: program,
      whileRunning: whileRunning)
  }

  /// Plays the session while the recording is being overwritten.
  func playOverwritten(_ words: String...) async throws -> Prosper {
    // Longer than what is read ahead, with a pause for the overwriting.
    try put(TestWave.stereo(TestSound.noise(12 * 48_000), rate: 48_000))
    try plan(seconds: 12, rate: 48_000)
    let pause = try scratch.write("s.jsonl", #"{"at": 0.1, "do": "pause"}"# + "\n" + #"{"at": 2, "do": "resume"}"#)
    return try await Prosper.run(["play", session, "--no-control", "--script", pause] + words, in: scratch) {
      $0.waitUntilItSays("\"paused\"")
      try? put(Array("another".utf8))
    }
  }

  func render(_ words: String...) async throws -> Prosper {
    try await Prosper.run(
      ["play", session, "--no-control", "-o", output, "--encoding", "f32"] + words, in: scratch)
  }

  /// Whether the recording is heard up to `second`, and nothing later than 20 ms after it.
  func soundsUpTo(_ second: Double) throws -> Bool {
    let frames = try FloatWave(at: output).frames
    let (end, ramp) = (Int(second * Double(Self.rate)), Self.rate / 50)
    let isThere = frames.prefix(end - ramp)[...] == Self.bed.prefix(end - ramp)[...]
    return isThere && frames[(end + ramp)..<3 * Self.rate].allSatisfy { $0 == .silence }
      && frames.count == 4 * Self.rate
  }

  /// The recording as FLAC, with fifty damaged bytes in its middle.
  func damagedFLAC() async throws -> [UInt8] {
    let bed = try scratch.write(
      "bed.yaml",
      """
      prosper: 1
      title: Bed
      sampleRate: 8000
      stages:
        - {name: One, duration: 3s, crossfade: 0, tracks: [bed.wav]}
      """)
    let path = scratch.path("bed.flac")
    _ = try await Prosper.run(["play", bed, "--no-control", "-o", path], in: scratch)
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    for index in bytes.count / 2..<bytes.count / 2 + 50 { bytes[index] ^= 0xFF }
    return bytes
  }

  /// Whether the recording is heard except for `count` frames and the 5 ms after them, and is silent there after a fade
  /// of 5 ms.
  func soundsBut(_ count: Int) throws -> Bool {
    let frames = try FloatWave(at: output).frames
    let ramp = Self.rate / 200
    let end = 3 * Self.rate - ramp
    guard let first = (0..<end).first(where: { frames[$0] != Self.bed[$0] }) else { return false }
    let silence = first + ramp..<max(first + ramp, first + count)
    return frames[(first + count + ramp)..<end] == Self.bed[(first + count + ramp)..<end]
      && frames[silence].allSatisfy { $0 == .silence } && frames.count == 4 * Self.rate
  }

  /// Whether no new file remains.
  var isClean: Bool { ((try? scratch.names()) ?? []).allSatisfy { !$0.hasPrefix("out") && !$0.hasSuffix(".part") } }
}
