package import Signal

/// The length, in frames, and the curve of a fade or crossfade.
package struct FadeShape: Sendable, Hashable, Codable {
  package var length: FrameCount
  package var curve: FadeCurve

  package init(length: FrameCount, curve: FadeCurve) {
    self.length = length
    self.curve = curve
  }

  /// No fade.
  package static let none = FadeShape(length: 0, curve: .equalPower)
}

/// How the music of a stage ends.
package struct MusicEnding: Sendable, Hashable {
  package enum Kind: Sendable {
    /// The music fades out while the next stage fades in. If the music ends before the fade does, the fade is
    /// shortened.
    case crossfade
    /// The music fades out at the end of the session.
    case fadeOut
    /// The music stops. Only a track that would continue fades out, to prevent a click.
    case cut
  }

  package var kind: Kind
  /// The fade-out as a function of the session frame.
  package var fade: Fade

  package init(_ kind: Kind, _ fade: Fade) {
    self.kind = kind
    self.fade = fade
  }

  /// The first frame at which the stage's music is silent.
  package var end: FrameTime { fade.end }
}
