import Signal
import Sounds

/// A recipe with all its settings, for a certain rate. Every setting of the generator has a value within its range.
struct ResolvedRecipe: Sendable {
  let seed: UInt64
  let rate: SampleRate
  private let values: [String: Double]

  /// Missing settings get their defaults; values outside the range are moved to its nearest end.
  init(_ recipe: Recipe, as description: GeneratorDescription, at rate: SampleRate) {
    seed = recipe.seed
    self.rate = rate
    values = Dictionary(description.settings.map { ($0.name, Self.value(of: $0, in: recipe)) }) { first, _ in first }
  }

  /// The value of a setting. Every generator reads only settings that its description declares.
  subscript(_ name: String) -> Double {
    guard let value = values[name] else { preconditionFailure("'\(name)' is read, but is no declared setting") }
    return value
  }

  private static func value(of setting: GeneratorDescription.Setting, in recipe: Recipe) -> Double {
    guard let wanted = recipe.settings[setting.name], !wanted.isNaN else { return setting.standard }
    return max(setting.range.lowerBound, min(setting.range.upperBound, wanted))
  }
}
