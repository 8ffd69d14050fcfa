/// The levels of the three parts of the surf at one time; `x` is the left channel, `y` the right one.
struct Swell {
  var rumble = SIMD2<Double>.zero
  var body = SIMD2<Double>.zero
  var foam = SIMD2<Double>.zero

  static func += (a: inout Swell, b: Swell) {
    a.rumble += b.rumble
    a.body += b.body
    a.foam += b.foam
  }

  /// The change per frame with which the levels move from `other` to these in `frames` frames.
  func slope(from other: Swell, over frames: Int) -> Swell {
    let share = 1 / Double(frames)
    return Swell(
      rumble: (rumble - other.rumble) * share, body: (body - other.body) * share, foam: (foam - other.foam) * share)
  }
}

/// The waves of the surf: one every 11 seconds on average, each up to 1.5 s early or late.
struct Waves: Sendable {
  /// The mean time between two waves, in seconds.
  private static let spacing = 11.0
  private let random: IndexedRandom

  init(seed: UInt64) { random = IndexedRandom(seed: seed, stream: 8) }

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
    let breaks = (Double(index) + 0.5) * Self.spacing + random.value(base, in: -1.5...1.5)
    let strength = random.value(base &+ 1, in: 0.5...1)
    let pan = random.value(base &+ 2, in: 0.3...0.7)
    let sides = SIMD2((2 * (1 - pan)).squareRoot(), (2 * pan).squareRoot()) * strength
    let age = time - breaks
    swell.rumble += sides * Self.level(age, rise: 5, fall: 3)
    swell.body += sides * Self.level(age, rise: 3.6, fall: 2)
    // The high part begins when the wave breaks, and is loudest, relative to the others, for the strongest waves.
    swell.foam += sides * strength * Self.level(age - 0.5, rise: 1.6, fall: 2.9)
  }

  /// The level of a part, 0…1. It rises to its maximum at age 0 within `rise` seconds, and then falls to about 1/e in
  /// every `fall` seconds.
  private static func level(_ age: Double, rise: Double, fall: Double) -> Double {
    if age <= -rise { return 0 }
    if age < 0 {
      let p = smoothStep(1 + age / rise)
      return p * p
    }
    // The level has no kink at the maximum, and is exactly 0 at the age at which the wave is no longer summed.
    let rest = exponential(-age * age / (fall * (age + 0.8)))
    return rest * (1 - smoothStep((age - 10) / 8))
  }
}
