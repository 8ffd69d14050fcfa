import Schedule
import Engine
import Signal

/// A sound that was opened before an edit.
struct PrimedSource: Sendable {
  /// What a clip needs opened: a source from a frame on.
  struct Need: Sendable, Hashable {
    var source: SoundSource
    /// Frames of the source before the first one that plays.
    var offset: FrameCount
  }

  var need: Need
  /// The opened sound, or the reason why it can't be opened.
  var result: LoadTicket<PrimedSound>.Result
}

extension PrimedSource.Need {
  init(_ clip: Clip) { self.init(source: clip.source, offset: clip.begin - clip.at) }
}
