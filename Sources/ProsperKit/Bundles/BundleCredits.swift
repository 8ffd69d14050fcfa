import AudioFiles
import Markup
import Sounds
import Speech

/// What CREDITS.txt says about one sound.
struct BundleCredits {
  let item: BundleItem
  let speech: SpokenSounds

  /// The name of the file with indented lines below it.
  var text: String {
    let lines = lines.map { "  \($0.name): \(shown($0.text, upTo: 1_000))" }
    let words = lines.isEmpty ? ["  Its file states nothing."] : lines
    return ([item.name] + words).map { $0 + "\n" }.joined()
  }

  private var lines: [(name: String, text: String)] {
    switch item.content {
    case .speech(let spoken):
      let voice = spoken.voice.map { "the voice '\($0)'" } ?? "its voice for \(spoken.language ?? "en")"
      return [("Text", spoken.label), ("Spoken by", (speech.engineName(of: spoken) ?? "an engine") + ", \(voice)")]
    case .file(let path):
      guard let credits = try? SoundCredits(ofFile: path) else { return address }
      let texts = [
        ("Title", credits.title), ("Artist", credits.artist), ("Copyright", credits.copyright),
        ("Licence", credits.licence), ("Comment", credits.comment),
      ]
      return texts.compactMap { name, text in text.map { (name, $0) } } + address
    }
  }

  private var address: [(name: String, text: String)] { item.address.map { [("From", $0)] } ?? [] }
}
