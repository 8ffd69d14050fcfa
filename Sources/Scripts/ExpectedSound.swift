package import Markup
package import Schedule

/// What a script expects of the sound of a render.
package struct ExpectedSound: Sendable, Hashable {
  /// A measured value.
  package enum Measure: String, Sendable, Hashable, CaseIterable {
    case loudness, truePeak, peak, rms, silence, clipped, length

    /// The unit in messages; empty for a count.
    var unit: String {
      switch self {
      case .loudness: " LUFS"
      case .truePeak: " dBTP"
      case .peak, .rms: " dBFS"
      case .silence, .length: " s"
      case .clipped: ""
      }
    }

    /// How far a value may be from an expected number, unless the script says it.
    var tolerance: Double {
      switch self {
      case .loudness, .truePeak, .peak, .rms: 0.5
      case .silence, .length: 0.01
      case .clipped: 0
      }
    }
  }

  /// The second of session time at which the measured span begins; nil for the whole output, with the silence that is no
  /// part of the session.
  package var from: Double?
  /// The second of session time at which it ends; nil for the end of the session.
  package var to: Double?
  /// The layer that is measured, before the master volume; nil for the output.
  package var layer: Layer?
  /// The accepted values.
  package var bounds: [Measure: ClosedRange<Double>] = [:]
  /// The position of the line, for failures.
  package var location: SourceLocation

  package init(at location: SourceLocation) { self.location = location }
}
