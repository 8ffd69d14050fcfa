import Foundation
import Signal
import TestSupport
import Testing

/// A session of two tracks in which every frame of the left channel is its own number, and such a sound on the right
/// channel for `paplay`, so that one capture holds both.
///
/// What the server or the capture loses is missing on both channels; what prosper loses is missing on the left only.
struct NumberedSession: Sendable {
  let scratch: Scratch
  private let seconds: Double
  let path: String
  /// The file that `paplay` plays.
  let control: String

  /// - Parameter seconds: The length of the stage. Each track lasts six seconds.
  init(seconds: Double) throws {
    self.seconds = seconds
    scratch = try Scratch()
    path = try scratch.write(
      "numbered.yaml",
      """
      prosper: 1
      title: Numbered
      sampleRate: 48000
      crossfade: {duration: 0}
      stages:
        - {name: One, duration: \(seconds)s, tracks: [first.wav, second.wav]}
      """)
    control = scratch.path("control.wav")
    try Self.record((0..<288_000).map { Frame(left: Stretch.sample($0), right: 0) }, at: scratch.path("first.wav"))
    try Self.record((0..<288_000).map { Frame(left: -Stretch.sample($0), right: 0) }, at: scratch.path("second.wav"))
    try Self.record((0..<960_000).map { Frame(left: 0, right: Stretch.sample($0)) }, at: control)
  }

  private static func record(_ frames: [Frame], at path: String) throws {
    try Data(TestWave.float(frames, rate: 48_000)).write(to: URL(fileURLWithPath: path))
  }

  /// What was heard on one sink, and how the program ended.
  struct Played {
    var run: Prosper
    var stretches: [Stretch]
    /// What was heard of `paplay`.
    var control: [Stretch]

    /// How often frames of prosper were lost or added, in a session without commands.
    var jumps: Int { max(0, stretches.count - 1) }
    /// How often frames of `paplay` were lost or added.
    var controlJumps: Int { max(0, control.count - 1) }
  }

  /// Plays the session together with `paplay`, both on the default sink, which is captured.
  ///
  /// - Parameters:
  ///   - whileRunning: Called on a thread that may block.
  ///   - whenListening: Called before anything is played.
  func play(
    on server: any SoundServer, options: [String] = [],
    whileRunning: @escaping @Sendable (Running) -> Void = { _ in },
    whenListening: @escaping @Sendable () throws -> Void = {}
  ) async throws -> Played {
    let hasEnded = Flag()
    let listening = LiveCapture(to: server) {
      hasEnded.isRaised && $0.frames.suffix(9_600).isSilentLeft
    }
    let paplay = try await onOwnThread { [control] in
      listening.waitUntilRunning()
      try whenListening()
      return try server.paplay(control)
    }
    let run = try await playAlone(on: server, options: options, whileRunning: whileRunning)
    hasEnded.raise()
    let frames = try await listening.frames()
    paplay.end()
    return Played(
      run: run, stretches: Stretch.all(in: frames.map(\.left)), control: Stretch.all(in: frames.map(\.right)))
  }

  func playAlone(
    on server: any SoundServer, options: [String] = [], whileRunning: @escaping @Sendable (Running) -> Void = { _ in }
  ) async throws -> Prosper {
    try await Prosper.run(
      ["play", path, "--no-control"] + options, environment: ["PULSE_SERVER": server.address], in: scratch,
      whileRunning: whileRunning)
  }

  /// The frame at which the final ramp of 20 ms begins, in a session of one track.
  var end: Int { Int(seconds * 48_000) - 959 }

  /// Expects that the session was played to its end, with these events of the output.
  func expectWhole(_ run: Prosper, outputs: [String]) throws {
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let events = try run.outputEvents()
    #expect(events.map { $0["event"] as? String } == outputs, "\(events)")
    let last = try #require(try run.events().last)
    #expect(last["reason"] as? String == "completed" && last["played"] as? Double == seconds)
  }
}

extension Prosper {
  /// Whether an underrun was reported: the machine stalled, and the session is played again.
  var ranDry: Bool { get throws { try events().last?["underruns"] as? Int != 0 } }

  /// The events of the output.
  func outputEvents() throws -> [[String: Any]] {
    try events().filter { ($0["event"] as? String)?.hasPrefix("output.") == true }
  }
}

extension Sequence<Frame> {
  var isSilentLeft: Bool { allSatisfy { $0.left == 0 } }
}

/// Successive frames of a numbered sound that were heard one after another.
struct Stretch: Equatable {
  enum Track { case first, second }

  var track: Track
  var gain: Float
  /// The number of the first frame, and how many frames there are.
  var start: Int
  var count: Int
  /// The position in the capture.
  var place: Int

  var end: Int { start + count }
  /// The position after the stretch.
  var placeAfter: Int { place + count }

  private static let step: Float = 1 / 0x1p21
  /// The frames of a ramp never look like successive numbers for so long.
  private static let shortest = 32

  static func sample(_ number: Int) -> Float { Float(number + 2) * step }

  /// All stretches, at full or half volume, in the order in which they were heard.
  static func all(in samples: [Float]) -> [Stretch] {
    var all: [Stretch] = []
    var begin = 0
    var rise: Float = 0
    for place in 1..<max(1, samples.count) {
      let difference = samples[place] - samples[place - 1]
      if difference == rise { continue }
      all += [stretch(of: samples[begin..<place], rising: rise)].compactMap { $0 }
      (begin, rise) = (place - 1, difference)
    }
    return all + [stretch(of: samples[begin...], rising: rise)].compactMap { $0 }
  }

  private static func stretch(of samples: ArraySlice<Float>, rising: Float) -> Stretch? {
    let gain = abs(rising) / step
    guard shortest <= samples.count, gain == 1 || gain == 0.5, let first = samples.first else { return nil }
    let number = first / rising - 2
    guard 0 <= number, number == number.rounded() else { return nil }
    return Stretch(
      track: rising < 0 ? .second : .first, gain: gain, start: Int(number), count: samples.count,
      place: samples.startIndex)
  }
}
