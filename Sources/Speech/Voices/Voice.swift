package import Markup

/// Who speaks: an engine with its settings.
package struct Voice: Hashable, Sendable {
  /// The programs that can speak.
  package enum Engine: Hashable, Sendable {
    case espeak(EspeakSettings)
    case piper(PiperSettings)

    /// The names in `voices.yaml`.
    package static let names = ["espeak-ng", "piper"]

    /// The name in `voices.yaml`.
    package var name: String {
      switch self {
      case .espeak: Self.names[0]
      case .piper: Self.names[1]
      }
    }
  }

  /// The settings of espeak-ng.
  package struct EspeakSettings: Hashable, Sendable {
    /// The words per minute that espeak-ng accepts, and those that are usual here.
    package static let (speeds, standardSpeed) = (80...450, 150)
    /// The pitches that espeak-ng accepts, and its own one.
    package static let (pitches, standardPitch) = (0...99, 50)

    /// The variant of the voice, such as `f3`; nil for none.
    package var variant: String?
    /// Words per minute.
    package var speed = standardSpeed
    /// How high the voice is.
    package var pitch = standardPitch

    package init() {}
  }

  /// The settings of Piper.
  package struct PiperSettings: Hashable, Sendable {
    /// The lengths that `length` can have.
    package static let lengths = 0.3...3.0

    /// The absolute path of the model.
    package var model: String
    /// The number of the speaker; nil for the first one.
    package var speaker: Int?
    /// How long sounds last, in relation to the model's own speed; nil for 1.
    package var length: Double?

    package init(model: String) { self.model = model }
  }

  /// The engine with its settings.
  package var engine: Engine
  /// The language as `de` or `en-GB`; nil for that of the session.
  package var language: String?
  /// The name or the absolute path of the program; nil for the name of the engine.
  package var program: String?
  /// Where `voices.yaml` describes it; nil for a voice that is not described.
  package var location: SourceLocation?

  package init(_ engine: Engine, language: String? = nil) { (self.engine, self.language) = (engine, language) }

  /// The voice of a text that names none.
  package static let standard = Voice(.espeak(EspeakSettings()))
}
