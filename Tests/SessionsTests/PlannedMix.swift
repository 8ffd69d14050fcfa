import Schedule
import Signal
import Sounds

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// The sound of a session, computed frame by frame from its timeline alone: the sound of each clip with its fades, and
/// the music with its ducks, as closed forms of the frame.
struct PlannedMix {
  private struct Voice {
    var clip: Clip
    var sound: any Decoder
  }

  private let library: any SoundLibrary
  private let rate: SampleRate
  private let master: Float
  private let ducking: [Clip]
  private var waiting: [Clip]
  private var voices: [Voice] = []
  private(set) var position: FrameTime = 0

  init(of timeline: Timeline, from library: any SoundLibrary) {
    self.library = library
    rate = timeline.rate
    master = timeline.master.linear
    let cues = timeline.cues + timeline.stages.flatMap(\.cues)
    ducking = cues.filter { $0.duck != nil }
    let music = timeline.stages.flatMap { Array($0.music.clips) }
    waiting = (music + cues).sorted { $0.at > $1.at }
  }

  /// The next frames.
  mutating func next(_ count: Int) throws -> [Frame] {
    let span = position..<position + FrameTime(count)
    while let clip = waiting.last, clip.at < span.upperBound {
      waiting.removeLast()
      let sound = try library.open(clip.source, at: rate, from: 0)
      voices.append(Voice(clip: clip, sound: sound))
    }
    var mix = [Frame](repeating: .silence, count: count)
    for voice in voices { try add(voice, to: &mix, in: span) }
    voices.removeAll { $0.clip.end <= span.upperBound }
    position = span.upperBound
    return mix
  }

  private func add(_ voice: Voice, to mix: inout [Frame], in span: Range<FrameTime>) throws {
    let clip = voice.clip
    let part = max(clip.at, span.lowerBound)..<min(clip.end, span.upperBound)
    guard !part.isEmpty else { return }
    var frames = [Frame](repeating: .silence, count: part.count)
    let held = frames.withUnsafeMutableBufferPointer { voice.sound.read(into: $0) }
    let fades = [clip.fadeIn, clip.fadeOut, clip.leave].compactMap(\.self) + ducks(of: clip)
    let level = clip.gain.linear * master
    let changing = fades.filter { part.lowerBound < $0.end && $0.start < part.upperBound }
    let constant = fades.reduce(level) { $1.end <= part.lowerBound ? $0 * $1.to : $0 }
    let before = fades.reduce(constant) { part.upperBound <= $1.start ? $0 * $1.from : $0 }
    for index in 0..<held {
      let frame = part.lowerBound + FrameTime(index)
      var gain = before
      for fade in changing { gain *= fade.gain(at: frame) }
      let location = Int(frame - span.lowerBound)
      mix[location] = mix[location] + frames[index] * gain
    }
  }

  /// The fades with which the music is ducked and returns.
  private func ducks(of clip: Clip) -> [Fade] {
    guard clip.layer == .music else { return [] }
    return ducking.flatMap { overlay -> [Fade] in
      guard let duck = overlay.duck else { return [] }
      let depth = duck.depth.linear
      let down = Fade(from: 1, to: depth, start: overlay.at, length: duck.attack, curve: .sCurve)
      guard overlay.end != .endless else { return [down] }
      // Relative to the depth at which the attack has left it.
      return [down, Fade(from: 1, to: 1 / depth, start: overlay.end, length: duck.release, curve: .sCurve)]
    }
  }
}
