import Schedule
import Signal
import Sounds

/// A crossfade as it was last reported.
struct ReportedCrossfade: Sendable {
  var from: PlayingTrack
  var to: PlayingTrack
  /// The fade-in of the incoming track; its length is that of the crossfade.
  var fade: Fade
  /// The frame of the next `crossfade.progress` event.
  var nextProgress: FrameTime

  func startEvent(at rate: SampleRate) -> PlayerEvent {
    .crossfadeStarted(from: from.track.title, to: to.track.title, duration: rate.seconds(fade.length))
  }

  /// Makes the next progress event earlier, when the interval is shortened from `old` to `step` frames. It becomes the
  /// first one at or after `frame` at a multiple of `step` from its previous frame.
  mutating func advanceProgress(to frame: FrameTime, every step: FrameCount, insteadOf old: FrameCount) {
    guard frame < nextProgress else { return }
    nextProgress -= min(nextProgress - frame, old - step) / step * step
  }

  /// The gains and positions at `frame`; nil if the crossfade has no length.
  ///
  /// - Parameter age: seconds of the clock by which the snapshot becomes stale.
  func snapshot(of tracks: PlayingTracks, at frame: FrameTime, age: Double) -> CrossfadePauseSnapshot? {
    try? CrossfadePauseSnapshot(
      activeVolume: min(1, from.clip.fadeGain(at: frame)), inactiveVolume: min(1, to.clip.fadeGain(at: frame)),
      activePosition: tracks.position(in: from.clip, at: frame),
      inactivePosition: tracks.position(in: to.clip, at: frame),
      originalDuration: tracks.rate.seconds(fade.length), curve: fade.curve, taken: age)
  }
}
