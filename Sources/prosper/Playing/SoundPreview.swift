import ProsperKit

/// A session with one sound as its only overlay, with which a command plays that sound.
struct SoundPreview {
  var sound: Programme.Sound
  /// How long it plays, in frames of `SampleRate.studio`.
  var length: Int64
  /// How it begins and ends.
  var fade = FadeShape.none

  /// The playback, before it has begun.
  func playback(_ output: ChosenOutput) throws -> PlaybackRun {
    let stage = Programme.Stage(
      name: sound.title, duration: .frames(Double(length)), playlist: PlaylistManager([]))
    var programme = Programme(title: sound.title, rate: .studio, master: .unity, stages: [stage])
    programme.overlays = [Programme.Overlay(sound: sound, at: [.afterStart(0)], fadeIn: fade, fadeOut: fade)]
    return PlaybackRun(
      setup: try output.setup(of: programme, library: Sounds()), options: output.options, isStrict: true,
      interruptions: try Interruptions(), target: output.form.target)
  }
}
