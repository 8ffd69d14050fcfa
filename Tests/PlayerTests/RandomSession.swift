import Player
import Schedule
import Signal
import Sounds
import TestSupport

/// Makes random sessions of noise.
struct RandomSession {
  /// Tracks at the session's rate.
  static let plain = 0...4
  /// Tracks of which some have another rate. They join where there is no crossfade.
  static let joining = 4...8
  /// The lengths of the tracks, whose names are their indices.
  private static let lengths = [24_000, 30_000, 17_000, 41_000, 20_001]

  let names: ClosedRange<Int>
  /// Divides all lengths: short sessions take less time.
  var divisor = 1
  var longestCrossfade = 24_000
  /// Whether overlays can have several sounds and intervals, and gongs several kinds of moments.
  var hasSeries = false

  private func frames(_ length: Int) -> FrameCount { FrameCount(length / divisor) }

  var library: TestLibrary {
    var sounds = ["voice": sound(seed: 100, frames(6_000)), "drone": sound(seed: 200, frames(19_000))]
    sounds["bell"] = sound(seed: 300, frames(3_000))
    for index in names {
      let track = track("\(index)")
      sounds["\(index)"] = sound(seed: UInt64(1_000 * index + 400), track.length)
      sounds["\(index)"]?.resampled = track.resampled
    }
    return TestLibrary(sounds)
  }

  /// Noise that is computed once, with the frame by which a joined sound can be longer.
  private func sound(seed: UInt64, _ length: FrameCount) -> TestLibrary.Sound {
    let noise = TestLibrary.Sound.noise(seed: seed, length: length, level: 0.1)
    let frames = (0...length).map(noise.sample)
    return TestLibrary.Sound(length: length) { frames[Int($0)] }
  }

  /// A random frame, often near an event.
  static func frame(in played: RenderedProgramme, _ random: inout Random) -> Int {
    let last = played.frames.count - 1
    if random.next(0...1) == 0 { return random.next(1...last) }
    let event = played.events[random.next(0...played.events.count - 1)]
    let near = event.frame + (random.next(0...1) == 0 ? 0 : random.next(-400...400))
    return max(1, min(last, near))
  }

  /// Chooses `count` random frames of each of the sessions from seeds.
  ///
  /// - Parameters:
  ///   - change: simplifies a session, so that the test can tell what it sounds like after a command.
  ///   - compare: returns false for a frame that does not fit the test; then another one is chosen.
  /// - Returns: the number of frames compared.
  func forEach(
    _ seeds: Range<Int>, _ count: Int, _ change: (inout Programme) -> Void = { _ in },
    compare: (inout RandomMoment, inout Random) async -> Bool
  ) async -> Int {
    let library = library
    var compared = 0
    for seed in seeds {
      var random = Random(seed: UInt64(seed))
      var session = session(&random)
      change(&session)
      let whole = await perform(session, library)
      var left = count
      for _ in 0..<12 * count where 0 < left {
        guard var moment = RandomMoment(seed, of: session, whole, library, &random) else { continue }
        if await compare(&moment, &random) { (compared, left) = (compared + 1, left - 1) }
      }
    }
    return compared
  }

  func session(_ random: inout Random) -> Programme {
    let stages = (0..<random.next(1...3)).map { stage("S\($0)", &random) }
    var session = programme(stages)
    if random.next(0...1) == 0 { session.fadeIn = frames(random.next(0...4_000)) }
    if random.next(0...1) == 0 { session.fadeOut = frames(random.next(0...20_000)) }
    session.overlays = (0..<random.next(0...1)).map { _ in overlay(within: 60_000 / divisor, &random) }
    session.gongs = (0..<random.next(0...1)).map { _ in gong(within: 60_000 / divisor, &random) }
    return session
  }

  private func stage(_ name: String, _ random: inout Random) -> Programme.Stage {
    let tracks = (0..<random.next(1...4)).map { _ in track("\(random.next(names))") }
    let isTimed = random.next(0...2) == 0
    let length = isTimed ? random.next(30_000...120_000) / divisor : Int(tracks.map(\.length).reduce(0, +))
    let mode = random.next(0...1) == 0 ? RepeatMode.off : RepeatMode.allCases[random.next(0...2)]
    let count = isTimed && random.next(0...1) == 0 ? nil : random.next(0...2)
    var stage = Programme.Stage(
      name, tracks, for: isTimed ? .frames(Double(length) + Double(random.next(0...3)) / 4) : .natural,
      repetition: mode, repeatCount: count,
      crossfade: names == Self.joining && random.next(0...2) != 0 ? .none : crossfade(&random))
    stage.gain = Gain(linear: random.next(0...1) == 0 ? 1 : 0.5)
    stage.overlays = (0..<random.next(0...2)).map { _ in overlay(within: length, &random) }
    stage.gongs = (0..<random.next(0...2)).map { _ in gong(within: length, &random) }
    return stage
  }

  func track(_ name: String) -> Track {
    let index = Int(name) ?? 0
    let length = frames(Self.lengths[index % Self.lengths.count])
    if Self.plain.contains(index) { return TestSupport.track(name, length) }
    let resampled = ResampledLength(frames: length * 441 / 320, source: 11_025, session: 8_000)
    var track = TestSupport.track(name, resampled.exact.rounded)
    track.resampled = resampled
    return track
  }

  func crossfade(_ random: inout Random) -> FadeShape {
    let curves: [FadeCurve] = [.linear, .equalPower, .sCurve]
    let length = random.next(0...3) == 0 ? 0 : random.next(1...longestCrossfade)
    return FadeShape(length: frames(length), curve: curves[random.next(0...2)])
  }

  private func position(within length: Int, _ random: inout Random) -> Programme.Position {
    let frames = Double(random.next(0...2 * length)) / 2
    return random.next(0...1) == 0 ? .afterStart(frames) : .beforeEnd(frames)
  }

  func overlay(within length: Int, _ random: inout Random) -> Programme.Overlay {
    let (name, count) = random.next(0...1) == 0 ? ("voice", frames(6_000)) : ("drone", frames(19_000))
    let fades = (0..<2).map { _ in FadeShape(length: frames(random.next(0...3_000)), curve: .equalPower) }
    let places = (0..<random.next(1...2)).map { _ in position(within: length, &random) }
    var overlay = Programme.Overlay(
      sound: Programme.Sound(name, count), at: places, fadeIn: fades[0], fadeOut: fades[1])
    overlay.times = random.next(0...2) == 0 ? .forever : .times(random.next(1...3))
    overlay.delay = Double(random.next(0...20_000) / divisor) / 4
    overlay.isLayer = random.next(0...2) == 0
    if hasSeries, random.next(0...1) == 0 { overlay.interval = Double(random.next(2_000...24_000) / divisor) + 0.5 }
    if hasSeries, random.next(0...1) == 0 {
      overlay.following = [Programme.Sound("bell", frames(3_000)), Programme.Sound("voice", frames(6_000))]
    }
    if random.next(0...1) == 0 {
      overlay.duck = Duck(depth: Gain(linear: 0.3), attack: frames(900), release: frames(5_000))
    }
    return overlay
  }

  private func gong(within length: Int, _ random: inout Random) -> Programme.Gong {
    let sound = Programme.Sound("bell", frames(3_000))
    let count = random.next(0...1) == 0 ? nil : random.next(1...3)
    var gong =
      random.next(0...1) == 0
      ? Programme.Gong(sound: sound, .every(Double(random.next(4_000...40_000) / divisor) + 0.25, count: count))
      : Programme.Gong(sound: sound, .at((0..<random.next(1...2)).map { _ in position(within: length, &random) }))
    if hasSeries, case .every = gong.pattern, random.next(0...2) == 0 {
      gong.jitter = Programme.Gong.Jitter(share: 0.5, seed: UInt64(random.next(0...99)), length: nil)
    }
    if hasSeries, random.next(0...2) == 0 { gong.positions = [position(within: length, &random)] }
    gong.strikes = random.next(1...3)
    gong.spacing = Double(random.next(1_000...8_000) / divisor) / 2
    return gong
  }
}
