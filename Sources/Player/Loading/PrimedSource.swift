import Engine
import Schedule
import Signal
import Sounds

/// A sound that was opened before an edit.
struct PrimedSource: Sendable {
  /// What a clip needs opened: a source from a frame on.
  struct Need: Sendable, Hashable {
    var source: SoundSource
    /// Frames of the source before the first one that plays.
    var offset: FrameCount
    /// How it joins the sounds before and after it.
    var join: SoundJoin?
  }

  var need: Need
  /// The opened sound, or the reason why it can't be opened.
  var result: LoadTicket<PrimedSound>.Result

  /// Whether the events of the load have been emitted.
  var isTold = false

  var isOpen: Bool { if case .success = result { true } else { false } }

  /// This source for a clip that needs it from the same frame on, or from a slightly later one, because a relative seek
  /// took effect later than it was prepared for; nil if it does not suit the clip.
  ///
  /// - Parameter exactly: whether only the same frame suits. A render opens its sounds without haste.
  func suiting(_ wanted: Need, exactly: Bool) -> PrimedSource? {
    if need == wanted { return self }
    guard !exactly, need.source == wanted.source, need.join == wanted.join, case .success(let opened) = result,
      let rest = opened.value.skipping(wanted.offset - need.offset)
    else { return nil }
    return PrimedSource(need: wanted, result: .success(Loaded(value: rest, seconds: opened.seconds)), isTold: isTold)
  }
}

extension PrimedSource.Need {
  init(_ clip: Clip) { self.init(source: clip.source, offset: clip.begin - clip.at, join: clip.join) }
}
