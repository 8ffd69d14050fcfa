import Engine
import Markup
import Sounds
import Speech

/// Reads where a sound comes from: a path, an address, the recipe of a built-in sound, or a text that is spoken.
///
/// Nothing is opened here. Each method returns nil, with an error reported, if the text is not valid.
struct OriginReader {
  /// The generators that `"generate:NAME"` may name.
  let catalogue: [GeneratorDescription]
  /// The absolute folder at which relative paths start.
  let folder: String
  /// The folder in which a file is searched that `folder` does not contain; nil for no second search.
  let secondFolder: String?
  /// The absolute path that replaces the `~` of `~/`.
  let home: String?
  /// The language of the session, in which texts are spoken; nil if it states none.
  var language: String?
  let problems: Problems

  /// The keys that state the origin of a sound. A group has exactly one of them.
  static let keys = ["file", "generate", "url", "say"]
  /// The keys beside `say`.
  static let speechKeys = ["voice", "breath"]
  /// The keys that any sound group may have.
  static let commonKeys = ["start", "end", "volume", "title", "loudness"]
  /// The largest whole number that every JSON tool keeps exact, 2⁵³.
  static let largestSeed = 1 << 53

  /// The origin that the value of one of `keys` states.
  ///
  /// - Parameter fields: the group, with the settings of a built-in sound or of a voice.
  func origin(_ text: String, of key: String, at location: SourceLocation, _ fields: Fields) -> SoundSource.Origin? {
    switch key {
    case "url": remote(text, at: location)
    case "file": local(text, at: location)
    case "say": spoken(text, at: location, fields)
    default: recipe(text, at: location, fields)
    }
  }

  /// The origin that a text states which begins with `generate:`, or is an address or a path.
  func origin(_ text: String, at location: SourceLocation) -> SoundSource.Origin? {
    if text.hasPrefix("generate:") { return recipe(String(text.dropFirst(9)), at: location, nil) }
    if !Self.hasScheme(text) { return local(text, at: location) }
    return text.lowercased().hasPrefix("file://") ? fileAddress(text, at: location) : remote(text, at: location)
  }

  /// Whether a text is an origin, and not the name of a sound.
  static func isOrigin(_ text: String) -> Bool {
    text.hasPrefix("generate:") || hasScheme(text) || looksLikePath(text)
  }

  /// Whether a text is a path that starts at the folder of the file in which it stands.
  static func isRelativePath(_ text: String) -> Bool {
    looksLikePath(text) && !text.hasPrefix("generate:") && !hasScheme(text) && !text.hasPrefix("/")
      && !text.hasPrefix("~/")
  }

  /// The key and the value with which a group states an origin that is written as text; nil for the address of a local
  /// file, which no key has.
  static func entry(of text: String) -> (key: String, value: String)? {
    if text.hasPrefix("generate:") { return ("generate", String(text.dropFirst(9))) }
    if !hasScheme(text) { return ("file", text) }
    return text.lowercased().hasPrefix("file://") ? nil : ("url", text)
  }

  /// How to correct an origin that is written directly in a cue, as in `"overlays": [{"file": "a.wav"}]`; nil if the
  /// key does not describe a sound.
  static func fix(ofOrigin entry: Node.Entry) -> String? {
    guard keys.contains(entry.key), entry.key != "say", let text = entry.value.string else { return nil }
    let needsGroup = entry.key == "file" && !looksLikePath(text)
    let word = entry.key == "generate" ? "generate:" + text : text
    return "write \"sound\": " + (needsGroup ? "{\"file\": \"\(shown(text))\"}" : "\"\(shown(word))\"")
  }

  /// Whether a string contains a separator, starts with `~`, or ends with an extension that has a letter in it.
  static func looksLikePath(_ text: String) -> Bool {
    if text.contains("/") || text.hasPrefix("~") { return true }
    guard let dot = text.lastIndex(of: ".") else { return false }
    let suffix = text[dot...].dropFirst()
    return 1...5 ~= suffix.count && suffix.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      && suffix.contains(where: \.isLetter)
  }

  /// Whether a string begins like an address. A regular expression would be compiled for each string of the file.
  private static func hasScheme(_ text: String) -> Bool {
    guard text.contains("://"), let scheme = text.split(separator: ":", omittingEmptySubsequences: false).first else {
      return false
    }
    return text.dropFirst(scheme.count).hasPrefix("://") && scheme.first?.isLetter == true
      && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0)) }
  }

  /// Whether a sound plays until something stops it. Only generated sounds do; an explicit `end` makes any sound
  /// finite.
  func isEndless(_ sound: Session.Sound) -> Bool {
    guard case .generated(let recipe) = sound.source.origin, sound.source.end == nil else { return false }
    return catalogue.first { $0.name == recipe.generator }?.isEndless ?? false
  }

  /// An HTTP or HTTPS address. Only its shape is checked.
  private func remote(_ text: String, at location: SourceLocation) -> SoundSource.Origin? {
    let rest = ["http://", "https://"].first(where: text.lowercased().hasPrefix).map { text.dropFirst($0.count) }
    if let first = rest?.first, !"/?#".contains(first), !text.contains(where: \.isWhitespace) {
      return .remote(address: text)
    }
    problems.report(
      .invalidValue, location, "'\(shown(text))' is not an http or https address",
      fix: "write an address such as https://example.org/bell.flac")
    return nil
  }

  /// The path of a `file://` address on this computer.
  private func fileAddress(_ text: String, at location: SourceLocation) -> SoundSource.Origin? {
    let rest = text.dropFirst("file://".count)
    let path = rest.lowercased().hasPrefix("localhost/") ? rest.dropFirst("localhost".count) : rest
    if path.hasPrefix("/"), let decoded = Self.percentDecoded(path) { return local(decoded, at: location) }
    problems.report(
      .invalidValue, location, "'\(shown(text))' is not the address of a local file",
      fix: "write file:///folder/name, or the path alone")
    return nil
  }

  /// The text with its `%XX` escapes decoded; nil if an escape is malformed or the bytes are not UTF-8.
  private static func percentDecoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// A text with its voice. Whether the voice exists is found out when the text is spoken.
  private func spoken(_ text: String, at location: SourceLocation, _ fields: Fields) -> SoundSource.Origin? {
    var spoken = Spoken(text, voice: fields["voice"]?.name, language: language)
    spoken.breath = fields["breath"]?.duration ?? spoken.breath
    if let begin = text.firstRange(of: "${")?.lowerBound {
      let rest = text.suffix(from: begin)
      let use = rest.firstIndex(of: "}").map { rest.prefix(through: $0) } ?? rest
      problems.warn(
        .noEffect, location, "'say': '\(shown(use))' is spoken as it stands",
        fix: "declare it in 'parameters', or remove it")
    }
    do throws(SpeechMistake) {
      _ = try SpeechText.segments(of: spoken)
      return .spoken(spoken)
    } catch {
      problems.report(.invalidValue, location, "'say': \(error.problem)", fix: error.fix)
      return nil
    }
  }

  /// A local file.
  private func local(_ text: String, at location: SourceLocation) -> SoundSource.Origin? {
    if text.unicodeScalars.contains(where: \.isControl) || text.isEmpty {
      problems.report(.invalidValue, location, "'\(shown(text))' is not a path", fix: "write the path of a sound file")
      return nil
    }
    if text.hasPrefix("~/"), let home { return .file(path: home + text.dropFirst(1)) }
    if text.hasPrefix("/") { return .file(path: text) }
    let relative = text.hasPrefix("./") ? String(text.dropFirst(2)) : text
    let path = { (folder: String) in folder.hasSuffix("/") ? folder + relative : folder + "/" + relative }
    // Only a script has a second folder; reading other commands must not wait for a disk.
    guard let secondFolder, Session.fileProblem(path(folder)) != nil else { return .file(path: path(folder)) }
    return .file(path: path(secondFolder))
  }

  /// A built-in sound.
  ///
  /// - Parameter fields: the group with the seed and the settings; nil if the sound is written as a string.
  private func recipe(_ name: String, at location: SourceLocation, _ fields: Fields?) -> SoundSource.Origin? {
    guard let description = catalogue.first(where: { $0.name == name }) else {
      problems.report(
        .unknownName, location, "there is no built-in sound '\(shown(name))'",
        fix: Suggestion.fix(for: name, among: catalogue.map(\.name)))
      return nil
    }
    var recipe = Recipe(generator: name)
    guard let fields else { return .generated(recipe) }
    recipe.seed = UInt64(fields["seed"]?.wholeNumber(in: 0...Self.largestSeed) ?? 0)
    let keys = ["generate", "seed"] + (description.changing.isEmpty ? [] : ["points"]) + Self.commonKeys
    if let points = fields["points"], keys.contains("points") {
      recipe.points = PointReader(description, problems).points(points)
    }
    for entry in fields.others(than: keys) {
      guard let setting = description.settings.first(where: { $0.name == entry.key }) else {
        fields.reportUnknown(
          entry, in: "the built-in sound '\(name)'", keys: description.settings.map(\.name) + keys)
        continue
      }
      recipe.settings[entry.key] = fields[entry.key].flatMap { setting.value(of: $0, in: "'\(name)'") }
    }
    return .generated(recipe)
  }
}
