/// A text that is spoken, with its pauses.
public struct Spoken: Hashable, Sendable, Codable {
  /// The length of a breath in seconds, unless another one is given.
  public static let standardBreath = 4.0

  /// The text with its marks: `[pause 20s]`, and `~`, `~~` and `~~~` for half a breath, a breath and two breaths.
  public var text: String
  /// The name of a voice in `voices.yaml`; nil for the voice that espeak-ng has for the language.
  public var voice: String?
  /// The language of the text, as `en`, `de` or `pt-BR`; nil for English.
  public var language: String?
  /// The length of a breath in seconds.
  public var breath: Double

  /// A text, and who speaks it.
  public init(
    _ text: String, voice: String? = nil, language: String? = nil, breath: Double = Spoken.standardBreath
  ) {
    (self.text, self.voice, self.language, self.breath) = (text, voice, language, breath)
  }

  /// The characters of a label, except that a word is not cut.
  private static let labelLength = 40

  /// The first words, without marks.
  package var label: String {
    var (words, word, isMark, count) = ([String](), "", false, 0)
    let isLong = { Self.labelLength < count }
    for character in text + " " where !isLong() {
      if isMark || character == "[" {
        isMark = character != "]"
      } else if character.isWhitespace || character == "~" {
        if !word.isEmpty { words.append(word) }
        (count, word) = (count + word.count + 1, "")
      } else {
        word.append(character)
      }
    }
    return words.joined(separator: " ") + (isLong() ? "…" : "")
  }
}
