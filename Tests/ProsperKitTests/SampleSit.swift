import TestSupport

/// A session of half a minute with random values, which a test can change and spell in different ways.
struct SampleSit {
  var (lengthA, lengthB) = (0.0, 0.0)
  /// In decibels.
  var (rain, pink, voice, duck) = (0.0, 0.0, 0.0, 0.0)
  var crossfade = 0.0
  var curve = "equalPower"
  var voiceAt = 0.0
  var attack = 0.3
  var seed = 0
  /// When the gongs strike in their stages; nil for a missing one.
  var (gongA, gongB): (Double?, Double?) = (nil, nil)

  init(_ random: inout Random) {
    lengthA = Double(random.next(10...14))
    lengthB = 30 - lengthA
    (rain, pink) = (-Double(random.next(6...12)), -Double(random.next(6...12)))
    (voice, duck) = (-Double(random.next(3...9)), -Double(random.next(6...12)))
    (crossfade, seed) = (Double(random.next(1...3)), random.next(1...999))
    (voiceAt, gongA, gongB) = (Double(random.next(4...6)), Double(random.next(3...6)), Double(random.next(11...13)))
  }
}

extension SampleSit {
  /// Something that is heard, the second from which it is, and the layer in which.
  struct Change: CustomStringConvertible {
    var description: String
    var second: Double
    var layer: String
  }

  /// Changes one value.
  mutating func change(_ random: inout Random) -> Change {
    let up = random.next(0...1) == 0
    let (half, step) = (up ? 0.5 : -0.5, up ? 0.02 : -0.02)
    switch random.next(0...10) {
    case 0:
      rain += half
      return Change(description: "first music by \(half) dB", second: 0, layer: "music")
    case 1:
      pink += half
      return Change(description: "second music by \(half) dB", second: lengthA, layer: "music")
    case 2:
      voice += half
      return Change(description: "overlay by \(half) dB", second: lengthA + voiceAt, layer: "overlays")
    case 3:
      voiceAt += step
      return Change(description: "overlay by \(step) s", second: lengthA + voiceAt + min(0, -step), layer: "overlays")
    case 4:
      gongB = gongB.map { $0 + step }
      return Change(
        description: "gong by \(step) s", second: lengthA + (gongB ?? 0) + min(0, -step), layer: "gongs")
    case 5:
      curve = ["linear", "sCurve", "exponential", "logarithmic"][random.next(0...3)]
      return Change(description: "curve \(curve)", second: lengthA, layer: "music")
    case 6:
      duck += up ? 3 : -3
      return Change(description: "duck of \(duck) dB", second: lengthA + voiceAt, layer: "music")
    case 7:
      attack = up ? 0.1 : 0.6
      return Change(description: "attack of \(attack) s", second: lengthA + voiceAt, layer: "music")
    case 8:
      defer { if up { gongA = nil } else { gongB = nil } }
      let second = up ? gongA ?? 0 : lengthA + (gongB ?? 0)
      return Change(description: "missing gong", second: second, layer: "gongs")
    case 9:
      lengthB -= 0.5
      return Change(description: "cut tail", second: 29.5, layer: "music")
    default:
      seed += 1
      return Change(description: "another seed", second: lengthA + voiceAt, layer: "overlays")
    }
  }

  /// The session as text. A `spelling` chooses between texts with the same meaning.
  func text(_ spelling: inout Spelling) -> String {
    let bell = Item.map([("generate", .text("bell")), ("decay", .word("0.25"))])
    let strikes = [gongA, gongB].map { at in
      at.map { Item.list([.map([("sound", bell), ("at", spelling.position($0))])]) }
    }
    let voice = Item.map([
      ("sound", .map([("generate", .text("brown")), ("seed", .word("\(seed)")), ("end", spelling.time(4))])),
      ("at", spelling.position(voiceAt)), ("volume", .text("\(self.voice)dB")),
      ("fadeIn", spelling.time(0.1)), ("fadeOut", spelling.time(0.5)),
      ("duck", .map([("by", .text("\(duck)dB")), ("attack", spelling.time(attack)), ("release", spelling.time(0.8))])),
    ])
    let first = stage(spelling.names.0, lengthA, "rain", rain, strikes[0], [], &spelling)
    let fade = Item.map([("duration", spelling.time(crossfade)), ("curve", .text(curve))])
    let more = [("crossfade", fade), ("overlays", Item.list([voice]))]
    let second = stage(spelling.names.1, lengthB, "pink", pink, strikes[1], more, &spelling)
    var keys: [(String, Item)] = [
      ("prosper", .word("1")), ("title", .text(spelling.title)), ("sampleRate", .word("8000")),
      ("stages", .list([first, second])),
    ]
    if spelling.writesDefaults {
      keys += [("volume", .word("1")), ("fadeIn", spelling.time(0)), ("fadeOut", .word("0")), ("gongs", .list([]))]
      keys += [("description", .text("Nothing is heard of it.")), ("artist", .text("Nobody"))]
    }
    return Item.map(keys).text(&spelling)
  }

  private func stage(
    _ name: String, _ length: Double, _ sound: String, _ decibels: Double, _ gongs: Item?, _ more: [(String, Item)],
    _ spelling: inout Spelling
  ) -> Item {
    let track = Item.map([("generate", .text(sound)), ("volume", .text("\(decibels)dB"))])
    var keys = [("name", Item.text(name)), ("duration", spelling.time(length)), ("tracks", .list([track]))] + more
    if let gongs { keys.append(("gongs", gongs)) }
    if spelling.writesDefaults { keys += [("repeat", .text("playlist")), ("volume", .text("0dB"))] }
    return .map(keys)
  }
}

extension SampleSit {
  /// A value of a session file.
  indirect enum Item {
    case word(String)
    case text(String)
    case list([Item])
    case map([(String, Item)])

    /// The value as JSON, or as YAML with comments.
    func text(_ spelling: inout Spelling) -> String {
      switch self {
      case .word(let word): return word
      case .text(let text): return "\"\(text)\""
      case .list(let items):
        var texts: [String] = []
        for item in items { texts.append(item.text(&spelling)) }
        return "[" + texts.joined(separator: ", ") + "]"
      case .map(let members):
        var texts: [String] = []
        for (key, item) in spelling.ordered(members) { texts.append("\"\(key)\": \(item.text(&spelling))") }
        return "{" + texts.joined(separator: "," + spelling.comment) + "}"
      }
    }
  }

  /// How the values of a session are written. None of it is heard.
  struct Spelling {
    private var random: Random?
    private(set) var title = "Sit"
    private(set) var names = ("Arrive", "Sitting")
    private(set) var writesDefaults = false
    private var (changesTimes, changesOrder, writesComments) = (false, false, false)

    /// The plain one.
    init() {}

    /// A random one, which differs from the plain one.
    init(_ random: inout Random) {
      self.random = Random(seed: UInt64(random.next(0...1_000_000)))
      var choices = 0
      while choices == 0 { choices = random.next(0...31) }
      (changesTimes, changesOrder) = (choices & 1 != 0, choices & 2 != 0)
      (writesComments, writesDefaults) = (choices & 4 != 0, choices & 8 != 0)
      if choices & 16 != 0 { (title, names) = ("Another \(random.next(1...99))", ("One", "Two")) }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { random?.next(range) ?? range.lowerBound }

    /// A length of time.
    mutating func time(_ seconds: Double) -> Item {
      let milliseconds = Int((seconds * 1_000).rounded())
      let choice = changesTimes ? number(0...4) : 0
      let rest = "\(1_000 + milliseconds % 1_000)".dropFirst()
      switch choice {
      case 1: return .text("\(milliseconds)ms")
      case 2: return .text("\(seconds)s")
      case 3: return .text("0:\(milliseconds < 10_000 ? "0" : "")\(milliseconds / 1_000).\(rest)")
      case 4: return .text("0m\(milliseconds / 1_000)s\(milliseconds % 1_000)ms")
      default: return .word("\(seconds)")
      }
    }

    /// The same as the position of a cue.
    mutating func position(_ seconds: Double) -> Item {
      let time = time(seconds)
      return changesTimes && number(0...1) == 1 ? .list([time]) : time
    }

    mutating func ordered(_ members: [(String, Item)]) -> [(String, Item)] {
      guard changesOrder else { return members }
      var members = members
      for index in members.indices.reversed() { members.swapAt(index, number(0...index)) }
      return members
    }

    /// What follows a comma.
    var comment: String { writesComments ? " # not heard\n  " : " " }
  }
}
