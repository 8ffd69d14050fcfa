import SessionFiles
import Sounds

/// The voices of a program of SBaGen as built-in sounds: each one is a voice of all tone-sets with one index, from the
/// beginning of the program to its end, so its phase never jumps. What it does at which time are the points of its
/// recipe.
struct SBaGenVoices {
  /// A sound that plays through the program.
  struct Voice {
    let recipe: Recipe
    /// In decibels; what full scale in SBaGen is here.
    let decibels: Double
    /// The times at which it is heard, in ascending order, without overlaps.
    let audible: [ClosedRange<Double>]
  }

  /// Between two times, values change linearly from one to the other.
  private struct Piece {
    let start: Double
    let end: Double
    let from: Tone
    let to: Tone
  }

  private let program: SBaGenProgram
  /// The end of the program; nil if it has none.
  private let end: Double?

  /// Pink noise of SBaGen at full amplitude is about 6 dB louder than the built-in one.
  private static let noiseDecibels = 6.0
  /// By which a tone is below full scale, and its sound amplified.
  private static let toneDecibels = 6.0

  init(of program: SBaGenProgram, until end: Double?) { (self.program, self.end) = (program, end) }

  var all: [Voice] {
    let count = program.events.map(\.set.tones.count).max() ?? 0
    return (0..<count).flatMap { index -> [Voice] in
      let pieces = pieces(of: index)
      return [sine(pieces), noise(pieces)].compactMap(\.self)
    }
  }

  /// The time from which a change to the event at an index lasts, and until which.
  static func change(to index: Int, in program: SBaGenProgram) -> ClosedRange<Double> {
    let events = program.events
    let time = events[index].time
    if 0 < index, events[index - 1].slides { return events[index - 1].time...time }
    let before = 0 < index ? room(after: index - 1, in: program) : 0
    let after = events[index].slides ? 0 : room(after: index, in: program)
    return time - before...time + after
  }

  /// The part of a change that has room on one side of a tone-set that does not slide to the next one.
  private static func room(after index: Int, in program: SBaGenProgram) -> Double {
    let events = program.events
    guard index + 1 < events.count else { return program.fade / 2 }
    let length = events[index + 1].time - events[index].time
    // The changes at both ends share the time, unless one of them lies on the other side.
    let isShared = index == 0 || !events[index - 1].slides
    return min(program.fade / 2, isShared ? length / 2 : length)
  }

  /// The time at which the change to the last tone-set has ended, if that is silence.
  static func silence(of program: SBaGenProgram) -> Double? {
    guard let last = program.events.last, last.set.isSilent else { return nil }
    let index = program.events.count - 1
    guard 0 < index, program.events[index - 1].fadeOut == .slide, last.fadeIn == .slide else { return last.time }
    return change(to: index, in: program).upperBound
  }

  private func tone(_ index: Int, of event: Int) -> Tone {
    guard program.events.indices.contains(event), program.events[event].set.tones.indices.contains(index) else {
      return .off
    }
    let tone = program.events[event].set.tones[index]
    if case .bell = tone.kind { return .off }
    return tone
  }

  private func pieces(of index: Int) -> [Piece] {
    var pieces: [Piece] = []
    for event in program.events.indices {
      let change = Self.change(to: event, in: program)
      pieces += self.change(of: index, to: event, during: change)
      let next = event + 1 < program.events.count ? Self.change(to: event + 1, in: program).lowerBound : end
      let tone = tone(index, of: event)
      if let next, next <= change.upperBound { continue }
      pieces.append(Piece(start: change.upperBound, end: next ?? .infinity, from: tone, to: tone))
    }
    return pieces.filter { $0.start < $0.end && 0 < max($0.from.amplitude, $0.to.amplitude) }
  }

  /// A voice during the change to an event.
  private func change(of index: Int, to event: Int, during time: ClosedRange<Double>) -> [Piece] {
    let (old, new) = (tone(index, of: event - 1), tone(index, of: event))
    let fadeIn = program.events[event].fadeIn
    let fadeOut = event == 0 ? fadeIn : program.events[event - 1].fadeOut
    let isSilent = fadeIn == .silence || fadeOut == .silence
    let isSliding = !isSilent && fadeIn == .slide && fadeOut == .slide
    if !isSilent, old.kind == new.kind || isSliding && old.kind.slides(to: new.kind) {
      return [Piece(start: time.lowerBound, end: time.upperBound, from: old, to: new)]
    }
    let (silentOld, silentNew) = (Tone(kind: old.kind, amplitude: 0), Tone(kind: new.kind, amplitude: 0))
    // What ends or begins alone has all of the time in a slide; otherwise one half is for each.
    let isAlone = isSliding && (old.kind == .none || new.kind == .none)
    let slides = 0 < event && program.events[event - 1].slides
    let middle = slides || event == 0 ? (time.lowerBound + time.upperBound) / 2 : program.events[event].time
    let first = event == 0 ? time.lowerBound : middle
    return [
      Piece(start: time.lowerBound, end: isAlone ? time.upperBound : first, from: old, to: silentOld),
      Piece(start: isAlone ? time.lowerBound : first, end: time.upperBound, from: silentNew, to: new),
    ]
  }

  private func sine(_ pieces: [Piece]) -> Voice? {
    let sines = pieces.filter { if case .sine = $0.from.kind { true } else { false } }
    guard !sines.isEmpty else { return nil }
    let points = points(of: sines) { tone in
      guard case .sine(let carrier, let beat) = tone.kind else { return [:] }
      // SBaGen has the higher tone on the left, and the built-in sound on the right.
      return ["carrier": carrier, "beat": beat == 0 ? 0 : -beat]
    }
    var recipe = Recipe(generator: "binaural", settings: ["level": -Self.toneDecibels])
    (recipe.points, recipe.settings) = Self.withoutConstants(points, recipe.settings)
    return Voice(recipe: recipe, decibels: Self.toneDecibels, audible: audible(sines))
  }

  private func noise(_ pieces: [Piece]) -> Voice? {
    let noises = pieces.filter { $0.from.kind == .pinkNoise }
    guard !noises.isEmpty else { return nil }
    let recipe = Recipe(generator: "pink", points: points(of: noises) { _ in [:] })
    return Voice(recipe: recipe, decibels: Self.noiseDecibels, audible: audible(noises))
  }

  /// The points of pieces of one kind of sound: silent between them, and without points that say nothing new.
  private func points(of pieces: [Piece], _ settings: (Tone) -> [String: Double]) -> [Recipe.Point] {
    var points: [Recipe.Point] = []
    func add(_ time: Double, _ tone: Tone, volume: Double? = nil) {
      var values = settings(tone)
      values["volume"] = volume ?? min(1, tone.amplitude)
      points.append(Recipe.Point(at: max(0, time), settings: values))
    }
    for (index, piece) in pieces.enumerated() {
      let (before, after) = (
        index == 0 ? 0 : pieces[index - 1].end, index + 1 < pieces.count ? pieces[index + 1].start : end
      )
      if before < piece.start, 0 < piece.from.amplitude { add(piece.start, piece.from, volume: 0) }
      add(piece.start, piece.from)
      guard piece.end.isFinite else { continue }
      add(piece.end, piece.to)
      if let after, piece.end < after, 0 < piece.to.amplitude { add(piece.end, piece.to, volume: 0) }
    }
    return Self.withoutRepeats(points)
  }

  /// Without points at the same time and with the same values, and without those in the middle of equal ones.
  private static func withoutRepeats(_ points: [Recipe.Point]) -> [Recipe.Point] {
    var kept: [Recipe.Point] = []
    for point in points where kept.last != point {
      if 1 < kept.count, kept[kept.count - 1].settings == point.settings,
        kept[kept.count - 2].settings == point.settings
      {
        kept.removeLast()
      }
      kept.append(point)
    }
    return kept
  }

  /// Values that never change are settings of the recipe.
  private static func withoutConstants(
    _ points: [Recipe.Point], _ settings: [String: Double]
  ) -> (points: [Recipe.Point], settings: [String: Double]) {
    var (points, settings) = (points, settings)
    for name in ["carrier", "beat"] {
      guard let value = points.first?.settings[name], points.allSatisfy({ $0.settings[name] == value }) else {
        continue
      }
      settings[name] = value
      for index in points.indices { points[index].settings[name] = nil }
    }
    return (withoutRepeats(points), settings)
  }

  /// The times of the pieces, joined where they touch.
  private func audible(_ pieces: [Piece]) -> [ClosedRange<Double>] {
    var times: [ClosedRange<Double>] = []
    for piece in pieces where piece.start < piece.end {
      if let last = times.last, piece.start <= last.upperBound {
        times[times.count - 1] = last.lowerBound...max(last.upperBound, piece.end)
      } else {
        times.append(piece.start...piece.end)
      }
    }
    return times
  }
}

extension Tone.Kind {
  /// Whether a sound of one kind can become the other one without a break.
  fileprivate func slides(to other: Tone.Kind) -> Bool {
    switch (self, other) {
    case (.sine, .sine), (.pinkNoise, .pinkNoise): true
    default: false
    }
  }
}
