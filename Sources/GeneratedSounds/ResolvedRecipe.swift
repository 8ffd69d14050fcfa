import Signal
import Sounds

/// A recipe with all its settings, for a certain rate. Every setting of the generator has a value within its range.
struct ResolvedRecipe: Sendable {
  let seed: UInt64
  let rate: SampleRate
  private let values: [String: Double]
  /// For each setting that points change, its course.
  private let courses: [String: [(seconds: Double, value: Double)]]

  /// Missing settings get their defaults; values outside the range are moved to its nearest end.
  init(_ recipe: Recipe, as description: GeneratorDescription, at rate: SampleRate) {
    seed = recipe.seed
    self.rate = rate
    values = Dictionary(description.settings.map { ($0.name, Self.value(of: $0, in: recipe)) }) { first, _ in first }
    let changes = description.changing.map { setting in
      let points = recipe.points.compactMap { point in
        point.settings[setting.name].map { (seconds: point.at, value: Self.limited($0, to: setting)) }
      }
      return (setting.name, points.filter { 0 <= $0.seconds && !$0.value.isNaN })
    }
    courses = Dictionary(changes) { first, _ in first }
  }

  /// How points change a setting, by frame and with its values multiplied by a factor; nil if they leave it as it is.
  func course(of name: String, times factor: Double = 1) -> Course? {
    Course((courses[name] ?? []).map { ($0.seconds * Double(rate.hertz), $0.value * factor) })
  }

  /// The value of a setting. Every generator reads only settings that its description declares.
  subscript(_ name: String) -> Double {
    guard let value = values[name] else { preconditionFailure("'\(name)' is read, but is no declared setting") }
    return value
  }

  private static func value(of setting: GeneratorDescription.Setting, in recipe: Recipe) -> Double {
    guard let wanted = recipe.settings[setting.name], !wanted.isNaN else { return setting.standard }
    return limited(wanted, to: setting)
  }

  private static func limited(_ value: Double, to setting: GeneratorDescription.Setting) -> Double {
    max(setting.range.lowerBound, min(setting.range.upperBound, value))
  }
}
