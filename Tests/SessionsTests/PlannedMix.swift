import Engine
import Player
import Signal

/// A programme's sound worked out from its plan alone, frame by frame: each placement's own sound under the closed forms
/// of its fades, the music under those of what it steps back for.
struct PlannedMix {
  private struct Voice {
    var placement: Placement
    var sound: any Decoder
  }

  private let library: any SoundLibrary
  private let rate: SampleRate
  private let master: Float
  private let ducking: [Placement]
  private var waiting: [Placement]
  private var voices: [Voice] = []
  private(set) var position: FrameTime = 0

  init(of programme: Programme, from library: any SoundLibrary) {
    self.library = library
    rate = programme.rate
    master = programme.master.linear
    let cues = programme.cues + programme.stages.flatMap(\.cues)
    ducking = cues.filter { $0.duck != nil }
    let music = programme.stages.flatMap { Array($0.music.passages) }
    waiting = (music + cues).sorted { $0.at > $1.at }
  }

  /// The next frames.
  mutating func next(_ count: Int) throws -> [Frame] {
    let span = position..<position + FrameTime(count)
    while let placement = waiting.last, placement.at < span.upperBound {
      waiting.removeLast()
      let sound = try library.open(placement.source, at: rate, from: placement.offset)
      voices.append(Voice(placement: placement, sound: sound))
    }
    var mix = [Frame](repeating: .silence, count: count)
    for voice in voices { try add(voice, to: &mix, in: span) }
    voices.removeAll { $0.placement.end <= span.upperBound }
    position = span.upperBound
    return mix
  }

  private func add(_ voice: Voice, to mix: inout [Frame], in span: Range<FrameTime>) throws {
    let placement = voice.placement
    let part = max(placement.at, span.lowerBound)..<min(placement.end, span.upperBound)
    guard !part.isEmpty else { return }
    var frames = [Frame](repeating: .silence, count: part.count)
    let held = frames.withUnsafeMutableBufferPointer { voice.sound.read(into: $0) }
    let fades = [placement.fadeIn, placement.fadeOut, placement.leave].compactMap(\.self) + ducks(of: placement)
    let level = placement.gain.linear * master
    let changing = fades.filter { part.lowerBound < $0.end && $0.start < part.upperBound }
    let constant = fades.reduce(level) { $1.end <= part.lowerBound ? $0 * $1.to : $0 }
    let before = fades.reduce(constant) { part.upperBound <= $1.start ? $0 * $1.from : $0 }
    for index in 0..<held {
      let frame = part.lowerBound + FrameTime(index)
      var gain = before
      for fade in changing { gain *= fade.gain(at: frame) }
      let place = Int(frame - span.lowerBound)
      mix[place] = mix[place] + frames[index] * gain
    }
  }

  /// How the music steps back, and comes forward again.
  private func ducks(of placement: Placement) -> [Fade] {
    guard placement.layer == .music else { return [] }
    return ducking.flatMap { overlay -> [Fade] in
      guard let duck = overlay.duck else { return [] }
      let depth = duck.depth.linear
      let down = Fade(from: 1, to: depth, start: overlay.at, length: duck.attack, curve: .sCurve)
      guard overlay.end != .endless else { return [down] }
      // Relative to the depth, where the attack has left it.
      return [down, Fade(from: 1, to: 1 / depth, start: overlay.end, length: duck.release, curve: .sCurve)]
    }
  }
}
