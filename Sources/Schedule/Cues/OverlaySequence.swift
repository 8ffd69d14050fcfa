import Signal
import Sounds

/// The sounds of an overlay in the order in which they play, one after the other from its beginning: a single sound with
/// its repeats, or a list of sounds, which is gone round.
extension Programme.Overlay {
  /// When the next sound begins.
  package struct Rhythm: Sendable, Hashable {
    /// Frames from the beginning of one sound to that of the next, with their fraction; nil: `delay` decides.
    package var interval: Double?
    /// Frames of silence between the end of one sound and the beginning of the next, with their fraction.
    package var delay = 0.0
  }

  package var rhythm: Rhythm { Rhythm(interval: interval, delay: delay) }

  /// The number of different entries, at least 1.
  var round: Int { 1 + following.count }

  /// Its sounds in order, each once.
  package var sounds: [Programme.Sound] { [sound] + following }

  /// The sound that plays at a time, which counts from 0.
  func sound(of time: Int) -> Programme.Sound {
    let index = time % round
    return index == 0 ? sound : following[index - 1]
  }

  /// The frames of the longest of its sounds.
  var longest: FrameCount { following.reduce(sound.length) { max($0, $1.length) } }

  /// Frames from the beginning of one sound to that of the next, with their fraction; infinite after a sound without an
  /// end that no interval ends.
  func step(after time: Int, in rhythm: Rhythm) -> Double {
    if let interval = rhythm.interval { return max(1, interval) }
    if rhythm.delay == 0, let loop { return max(1, loop.exact.frames) }
    let length = sound(of: time).length
    return length == .endless ? .infinity : max(1, Double(length) + rhythm.delay)
  }

  /// Frames from the beginning of one round of all sounds to that of the next.
  func roundLength(in rhythm: Rhythm) -> Double {
    (0..<round).reduce(0) { $0 + step(after: $1, in: rhythm) }
  }

  /// Frames from the beginning of the sound of one time to that of a later one.
  func distance(from first: Int, to last: Int, in rhythm: Rhythm) -> Double {
    let count = last - first
    if count <= 0 { return 0 }
    if following.isEmpty || rhythm.interval != nil { return Double(count) * step(after: first, in: rhythm) }
    let rounds = count / round
    let whole = rounds == 0 ? 0 : Double(rounds) * roundLength(in: rhythm)
    return (first + rounds * round..<last).reduce(whole) { $0 + step(after: $1, in: rhythm) }
  }

  /// How many of its sounds, from the first one on, another one follows at some time.
  package var followed: Int {
    if case .times(let count) = times { min(round, count - 1) } else { round }
  }

  /// Frames from the beginning of the first sound to the end of the last one as planned; nil if there is no last one.
  package var plannedLength: Double? {
    guard case .times(let count) = times, longest != .endless else { return nil }
    return distance(from: 0, to: count - 1, in: rhythm) + Double(sound(of: count - 1).length)
  }

  /// Whether a sound may begin before the one before it has ended.
  var overlaps: Bool { interval != nil }

  /// The exact length, if repeats without a delay between them are converted as one sound: nothing fades in or out.
  var loop: ResampledLength? {
    following.isEmpty && fadeIn.length == 0 && fadeOut.length == 0 ? sound.resampled : nil
  }
}
