import Markup
import Sounds

/// Reads built-in sounds and their settings, and checks them against the catalogue of generators.
extension SessionParser {
  private static let keys = ["generate", "seed", "start", "end", "volume", "title"]
  /// The largest whole number that every JSON tool keeps exact, 2⁵³.
  private static let largestSeed = 1 << 53

  /// The recipe of a built-in sound; nil, with an error reported, if there is no such sound.
  ///
  /// - Parameter fields: the group with the seed and the settings; nil if the sound is written as a string.
  mutating func recipe(_ name: String, at location: SourceLocation, _ fields: Fields?) -> Recipe? {
    guard let description = catalogue.first(where: { $0.name == name }) else {
      let catalogue = catalogue
      report(
        location, "there is no built-in sound '\(shown(name))'",
        fix: Suggestion.fix(for: name, among: catalogue.map(\.name)))
      return nil
    }
    var recipe = Recipe(generator: name)
    guard let fields else { return recipe }
    recipe.seed = UInt64(wholeNumber(fields["seed"], "seed", in: 0...Self.largestSeed) ?? 0)
    for entry in fields.entries.values where !Self.keys.contains(entry.key) {
      recipe.settings[entry.key] = setting(entry, of: description)
    }
    return recipe
  }

  /// The value of one setting; nil, with an error reported, if the generator has no such setting or the value is
  /// outside its range.
  private mutating func setting(_ entry: Node.Entry, of description: GeneratorDescription) -> Double? {
    guard let setting = description.settings.first(where: { $0.name == entry.key }) else {
      reportUnknown(
        entry, in: "the built-in sound '\(description.name)'", keys: description.settings.map(\.name) + Self.keys)
      return nil
    }
    guard let value = number(entry.value, entry.key) else { return nil }
    if setting.range.contains(value) { return value }
    report(
      entry.value.location, "'\(entry.key)' of '\(description.name)' is \(entry.value.found)",
      fix: "write a number from \(Spelling.plain(setting.range.lowerBound)) to "
        + Spelling.plain(setting.range.upperBound))
    return nil
  }

  /// Whether a sound plays until something stops it. Only generated sounds do; an explicit `end` makes any sound
  /// finite.
  func isEndless(_ sound: Session.Sound) -> Bool {
    guard case .generated(let recipe) = sound.source.origin, sound.source.end == nil else { return false }
    return catalogue.first { $0.name == recipe.generator }?.isEndless ?? false
  }
}
