import Foundation
import Signal
import TestSupport

/// The session of three stages with its listener: half an hour, or a hundredth of it. The music is on the left; voices,
/// beeps and gongs are on the right. All levels are constant, so that every fade can be measured.
struct ReferenceSession {
  /// Samples per second.
  var rate: Int
  /// How many times shorter than half an hour it is.
  var scale: Double
  /// In seconds. Crossfades and the final fade-out are not scaled with the rest.
  var crossfade: Double
  var fadeOut: Double
  /// The progress of three crossfades when they are paused.
  var paused: [Double]

  static let whole = ReferenceSession(rate: 8_000, scale: 1, crossfade: 10, fadeOut: 3, paused: [0.45, 0.8, 0.47])
  /// In a live session a pause comes some hundredths of a second late, so the early pauses are far from the middle.
  static let live = ReferenceSession(
    rate: 48_000, scale: 100, crossfade: 1, fadeOut: 0.5, paused: [0.36, 0.8, 0.36])

  static let volume = 0.8
  static let music = ["intro": 0.2, "practice": 0.3, "closing": 0.25]
  static let voices = ["breathing": 0.05, "peace": 0.1, "love": 0.15, "gratitude": 0.2, "guidance": 0.08]
  static let mantras = ["peace", "love", "gratitude"]
  /// Sixteen switches, each while the voice before it sounds, in seconds of the whole session.
  static let switches = (0..<16).map { (at: 330 + 72 * Double($0), voice: mantras[$0 % 3]) }
  /// The times of all beeps and gongs of the whole session, in seconds.
  static let strikes: [Double] = [
    297, 298, 299, 300, 600, 900, 1_200, 1_497, 1_498, 1_499, 1_500, 1_780, 1_783, 1_786,
  ]

  private func scaled(_ seconds: Double) -> String { "\(seconds / scale)" }

  private var overlay: String { "fadeIn: \(scaled(1)), fadeOut: \(scaled(1))" }

  private func at(_ seconds: [Double]) -> String { "[" + seconds.map(scaled).joined(separator: ", ") + "]" }

  private var mantraLines: String {
    Self.mantras.map { name in
      let times = Self.switches.filter { $0.voice == name }.map { $0.at - 300 }
      return "      - {sound: \(name).wav, at: \(at(times)), \(overlay)}"
    }.joined(separator: "\n")
  }

  var text: String {
    """
    prosper: 1
    title: Three stages
    sampleRate: \(rate)
    volume: \(Self.volume)
    crossfade: {duration: \(crossfade), curve: equalPower}
    fadeIn: \(scaled(2))
    stages:
      - name: Introduction
        duration: \(scaled(300))
        tracks: [intro.wav]
        overlays: [{sound: breathing.wav, at: \(at([5, 90, 165])), \(overlay)}]
        gongs:
          - {sound: beep.wav, at: [-\(scaled(3)), -\(scaled(2)), -\(scaled(1))], volume: 0.5}
          - {sound: gong.wav, at: end}
      - name: Practice
        duration: \(scaled(1_200))
        tracks: [practice.wav]
        overlays:
    \(mantraLines)
        gongs:
          - {sound: gong.wav, every: \(scaled(300)), count: 3}
          - {sound: beep.wav, at: [-\(scaled(3)), -\(scaled(2)), -\(scaled(1))], volume: 0.5}
          - {sound: gong.wav, at: end}
      - name: Closing
        duration: \(scaled(360))
        tracks: [closing.wav]
        overlays: [{sound: guidance.wav, at: \(scaled(30)), \(overlay)}]
        gongs: [{sound: gong.wav, at: \(scaled(280)), strikes: 3, spacing: \(scaled(3))}]
    """
  }

  /// The listener pauses during a voice and during crossfades, for seconds and for minutes, and ends the session before
  /// its last minute.
  ///
  /// - Parameters:
  ///   - long, short: The lengths of the pauses in seconds.
  ///   - within: How far the progress of a paused crossfade may be from the intended one.
  func script(long: Double, short: Double, within: Double) -> String {
    let fading = { (stage: String, progress: Double, pause: Double) in
      """
      {"when":{"state":"crossfading","stage":"\(stage)","progress":\(progress)},"do":"pause"}
      {"after":0,"expect":{"state":"crossfadePaused","progress":\(progress),"within":\(within)}}
      {"after":\(pause),"do":"resume"}

      """
    }
    let playing = { (second: Double, pause: Double) in
      """
      {"when":{"session":\(scaled(second))},"do":"pause"}
      {"after":0,"expect":{"state":"paused"}}
      {"after":\(pause),"do":"resume"}
      {"after":0,"expect":{"state":"playing"}}

      """
    }
    return fading("Practice", paused[0], long) + playing(435, short) + playing(720, long)
      + fading("Practice", paused[1], short) + fading("Closing", paused[2], short) + playing(1_620, short)
        + """
        {"when":{"session":\(scaled(1_797))},"do":"finish","fade":\(fadeOut)}
        {"at":"end","expect":{"state":"finished","event":"gong","count":14}}
        {"at":"end","expect":{"event":"overlay.started","count":20}}
        {"at":"end","expect":{"event":"underrun","count":0}}
        """
  }

  /// Writes the recordings and the session into a folder, and returns the path of the session.
  func write(in scratch: Scratch) throws -> String {
    for (name, length) in [("intro", 450.0), ("practice", 600), ("closing", 470)] {
      try record(name, seconds: length / scale, in: scratch) { _ in (Float(Self.music[name] ?? 0), 0) }
    }
    for (name, level) in Self.voices {
      try record(name, seconds: 80 / scale, in: scratch) { _ in (0, Float(level)) }
    }
    for (name, length) in [("beep", 0.5), ("gong", 20)] {
      try record(name, seconds: length / scale, in: scratch) { part in (0, 0.3 * (1 - part)) }
    }
    return try scratch.write("three-stages.yaml", text)
  }

  /// - Parameter sample: The left and the right sample at a position in the recording, from 0 to 1.
  private func record(
    _ name: String, seconds: Double, in scratch: Scratch, sample: (Float) -> (left: Float, right: Float)
  ) throws {
    let count = Int((seconds * Double(rate)).rounded())
    var frames = Array(repeating: Frame(left: sample(0).left, right: sample(0).right), count: count)
    if sample(0) != sample(1) {
      for index in frames.indices {
        let (left, right) = sample(Float(index) / Float(count))
        frames[index] = Frame(left: left, right: right)
      }
    }
    let file = Data(TestWave.float(frames, rate: rate))
    try file.write(to: URL(fileURLWithPath: scratch.path("\(name).wav")))
  }
}
