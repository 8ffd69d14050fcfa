import Files
import Markup
package import Sounds

/// espeak-ng, which knows many languages.
struct EspeakEngine: SpeechEngine {
  let name = "espeak-ng"
  let program: String
  let arguments: [String]
  let version: String

  /// - Parameters:
  ///   - language: that of the text; nil for English.
  ///   - installation: the program and what it offers.
  ///   - place: that of the voice in `voices.yaml`.
  init(
    _ settings: Voice.EspeakSettings, language: String?, _ installation: EspeakInstallation, at place: String
  ) throws(SpeechFailure) {
    guard let voice = installation.voice(for: language ?? "en") else {
      throw .unknownLanguage(
        language: language ?? "en",
        remedy: "write one that espeak-ng has, or name a voice of another engine")
    }
    // espeak-ng itself would speak without the variant, and say nothing.
    if let variant = settings.variant, !installation.variants.isEmpty, !installation.variants.contains(variant) {
      let fix = Suggestion.fix(for: variant, among: installation.variants)
      throw .invalidVoice(problem: "\(place): espeak-ng has no variant '\(shown(variant))'; \(fix)")
    }
    let variant = settings.variant.map { "+" + $0 } ?? ""
    // UTF-8, without SSML; the text comes from stdin.
    arguments =
      ["-v", voice + variant, "-s", "\(settings.speed)", "-p", "\(settings.pitch)", "-b", "1"]
      + ["--stdin", "--stdout"]
    (program, version) = (installation.program, installation.version)
  }
}

/// The espeak-ng of this computer.
package struct EspeakInstallation: Sendable {
  /// A voice that it offers.
  package struct Offer: Hashable, Sendable {
    /// The language, as `de` or `en-gb`.
    package let language: String
    /// The name for people, such as "German".
    package let title: String
  }

  let program: String
  /// The first line of `espeak-ng --version`.
  let version: String
  /// In the order of espeak-ng; of several voices of one language the preferred one.
  package let offers: [Offer]
  /// The names that a voice can have as its `variant`, such as `f3`; empty if they are not known.
  let variants: [String]

  /// Asks the program; takes some milliseconds.
  ///
  /// - Parameter wanted: the name or path of the program; nil for `espeak-ng`.
  package init(_ wanted: String? = nil, folders: String? = ProcessInput.variable("PATH")) throws(SpeechFailure) {
    let name = wanted ?? "espeak-ng"
    guard let file = ProgramFile(program: name, folders: folders) else {
      throw .missingEngine(
        program: name,
        remedy: wanted == nil ? "install it with 'apt install espeak-ng'" : "correct 'program' in voices.yaml")
    }
    program = file.path
    do throws(SpeechFailure.Fault) {
      let limits = EngineProcess.Limits(seconds: 10, bytes: 1 << 20)
      version = Self.firstLine(try EngineProcess.run(program, ["--version"], limits: limits))
      offers = Self.offers(
        in: String(decoding: try EngineProcess.run(program, ["--voices"], limits: limits), as: UTF8.self))
      variants = Self.variants(
        in: String(decoding: try EngineProcess.run(program, ["--voices=variant"], limits: limits), as: UTF8.self))
    } catch { throw .engine(program: name, error) }
  }

  private static func firstLine(_ output: [UInt8]) -> String {
    // The place of the data, which follows the version, is no part of it.
    let line = String(decoding: output.prefix { $0 != 0x0A }, as: UTF8.self)
    return String(line.prefix(upTo: line.firstRange(of: "  Data at")?.lowerBound ?? line.endIndex))
  }

  /// Reads the table: priority, language, age and gender, name with underscores, file, other languages.
  static func offers(in table: String) -> [Offer] {
    var seen: Set<String> = []
    return table.split(separator: "\n").dropFirst().compactMap { line -> Offer? in
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard 4 <= fields.count, seen.insert(String(fields[1])).inserted else { return nil }
      return Offer(language: String(fields[1]), title: String(fields[3]).replacing("_", with: " ").trimmed)
    }
  }

  /// Reads the files in the same table, such as `!v/f3`; other languages may follow, in parentheses.
  private static func variants(in table: String) -> [String] {
    table.split(separator: "\n").compactMap { line in
      line.firstRange(of: "!v/").map { mark in
        String(line.suffix(from: mark.upperBound).prefix(while: { $0 != "(" })).trimmed
      }
    }
  }

  /// The name of the voice for a language as `de-AT`; without one of the country, that of the language. Nil if there is
  /// none.
  package func voice(for language: String) -> String? {
    var parts = language.lowercased().split(separator: "-")
    let known = Dictionary(offers.map { ($0.language.lowercased(), $0.language) }) { first, _ in first }
    while !parts.isEmpty {
      if let voice = known[parts.joined(separator: "-")]
        ?? Self.relatives[parts.joined(separator: "-")].flatMap({ known[$0] })
      {
        return voice
      }
      parts.removeLast()
    }
    return nil
  }

  /// Languages whose voice has the name of one of their countries.
  private static let relatives = ["en": "en-gb", "fr": "fr-fr", "zh": "cmn", "no": "nb"]
}
