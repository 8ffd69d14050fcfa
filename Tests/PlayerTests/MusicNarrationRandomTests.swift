import Engine
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

/// Whatever a listener does, and whenever: the story holds together.
@Suite struct MusicNarrationRandomTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `each state follows from the one that was told before it`(seed: UInt64) {
    var session = RandomSession(seed: seed)
    for _ in 0..<200 { session.act() }
    var last = "idle"
    for event in session.story.events {
      guard case .state(let state, let previous) = event else { continue }
      #expect(previous == last && state.defect == nil)
      last = state.name
    }
    #expect(session.story.music.refusal == nil)
    session.story.conclude()
    #expect(session.story.music.state == .finished)
  }
}

/// A listener who skips, seeks, pauses and resumes at random.
private struct RandomSession {
  var story = Story()
  private var generator: Chance
  private var now: FrameTime = 0
  private var sounding: [Clip] = []
  private var index = 0
  private var seeks = 0

  init(seed: UInt64) { generator = Chance(state: seed) }

  mutating func act() {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: skip(over: 0)
    case 1: skip(over: FrameCount.random(in: 1...16_000, using: &generator))
    case 2: seek()
    case 3: story.tell { [now] in $0.pause(at: now, age: Double(now) / 8_000) }
    case 4: story.tell { [now] in $0.resume(at: now, age: Double(now) / 8_000) }
    case 5: turn()
    default: goOn(by: FrameCount.random(in: 0...20_000, using: &generator))
    }
  }

  private var isPaused: Bool { story.music.state.canResume }

  private mutating func goOn(by frames: FrameCount) {
    if isPaused { return }
    for ended in sounding.filter({ $0.end <= now + frames }).sorted(by: { $0.end < $1.end }) {
      story.run(to: ended.end)
      story.tell { $0.end(ended, at: ended.end) }
    }
    now += frames
    sounding.removeAll { $0.end <= now }
    story.run(to: now)
  }

  private mutating func skip(over fade: FrameCount) {
    if isPaused { return }
    index += 1
    begin(Story.music("\(index)", index: index, at: now, length: 40_000, fadeIn: fade))
  }

  private mutating func seek() {
    guard !isPaused, let last = sounding.last else { return }
    sounding.removeLast()
    seeks += 1
    var moved = last.sought(to: now - FrameCount.random(in: 0...20_000, using: &generator), times: seeks)
    moved.fadeIn = nil
    begin(moved)
  }

  private mutating func begin(_ clip: Clip) {
    sounding.append(clip)
    story.start(clip, at: now)
  }

  /// The crossfade under way is hurried, or sent back.
  private mutating func turn() {
    guard !isPaused, let current = story.music.crossfade,
      let place = sounding.lastIndex(where: { $0.id == current.to.clip.id })
    else { return }
    let orchestrator = CrossfadeOrchestrator(rate: testRate)
    let navigation = orchestrator.navigation(progress: current.fade.progress(at: now))
    sounding[place].fadeIn = orchestrator.turned(current.fade, at: now, by: navigation)
    story.tell { [sounding] in $0.replan(clips: sounding) }
  }
}

/// The same numbers from the same seed on every machine.
private struct Chance: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
