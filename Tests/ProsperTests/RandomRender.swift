import TestSupport

/// A random session of sound files, and a random script for it.
struct RandomRender {
  /// The sounds that a session may use. Some of them are damaged, and one is no sound.
  static let sounds = [
    "a.wav", "a.flac", "a.ogg", "a.mp3", "a.opus", "a.caf", "high.flac", "cut.flac", "cut.mp3", "cut.ogg", "not.wav",
  ]

  let session: String
  let script: String
  let flags: [String]
  /// Jobs, and frames of a piece.
  let ways: [(jobs: Int, piece: Int)]

  init(seed: UInt64) {
    var random = Random(seed: seed)
    session = Self.session(&random)
    script = (0..<random.next(1...9)).map { _ in Self.line(&random) }.joined(separator: "\n") + "\n"
    flags = [random.next(0...1) == 0 ? "--lenient" : "--strict"] + (random.next(0...4) == 0 ? ["--from", "7.3s"] : [])
    // From 2,000 frames to a quarter of the ring, the limit.
    let pieces = [4_410, 4_800, random.next(2_000...300_000), random.next(2_000...60_000), 262_144, 100_000_000]
    ways = [1, 2, 3, 7].map { ($0, pieces[random.next(0...pieces.count - 1)]) }
  }

  private static func pick(_ values: [String], _ random: inout Random) -> String {
    values[random.next(0...values.count - 1)]
  }

  private static func session(_ random: inout Random) -> String {
    let stages = (0..<random.next(1...3)).map { stage("S\($0)", &random) }.joined(separator: ",\n  ")
    return """
      {"prosper": 1, "title": "Random", "sampleRate": \(pick(["44100", "44100", "48000", "22050"], &random)),
       "fadeOut": \(random.next(0...3)), "crossfade": {"duration": \(random.next(0...5))},
       "stages": [
        \(stages)]}
      """
  }

  private static func stage(_ name: String, _ random: inout Random) -> String {
    let tracks = (0..<random.next(1...3)).map { _ in track(&random) }.joined(separator: ", ")
    var stage = "{\"name\": \"\(name)\", \"tracks\": [\(tracks)]"
    if random.next(0...1) == 0 { stage += ", \"duration\": \(random.next(8...20)), \"repeat\": \"playlist\"" }
    if random.next(0...1) == 0 {
      let at = Double(random.next(0...40)) / 10
      let duck = random.next(0...1) == 0 ? ", \"duck\": {\"by\": \"-12dB\"}" : ""
      stage += ", \"overlays\": [{\"sound\": \"\(pick(sounds, &random))\", \"at\": \(at), \"volume\": 0.4\(duck)}]"
    }
    if random.next(0...1) == 0 { stage += ", \"gongs\": [{\"sound\": \"generate:bell\", \"at\": [0, 3.7, 6]}]" }
    return stage + "}"
  }

  private static func track(_ random: inout Random) -> String {
    let sound = pick(sounds + ["generate:rain", "generate:drone"], &random)
    if sound.hasPrefix("generate") { return "{\"generate\": \"\(sound.dropFirst(9))\", \"end\": 9}" }
    if random.next(0...1) == 0 { return "\"\(sound)\"" }
    let start = Double(random.next(0...90)) / 10
    return "{\"file\": \"\(sound)\", \"start\": \(start), \"end\": \(start + Double(random.next(20...90)) / 10)}"
  }

  private static func line(_ random: inout Random) -> String {
    let time =
      switch random.next(0...5) {
      case 0: #""when": {"state": "crossfading"}"#
      case 1: "\"at\": \(Double(random.next(0...200)) / 10)"
      default: "\"after\": \(Double(random.next(0...400)) / 100)"
      }
    return "{\(time), \(action(&random))}"
  }

  private static func action(_ random: inout Random) -> String {
    switch random.next(0...11) {
    case 0...1: #""do": "next""#
    case 2: #""do": "previous""#
    case 3: #""do": "pause""#
    case 4...5: #""do": "resume""#
    case 6: "\"do\": \"seek\", \"by\": \(random.next(-5...5))"
    case 7: "\"do\": \"volume\", \"to\": 0.\(random.next(1...9)), \"over\": \(random.next(0...2))"
    case 8: #""do": "gong", "sound": "generate:bell""#
    case 9: "\"do\": \"jump\", \"track\": \(random.next(0...2))"
    case 10: "\"do\": \"nextStage\""
    default: #""expect": {"state": "playing"}"#
    }
  }
}
