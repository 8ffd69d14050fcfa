import SessionFiles

/// One voice of a tone-set of SBaGen. Amplitudes are shares of full scale, 0 to 1.
struct Tone: Hashable {
  /// What it sounds like.
  enum Kind: Hashable {
    /// A sine in each ear: `carrier + beat/2` hertz on the left, `carrier - beat/2` on the right.
    case sine(carrier: Double, beat: Double)
    case pinkNoise
    /// A bell of that many hertz, struck when the tone-set begins.
    case bell(Double)
    /// Not in use, or something that a session can't play.
    case none
  }

  var kind: Kind
  var amplitude: Double

  static let off = Tone(kind: .none, amplitude: 0)
}

/// A named set of voices. The voices of two sets that have the same index continue each other.
struct ToneSet {
  let name: String
  let line: Int
  var tones: [Tone] = []
  /// What a session can't play of it.
  var notes: [Note] = []

  /// Four times as many as SBaGen has.
  static let maximumTones = 64

  struct Note {
    let column: Int
    let problem: String
    let fix: String
  }

  /// Whether nothing of it can be heard, but for bells.
  var isSilent: Bool {
    tones.allSatisfy { tone in
      switch tone.kind {
      case .sine, .pinkNoise: tone.amplitude == 0
      case .bell, .none: true
      }
    }
  }
}

extension ToneSet {
  /// Adds the voice that a word such as `200+4/20` describes.
  ///
  /// - Returns: false if the word describes none.
  mutating func add(_ word: Word) -> Bool {
    if word.text == "-" {
      tones.append(.off)
      return true
    }
    let parts = word.text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let percent = Number.plain(parts[1]), percent <= 1_000 else { return false }
    let source = parts[0]
    let amplitude = percent / 100
    if source == "pink" {
      tones.append(Tone(kind: .pinkNoise, amplitude: amplitude))
    } else if source == "mix" {
      tones.append(.off)
      note(word, "the soundtrack of SBaGen's option -m", fix: "add its file as a track or an overlay")
    } else if source.hasPrefix("bell"), let hertz = Number.signed(source.dropFirst(4)) {
      tones.append(Tone(kind: .bell(abs(hertz)), amplitude: amplitude))
    } else if source.hasPrefix("spin:"), Number.pair(source.dropFirst(5)) != nil {
      tones.append(Tone(kind: .pinkNoise, amplitude: amplitude))
      note(word, "noise that spins", fix: "it plays as pink noise that does not move")
    } else {
      return addSine(String(source), amplitude, word)
    }
    return true
  }

  private mutating func addSine(_ source: String, _ amplitude: Double, _ word: Word) -> Bool {
    var tone = source[...]
    if source.hasPrefix("wave"), let colon = source.firstIndex(of: ":") {
      guard source[..<colon].dropFirst(4).allSatisfy(\.isNumber) else { return false }
      tone = source[source.index(after: colon)...]
      note(word, "a tone with a waveform of its own", fix: "it plays as a sine")
    }
    guard let (carrier, beat) = Number.pair(tone) else { return false }
    if 10_000 < carrier || 100 < abs(beat) { return false }
    tones.append(Tone(kind: .sine(carrier: carrier, beat: beat), amplitude: amplitude))
    return true
  }

  private mutating func note(_ word: Word, _ what: String, fix: String) {
    notes.append(
      Note(column: word.column, problem: "'\(word.text)' in '\(name)' is \(what)", fix: fix))
  }
}

/// A word of a line, with its column from 1.
struct Word {
  var text: String
  var column: Int
}

/// Reads the numbers of SBaGen.
enum Number {
  /// A decimal number without a sign; nil for any other text.
  static func plain(_ text: some StringProtocol) -> Double? {
    guard !text.isEmpty, text.utf8.count <= 20, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E })
    else { return nil }
    return Double(text)
  }

  /// A decimal number with an optional sign.
  static func signed(_ text: some StringProtocol) -> Double? {
    guard let first = text.first, first == "+" || first == "-" else { return plain(text) }
    return plain(text.dropFirst()).map { first == "-" ? -$0 : $0 }
  }

  /// The carrier and the signed beat of `200+4`, `200-4` or `200`.
  static func pair(_ text: some StringProtocol) -> (Double, Double)? {
    guard let sign = text.firstIndex(where: { $0 == "+" || $0 == "-" }) else { return plain(text).map { ($0, 0) } }
    guard let carrier = plain(text[..<sign]), let beat = signed(text[sign...]) else { return nil }
    return (carrier, beat)
  }
}
