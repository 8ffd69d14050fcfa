import Engine
import Signal

/// A recipe for a certain rate, checked against its generator's description: every setting has a value within its
/// range.
struct Choice: Sendable {
  let seed: UInt64
  let rate: SampleRate
  private let values: [String: Double]

  /// Missing settings get their defaults; values outside the range are moved to its nearest end.
  init(_ recipe: Recipe, as description: GeneratorDescription, at rate: SampleRate) {
    seed = recipe.seed
    self.rate = rate
    values = Dictionary(description.settings.map { ($0.name, Self.value(of: $0, in: recipe)) }) { first, _ in first }
  }

  /// The value of a setting that the generator declares.
  subscript(_ name: String) -> Double {
    guard let value = values[name] else { preconditionFailure("'\(name)' is read, but is no declared setting") }
    return value
  }

  private static func value(of setting: GeneratorDescription.Setting, in recipe: Recipe) -> Double {
    guard let wanted = recipe.settings[setting.name], !wanted.isNaN else { return setting.standard }
    return max(setting.range.lowerBound, min(setting.range.upperBound, wanted))
  }
}
