import Sounds
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

/// Random commands over random sessions of constant tracks. At every frame, the level heard matches the state, the
/// track and the progress reported last.
@Suite struct ReportedStateTests {
  /// No sum of two levels equals the third.
  private static let levels: [String: Float] = ["0": 0.1, "1": 0.23, "2": 0.47]
  /// The frames over which a command may fade what it changes, once into a pause and once out of it.
  private static let ramp = 160
  /// The frames of the longest fade of these sessions, and the ramp at its end.
  private static let longestFade = 4_000 + ramp

  let library = TestLibrary([
    "0": .constant(0.1, length: 30_000), "1": .constant(0.23, length: 20_000), "2": .constant(0.47, length: 50_000),
    "voice": .constant(0, length: 4_000),
  ])

  @Test(arguments: 0..<40)
  func `the level at every frame matches the reported state, track and progress`(fifties: Int) async {
    for seed in (50 * fifties + 1)...(50 * fifties + 50) {
      var random = Random(seed: UInt64(seed))
      let session = ModelTests.constantSession(&random)
      let commands = ModelTests.commands(&random)
      let played = await perform(session, library, doing: TimedCommands(commands))
      for event in played.events {
        if case .warning(let text) = event.event { Issue.record("seed \(seed): \(text)") }
      }
      if let lie = Lies(played).first { Issue.record("seed \(seed): \(lie)") }
    }
  }

  /// The crossfade begins at frame 16,000, a pause takes 160 frames. A resume within them comes before the crossfade.
  @Test(arguments: [-161, -160, -80, -1, 0, 1], [1, 80, 400])
  func `a pause at the beginning of a crossfade can be taken back at once`(offset: Int, pause: Int) async {
    let session = programme([
      Programme.Stage(
        "A", [track("1", 20_000), track("0", 30_000)], crossfade: FadeShape(length: 4_000, curve: .linear))
    ])
    let seconds = [16_000 + offset, 16_000 + offset + pause].map { Double($0) / 8_000 }
    let played = await perform(
      session, library, doing: TimedCommands([(seconds[0], [.pause]), (seconds[1], [.resume])]))
    #expect(played.events.filter { $0.event.name == "warning" }.isEmpty)
    #expect(Lies(played).first == nil)
    let opened = played.events.filter { $0.event.name == "crossfade.started" }.count
    let closed = played.events.filter { ["crossfade.completed", "crossfade.cancelled"].contains($0.event.name) }.count
    #expect(1 <= opened && opened == closed)
  }

  @Test func `music resumed at the end of its stage begins with the track of the next stage`() async {
    let session = programme([
      Programme.Stage("A", [track("0", 30_000)]), Programme.Stage("B", [track("1", 20_000)]),
    ])
    let commands: [(Double, [Command])] = [(1, [.pause, .extend(by: -3)]), (1.02, [.resume])]
    let played = await perform(session, library, doing: TimedCommands(commands))
    #expect(played.events.filter { $0.event.name == "warning" }.isEmpty)
    #expect(Lies(played).first == nil)
  }

  /// At 2 s, the track of stage B waits at its beginning. At 3 s, it would begin at the frame of the second pause.
  @Test func `music that is resumed and paused at one frame stays paused`() async {
    let session = programme([
      Programme.Stage("A", [track("0", 30_000)], for: .frames(16_000)), Programme.Stage("B", [track("1", 20_000)]),
    ])
    let commands: [(Double, [Command])] = [
      (1, [.music(.pause)]), (3, [.resume, .music(.pause)]), (4, [.seek(.to(1))]), (5, [.resume]),
    ]
    let log = CommandLog()
    let played = await perform(session, library, doing: TimedCommands(commands, log: log))
    let states = played.events.compactMap { event in
      if case .state(let state, _) = event.event { "\(event.session) \(state)" } else { nil }
    }
    #expect(log.outcomes == [.done, .done, .done, .done, .done])
    #expect(
      states == [
        "0.0 preparing ('0')", "0.0 playing ('0')", "1.0 paused ('0')", "2.0 paused ('1')", "4.0 paused ('1')",
        "5.0 playing ('1')", "6.5 finished",
      ])
    #expect(played.events.filter { $0.event.name == "track" }.map(\.session) == [0, 5])
    let isSilent = played.left[8_160...40_000].allSatisfy { $0 == 0 }
    #expect(isSilent && played.left[40_160] == 0.23)
  }

  @Test func `music paused in a crossfade across the end of its stage resumes with the next stage`() async {
    let shape = FadeShape(length: 8_000, curve: .linear)
    let session = programme([
      Programme.Stage("A", [track("0", 30_000), track("1", 20_000)], for: .frames(28_000), crossfade: shape),
      Programme.Stage("B", [track("2", 50_000)], crossfade: shape),
    ])
    let commands = [(24_000.0, Command.music(.pause)), (40_000.0, .music(.resume))].map { ($0.0 / 8_000, [$0.1]) }
    let played = await perform(session, library, doing: TimedCommands(commands))
    let names = played.events.map(\.event.name).filter { $0.hasPrefix("crossfade.") && $0 != "crossfade.progress" }
    #expect(names == ["crossfade.started", "crossfade.paused", "crossfade.cancelled"])
    #expect(played.performance.reason == .completed && played.performance.totals.tracks == 3)
  }

  /// Compares what was heard with what was reported.
  private struct Lies {
    private struct Reported {
      var frame: Int
      var state: PlayerState
      /// The frames of a fade-out, from its first report to its end.
      var fade: Range<Int>?

      let isMusicPaused: Bool
      // These are derived from the state once, because at every frame that would take longer than playing the session.
      let kind: PlayerState.Kind
      /// The levels of the current and of the next track; nil without one.
      let level: Float?
      let nextLevel: Float?

      init(_ state: PlayerState, from frame: Int, isMusicPaused: Bool = false) {
        (self.frame, self.state, self.isMusicPaused) = (frame, state, isMusicPaused)
        kind = state.kind
        level = state.currentTrack.flatMap { levels[$0.title] }
        nextLevel = state.nextTrack.flatMap { levels[$0.title] }
      }

      /// The highest possible gain of the fade-out: a command's has an S curve, that of the session file a linear one.
      func highestGain(at frame: Int) -> Float {
        guard let fade else { return 1 }
        let gains = [FadeCurve.linear, .sCurve].map {
          Fade.falling(at: FrameTime(fade.lowerBound), over: FrameCount(fade.count), $0).gain(at: FrameTime(frame))
        }
        return gains.max() ?? 1
      }
    }

    private let left: [Float]
    private var states: [Reported] = []
    /// Where a crossfade was complete.
    private var completed: Set<Int> = []
    /// Where a command fades what it changes. These frames are not compared.
    private var eased: [Range<Int>] = []
    /// Where a track that was left during a crossfade or a pause may fade out under the reported one.
    private var tails: [Range<Int>] = []
    /// Where a track that begins after silence may fade in.
    private var fadeIns: [Range<Int>] = []
    /// Where a track may fade out into silence, because its stage has ended or it has been removed.
    private var fadeOuts: [Range<Int>] = []

    init(_ played: RenderedProgramme) {
      left = played.left
      var isSilent = true
      for event in played.events {
        let frame = Int(testRate.frames(event.session))
        switch event.event {
        case .command(let name, _, .ended(let outcome)):
          eased.append(frame - 1..<frame + 2 * ramp + 1)
          // A track that is selected during a pause begins after it, and may fade in.
          if ["play", "resume", "toggle"].contains(name) { fadeIns.append(frame..<frame + ramp + longestFade) }
          if name == "playlist", outcome == .done { fadeOuts.append(frame..<frame + longestFade) }
        case .trackSkipped: eased.append(frame - 1..<frame + ramp + 1)
        case .stageStarted:
          tails.append(frame..<frame + longestFade)
          fadeOuts.append(frame..<frame + longestFade)
        case .crossfadeCompleted: completed.insert(frame)
        case .crossfadeCancelled: tails.append(frame..<frame + longestFade)
        case .state(let state, let previous):
          var reported = Reported(state, from: frame, isMusicPaused: event.isMusicPaused)
          if case .fadingOut(_, let duration) = state {
            let end = frame + Int(testRate.frames(duration))
            let running = states.last?.fade.flatMap { abs($0.upperBound - end) < 2 ? $0 : nil }
            reported.fade = running ?? frame..<end
            // The track that is reported may crossfade with the one before it.
            if running != nil { tails.append(frame..<frame + longestFade) }
          }
          states.append(reported)
          // A sound that is cut off at this point fades out to avoid a click.
          if state == .finished || state == .playing(track: nil) { eased.append(frame - ramp..<frame) }
          if previous == "paused" || previous == "crossfadePaused" { tails.append(frame..<frame + longestFade) }
          if case .playing(.some) = state, isSilent { fadeIns.append(frame..<frame + longestFade) }
          isSilent = ["playing", "fadingOut"].contains(state.name) ? state.currentTrack == nil : state.kind.isSilent
        default: break
        }
      }
    }

    /// Describes the first frame whose level does not match the state.
    var first: String? {
      var next = eased[...]
      let end = Reported(.finished, from: left.count)
      for (now, then) in zip(states, states.dropFirst() + [end]) {
        let progress = progress(now, then)
        for frame in now.frame..<max(now.frame, min(then.frame, left.count)) {
          while let first = next.first, first.upperBound <= frame { next.removeFirst() }
          if has(next, frame) || isTrue(now, progress, until: then.frame, at: frame) { continue }
          return "frame \(frame): \(now.state) since \(now.frame), the level is \(left[frame]); "
            + "then \(then.frame) \(then.state)"
        }
      }
      return nil
    }

    /// - Parameters:
    ///   - progress: of a crossfade, from the report of the state to the next report.
    ///   - end: the frame of the next report.
    private func isTrue(_ now: Reported, _ progress: (begin: Double, end: Double)?, until end: Int, at frame: Int)
      -> Bool
    {
      let (heard, before) = (left[frame], left[max(0, frame - 1)])
      let (isFalling, isRising) = (heard <= before + 1e-4, before <= heard + 2e-4)
      let level = now.level ?? 0
      switch now.kind {
      case .crossfading:
        let beneath = has(tails, frame) ? levels.values.max() ?? 0 : 0
        let (from, to) = (level, now.nextLevel ?? 0)
        guard let progress, beneath == 0 else { return heard <= from + to + beneath + 1e-4 }
        let passed = Double(frame - now.frame) / Double(end - now.frame)
        let share = Float(progress.begin + (progress.end - progress.begin) * passed)
        // An outgoing track that ends before the crossfade does fades out sooner.
        return to * share - 1e-3 < heard && heard < from * (1 - share) + to * share + 1e-3
      case .fadingOut:
        if now.isMusicPaused { return heard < 2e-4 }
        if now.level != nil, (now.fade?.prefix(3 * ramp) ?? 0..<0).contains(frame), heard == 0 { return false }
        if has(tails, frame) { return isFalling || heard <= level + (levels.values.max() ?? 0) }
        return heard <= level * now.highestGain(at: frame) + 1e-3
      case .playing where now.level != nil:
        if abs(heard - level) < 2e-4 { return true }
        let isBelow = heard < level + 2e-4
        // A sound that is cut off at this point fades out to avoid a click.
        if end - ramp <= frame, isBelow, isFalling { return true }
        if has(fadeIns, frame), isBelow, isRising { return true }
        if has(fadeOuts, frame), isBelow, isFalling { return true }
        return has(tails, frame) && level - 2e-4 < heard && heard <= before + level + 1e-4
      default: return abs(heard) < 2e-4 || has(tails, frame) && isFalling
      }
    }

    /// The progress at two reports of one crossfade; nil if the second one is of another state, which cut the crossfade
    /// off.
    private func progress(_ now: Reported, _ then: Reported) -> (begin: Double, end: Double)? {
      guard case .crossfading(_, let to, let progress) = now.state else { return nil }
      switch then.state {
      case .crossfading(_, to, let later): return (progress, later)
      // A navigation lets the last tenth of a crossfade finish under the next one.
      case .playing(to) where completed.contains(then.frame) && !has(eased, then.frame): return (progress, 1)
      default: return nil
      }
    }

    private func has(_ ranges: some Sequence<Range<Int>>, _ frame: Int) -> Bool {
      ranges.contains { $0.contains(frame) }
    }
  }
}

extension PlayerState.Kind {
  /// Whether nothing is heard in this state.
  fileprivate var isSilent: Bool { ![.playing, .preparingCrossfade, .crossfading, .fadingOut].contains(self) }
}
