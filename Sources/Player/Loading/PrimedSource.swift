import Schedule
import Engine
import Signal

/// A source that was opened in advance, and the frame at which it starts.
struct PrimedSource: Sendable {
  struct Need: Sendable, Hashable {
    var source: SoundSource
    /// Frames of the source before the first one that sounds.
    var offset: FrameCount
  }

  var need: Need
  var sound: PrimedSound
  /// How long that took.
  var seconds: Double
}

extension PrimedSource.Need {
  init(_ clip: Clip) { self.init(source: clip.source, offset: clip.begin - clip.at) }
}
