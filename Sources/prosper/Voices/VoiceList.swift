import ProsperKit

/// The voices of `voices.yaml`, and what espeak-ng offers.
struct VoiceList {
  let file = VoiceFile(path: VoiceFile.path())
  /// Nil if espeak-ng is not installed.
  let installation: EspeakInstallation?
  /// Why espeak-ng can't be used; nil if it can.
  let failure: SpeechFailure?
  /// The language to which the list is limited; nil for all.
  private let language: String?

  init(language: String?) {
    self.language = language
    do throws(SpeechFailure) { (installation, failure) = (try EspeakInstallation(), nil) } catch {
      (installation, failure) = (nil, error)
    }
  }

  /// The mistakes of `voices.yaml`.
  var problems: [Markup.Diagnostic] { file.problems }

  /// The voices without mistakes, in alphabetical order.
  var named: [(name: String, voice: Voice)] {
    file.voices.sorted { $0.key < $1.key }.compactMap { name, voice in
      guard let voice = try? voice.get(), matches(voice.language) else { return nil }
      return (name, voice)
    }
  }

  /// The languages of espeak-ng.
  var offers: [EspeakInstallation.Offer] { (installation?.offers ?? []).filter { matches($0.language) } }

  /// Whether a voice speaks the language of the list, in any country unless the list states one. A voice without a
  /// language speaks that of the session.
  private func matches(_ own: String?) -> Bool {
    guard let wanted = language?.lowercased(), let own = own?.lowercased() else { return true }
    return own == wanted || own.hasPrefix(wanted + "-")
  }

  var text: [String] {
    let width = named.map(\.name.count).max() ?? 0
    let voices = named.map { name, voice in
      "\(name)\(String(repeating: " ", count: width - name.count))  \(Self.description(of: voice))".withoutControls
    }
    let languages = offers.map { "  \($0.language)  \($0.title)".withoutControls }
    let head = languages.isEmpty ? [] : ["espeak-ng, without 'voice', by the language of the session:"]
    return voices + (voices.isEmpty || languages.isEmpty ? [] : [""]) + head + languages
  }

  private static func description(of voice: Voice) -> String {
    var words = [voice.engine.name]
    switch voice.engine {
    case .espeak(let settings):
      words.append(voice.language ?? "language of the session")
      words += settings.variant.map { ["variant \($0)"] } ?? []
      words += ["\(settings.speed) words a minute", "pitch \(settings.pitch)"]
    case .piper(let settings):
      words += (voice.language.map { [$0] } ?? []) + [settings.model]
      words += settings.speaker.map { ["speaker \($0)"] } ?? []
      words += settings.length.map { ["length \(Spelling.plain($0))"] } ?? []
    }
    return words.joined(separator: ", ")
  }

  /// Voices that are named have a `name`; the languages of espeak-ng have a `title`.
  var json: [String] {
    let voices = named.map { name, voice -> JSONLine in
      let head: JSONLine = [
        "v": 1, "name": name, "engine": voice.engine.name, "language": IfAny(voice.language),
        "program": IfAny(voice.program),
      ]
      switch voice.engine {
      case .espeak(let settings):
        return head + ["variant": IfAny(settings.variant), "speed": settings.speed, "pitch": settings.pitch]
      case .piper(let settings):
        return head + ["model": settings.model, "speaker": IfAny(settings.speaker), "length": IfAny(settings.length)]
      }
    }
    let languages = offers.map { offer -> JSONLine in
      ["v": 1, "engine": "espeak-ng", "language": offer.language, "title": offer.title]
    }
    return (voices + languages).map(\.description)
  }
}
