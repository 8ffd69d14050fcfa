/// The levels of the parts of the surf at one time; `x` is left, `y` is right.
struct Swell {
  var rumble = SIMD2<Double>.zero
  var body = SIMD2<Double>.zero
  var foam = SIMD2<Double>.zero

  static func += (a: inout Swell, b: Swell) {
    a.rumble += b.rumble
    a.body += b.body
    a.foam += b.foam
  }

  /// The change per frame that leads from `other` to this in `frames` frames.
  func slope(from other: Swell, over frames: Int) -> Swell {
    let share = 1 / Double(frames)
    return Swell(
      rumble: (rumble - other.rumble) * share, body: (body - other.body) * share, foam: (foam - other.foam) * share)
  }
}

/// The waves of a shore: one every 11 seconds, up to 1.5 s early or late.
struct Waves: Sendable {
  /// Mean distance of the waves in seconds.
  private static let spacing = 11.0
  private let chance: IndexedRandom

  init(seed: UInt64) { chance = IndexedRandom(seed: seed, stream: 8) }

  /// The sum of all waves at a time in seconds, above a constant background.
  func swell(at time: Double) -> Swell {
    var swell = Swell(
      rumble: SIMD2(repeating: 0.5), body: SIMD2(repeating: 0.06), foam: SIMD2(repeating: 0.035))
    let near = Int64((time / Self.spacing).rounded(.down))
    // A wave is audible from 5 s before its crest to 18 s after it.
    for index in near - 2...near + 1 { add(wave: index, to: &swell, at: time) }
    return swell
  }

  private func add(wave index: Int64, to swell: inout Swell, at time: Double) {
    let base = 4 &* index
    let breaks = (Double(index) + 0.5) * Self.spacing + chance.value(base, in: -1.5...1.5)
    let strength = chance.value(base &+ 1, in: 0.5...1)
    let pan = chance.value(base &+ 2, in: 0.3...0.7)
    let sides = SIMD2((2 * (1 - pan)).squareRoot(), (2 * pan).squareRoot()) * strength
    let age = time - breaks
    swell.rumble += sides * Self.hump(age, rise: 5, fall: 3)
    swell.body += sides * Self.hump(age, rise: 3.6, fall: 2)
    // The foam begins with the breaking of the wave, and is brightest for the strongest waves.
    swell.foam += sides * strength * Self.hump(age - 0.5, rise: 1.6, fall: 2.9)
  }

  /// The level of a wave, 0…1: rises to its crest at age 0 within `rise` seconds, then falls to about 1/e in each
  /// `fall` seconds.
  private static func hump(_ age: Double, rise: Double, fall: Double) -> Double {
    if age <= -rise { return 0 }
    if age < 0 {
      let p = smoothStep(1 + age / rise)
      return p * p
    }
    // Rounded at the crest, and exactly 0 before the wave is left out of the sum.
    let rest = exponential(-age * age / (fall * (age + 0.8)))
    return rest * (1 - smoothStep((age - 10) / 8))
  }
}
