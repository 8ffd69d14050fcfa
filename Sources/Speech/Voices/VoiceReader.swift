import Files
import Markup

/// Reads one voice of `voices.yaml`. It continues after each mistake.
struct VoiceReader {
  private(set) var problems: [Diagnostic] = []
  private let name: String
  private let location: SourceLocation
  private var entries: [String: Node.Entry] = [:]
  /// The keys that are meant for one engine, by its name.
  private static let keys = ["espeak-ng": ["variant", "speed", "pitch"], "piper": ["model", "speaker", "length"]]
  /// The keys of all voices.
  private static let commonKeys = ["engine", "language", "program"]

  init(_ entry: Node.Entry) {
    (name, location) = (entry.key, entry.location)
    guard case .map(let list) = entry.value.content else {
      report(
        .invalidValue, entry.value.location, "the voice '\(shown(name))' is \(entry.value.kind)",
        "write its settings, such as {engine: espeak-ng, language: en-gb}")
      return
    }
    for key in list {
      if entries[key.key] != nil {
        report(.duplicateKey, key.location, "the key '\(shown(key.key))' appears twice", "keep one of them")
      }
      entries[key.key] = key
    }
  }

  mutating func report(_ code: Diagnostic.Code, _ location: SourceLocation, _ problem: String, _ fix: String) {
    problems.append(Diagnostic(code, location, problem, fix: fix))
  }

  /// The voice. If there are problems, it has placeholders.
  mutating func voice() -> Voice {
    guard problems.isEmpty else { return .standard }
    checkName()
    guard let engine = text("engine") else {
      if entries["engine"] == nil {
        report(
          .missingKey, location, "the voice '\(shown(name))' has no 'engine'",
          "write engine: espeak-ng or engine: piper")
      }
      return .standard
    }
    guard let own = Self.keys[engine] else {
      refuse("engine", Suggestion.fix(for: engine, among: Voice.Engine.names))
      return .standard
    }
    checkKeys(own + Self.commonKeys, of: engine)
    var voice = Voice(engine == "piper" ? .piper(piper()) : .espeak(espeak()))
    voice.language = language("language")
    voice.program = program()
    voice.location = location
    return voice
  }

  private mutating func checkName() {
    if name.allSatisfy(\.isWhitespace) { report(.invalidValue, location, "a voice has no name", "write a word") }
  }

  private mutating func checkKeys(_ keys: [String], of engine: String) {
    for entry in entries.values.sorted(by: { $0.location < $1.location }) where !keys.contains(entry.key) {
      report(
        .unknownKey, entry.location, "unknown key '\(shown(entry.key))' of a voice of \(engine)",
        Suggestion.fix(for: entry.key, among: keys))
    }
  }

  private mutating func espeak() -> Voice.EspeakSettings {
    var settings = Voice.EspeakSettings()
    settings.variant = language("variant")
    settings.speed = whole("speed", in: Voice.EspeakSettings.speeds) ?? settings.speed
    settings.pitch = whole("pitch", in: Voice.EspeakSettings.pitches) ?? settings.pitch
    return settings
  }

  private mutating func piper() -> Voice.PiperSettings {
    if entries["model"] == nil {
      report(.missingKey, location, "the voice '\(shown(name))' has no 'model'", "write the path of an .onnx file")
    }
    var settings = Voice.PiperSettings(model: text("model").map(path) ?? "")
    settings.speaker = whole("speaker", in: 0...100_000)
    settings.length = number("length", in: Voice.PiperSettings.lengths)
    return settings
  }

  /// An absolute path: it starts at the folder of the file, or with `~/` at the home folder.
  private func path(_ text: String) -> String {
    if text.hasPrefix("~/"), let home = ProcessInput.variable("HOME") { return home + text.dropFirst() }
    return text.hasPrefix("/") ? text : FilePath.folder(of: location.file) + "/" + text
  }

  /// A name without a slash stays one, and is searched in `PATH`.
  private mutating func program() -> String? {
    text("program").map { $0.contains("/") ? path($0) : $0 }
  }

  private mutating func refuse(_ key: String, _ fix: String) {
    guard let entry = entries[key] else { return }
    report(.invalidValue, entry.value.location, "'\(key)' is \(entry.value.found)", fix)
  }

  private mutating func text(_ key: String) -> String? {
    guard let entry = entries[key] else { return nil }
    if let text = entry.value.string, !text.allSatisfy(\.isWhitespace) { return text }
    refuse(key, "write text")
    return nil
  }

  /// A name that an engine gets as an argument.
  private mutating func language(_ key: String) -> String? {
    guard let text = text(key) else { return nil }
    let isName =
      text.first?.isLetter == true
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    if isName { return text }
    refuse(key, key == "language" ? "write a language such as de or en-gb" : "write a variant such as f3 or whisper")
    return nil
  }

  private mutating func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
    guard let entry = entries[key] else { return nil }
    if case .word(let word) = entry.value.content, Node.isNumber(word), let number = Double(word), range ~= number {
      return number
    }
    refuse(key, "write a number from \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  private mutating func whole(_ key: String, in range: ClosedRange<Int>) -> Int? {
    guard let entry = entries[key] else { return nil }
    if case .word(let word) = entry.value.content, Node.isNumber(word), let number = Int(word), range ~= number {
      return number
    }
    refuse(key, "write a whole number from \(range.lowerBound) to \(range.upperBound)")
    return nil
  }
}
