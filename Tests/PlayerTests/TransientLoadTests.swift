import Sounds
@testable import Player
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

/// Sounds that fail to open for a cause that may pass, and how loads and skipped tracks are reported.
@Suite struct TransientLoadTests {
  /// A library whose sounds named "B…" fail to open the first `failures` times each.
  private struct FlakyLibrary: SoundLibrary {
    let sounds: TestLibrary
    let failures: Int
    let error: SourceError
    private let opens = Opens()

    private final class Opens: Sendable {
      let counts = Mutex<[String: Int]>([:])
    }

    init(failing failures: Int, with error: SourceError = .unavailable(path: "B", cause: "the disk wakes up")) {
      let names = ["A", "B", "B2", "B3", "C"]
      sounds = TestLibrary(
        Dictionary(uniqueKeysWithValues: names.map { ($0, TestLibrary.Sound.constant(0.25, length: 8_000)) }))
      (self.failures, self.error) = (failures, error)
    }

    func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
      try sounds.probe(source, at: rate)
    }

    func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
      let count = opens.counts.withLock { counts in
        counts[source.label, default: 0] += 1
        return counts[source.label, default: 0]
      }
      if source.label.hasPrefix("B"), count <= failures { throw error }
      return try sounds.open(source, at: rate, from: offset)
    }
  }

  private func stage(_ name: String, _ tracks: String..., passes: Int = 1) -> Programme.Stage {
    Programme.Stage(
      name, tracks.map { track($0, 8_000) }, repetition: passes == 1 ? .off : .playlist, repeatCount: passes - 1)
  }

  private func told(_ played: RenderedProgramme) -> [String] {
    played.events.compactMap { event in
      switch event.event {
      case .track(let title, _, let pass, _): "\(title) \(pass) at \(event.session)"
      case .trackSkipped(let title, _): "skipped \(title) at \(event.session) in \(event.stage ?? "")"
      default: nil
      }
    }
  }

  @Test(arguments: [
    (0, ["A 0 at 0.0", "B 0 at 1.0", "A 1 at 2.0", "B 1 at 3.0"]),
    (1, ["A 0 at 0.0", "B 0 at 1.0", "A 1 at 2.0", "B 1 at 3.0"]),
    (2, ["A 0 at 0.0", "skipped B at 1.0 in S", "A 1 at 1.0", "B 1 at 2.0"]),
    (4, ["A 0 at 0.0", "skipped B at 1.0 in S", "A 1 at 1.0", "skipped B at 2.0 in S"]),
  ])
  func `a track that can't be opened now is tried again at once, and at its next turn`(
    _ failures: Int, _ expected: [String]
  ) async {
    let played = await perform(programme([stage("S", "A", "B", passes: 2)]), FlakyLibrary(failing: failures))
    #expect(told(played) == expected)
    #expect(unendedLoads(in: played.events).isEmpty)
  }

  @Test func `a damaged track is tried once, and never again`() async {
    let library = FlakyLibrary(failing: 1, with: .unknownFormat(path: "B"))
    let played = await perform(programme([stage("S", "A", "B", passes: 2)]), library)
    #expect(told(played) == ["A 0 at 0.0", "skipped B at 1.0 in S", "A 1 at 1.0"])
  }

  @Test func `a stage whose tracks all fail ends although they could be tried again`() async {
    let stages = [stage("S", "B", "B2", passes: 100), stage("T", "A")]
    let played = await perform(programme(stages), FlakyLibrary(failing: .max))
    #expect(told(played) == ["skipped B at 0.0 in S", "skipped B2 at 0.0 in S", "A 0 at 0.0"])
  }

  @Test func `a track is skipped in its own stage, at its time`() async {
    let library = FlakyLibrary(failing: .max, with: .unknownFormat(path: "B"))
    let played = await perform(programme([stage("S", "A"), stage("T", "C", "B", "A")]), library)
    let skipped = played.events.filter { ["track.skipped", "error"].contains($0.event.name) }
    #expect(skipped.map(\.session) == [2, 2])
    #expect(skipped.map(\.stage) == ["T", "T"])
  }

  @Test(arguments: [(["A", "B", "B2", "B3"], "noValidTracksInPlaylist"), (["A", "B", "B2", "B3", "C"], "skipFailed")])
  func `a next that fails three times says whether tracks are left`(_ names: [String], _ code: String) async {
    let log = CommandLog()
    let tracks = Programme.Stage("S", names.map { track($0, 8_000) }, for: .natural)
    _ = await perform(
      programme([tracks]), FlakyLibrary(failing: .max, with: .unknownFormat(path: "B")),
      doing: TimedCommands([(0.1, [.next])], log: log))
    let codes = log.outcomes.map { if case .rejected(let error) = $0 { error.code } else { $0.name } }
    #expect(codes == [code])
  }

  @Test func `each load that begins ends, whatever the commands do`() async {
    let commands: [Command] = [
      .next, .previous, .seek(.by(0.3)), .gong(Cue("C")), .overlay(.play(OverlayRequest(cue: Cue("A")))),
      .playlist(.append([Cue("C")])), .pause, .resume, .nextStage, .jump(track: 1), .finish(fade: 0.5), .stop,
    ]
    var random = Random(seed: 34)
    for _ in 0..<40 {
      var due: [(Double, [Command])] = []
      for step in 1...8 {
        let command = commands[random.next(0...commands.count - 1)]
        due.append((Double(step) * 0.4, [command]))
      }
      let stages = [stage("S", "A", "B", "C", passes: 3), stage("T", "C", "B2", "A")]
      let failures = random.next(0...3)
      let played = await perform(programme(stages), FlakyLibrary(failing: failures), doing: TimedCommands(due))
      #expect(unendedLoads(in: played.events).isEmpty, "\(due) with \(failures) failures")
      #expect(played.events.allSatisfy { $0.session <= $0.run })
    }
  }

  /// The IDs of loads without exactly one end after their beginning.
  private func unendedLoads(in events: [StampedEvent]) -> Set<LoadID> {
    var (open, wrong) = (Set<LoadID>(), Set<LoadID>())
    for event in events {
      switch event.event {
      case .loadStarted(_, let id): if !open.insert(id).inserted { wrong.insert(id) }
      case .loadCompleted(_, let id, _), .loadFailed(_, let id, _), .loadTimeout(_, let id, _):
        if open.remove(id) == nil { wrong.insert(id) }
      default: break
      }
    }
    return open.union(wrong)
  }

  @Test func `a load that is open when the session ends is cancelled`() throws {
    var loads = OpenLoads()
    for number in 1...2 { loads.note(.loadStarted(title: "\(number)", id: LoadID(number)), stage: number, at: 0) }
    loads.note(.loadCompleted(title: "2", id: LoadID(2), milliseconds: 5), stage: 2, at: 0.1)
    let cancelled = loads.cancelAll()
    #expect(cancelled.map(\.stage) == [1])
    if case .loadFailed("1", id: LoadID(1), .cancelled)? = cancelled.first?.event {
    } else {
      Issue.record("\(cancelled)")
    }
    #expect(loads.cancelAll().isEmpty)
  }

  /// The end is noted in a later frame than the one with which the session ends.
  @Test func `a load that has ended is reported before the session is over`() throws {
    let schedule = Schedule(programme([stage("S", "A")]), fromStage: 0)
    var timeline = EventTimeline(schedule, from: 0)
    let clip = try #require(schedule.clips(from: 0).head)
    timeline.note(.loadStarted(clip, LoadID(1)), at: 0)
    timeline.note(.loadEnded(clip, LoadID(1), .loadCompleted(title: "A", id: LoadID(1), milliseconds: 5)), at: 900)
    timeline.note(.loadStarted(clip, LoadID(2)), at: 900)
    timeline.note(.loadEnded(clip, LoadID(2), .loadCompleted(title: "A", id: LoadID(2), milliseconds: 5)), at: 901)
    let names = (timeline.advance(to: 10) + timeline.close(at: 100)).map(\.event.name)
    #expect(names.filter { $0.hasPrefix("load.") } == ["load.started", "load.completed"])
  }

  @Test func `each second of a load is told, and once that its command can be cancelled`() {
    var loads = OpenLoads()
    loads.note(.loadStarted(title: "A", id: LoadID(1)), stage: 0, at: 10)
    loads.note(.loadStarted(title: "B", id: LoadID(2)), stage: 1, at: 10.5)
    loads.hold("gong", for: LoadID(2))
    func told(_ now: Double) -> [String] {
      loads.progress(at: now).map { stage, event in
        switch event {
        case .loadProgress(let title, let id, let milliseconds): "\(stage ?? -1) \(title) \(id) \(milliseconds)"
        case .loadCancellable(let title, _, let command): "\(command) waits for \(title)"
        default: event.name
        }
      }
    }
    #expect(loads.nextProgress == 11 && loads.lasting == nil && told(10.99).isEmpty)
    #expect(told(11.25) == ["0 A load-1 1000.0"] && loads.nextProgress == 11.5 && loads.lasting == "A")
    #expect(told(13.5) == ["0 A load-1 3000.0", "1 B load-2 3000.0", "gong waits for B"])
    loads.note(.loadTimeout(title: "A", id: LoadID(1), milliseconds: 4_000), stage: 0, at: 14)
    #expect(told(14.5) == ["1 B load-2 4000.0"] && loads.nextProgress == 15.5)
  }

  @Test func `the status goes on between two passes of the player`() {
    var status = PlayerStatus(
      title: "t", moment: PlayerMoment(run: 5, session: 4, state: "playing", track: "A", position: 3),
      trackDuration: 3.5)
    status.planned = 4
    let later = status.advanced(to: 4.25, at: 5.25)
    #expect((later.moment.run, later.moment.session, later.moment.position, later.planned) == (5.25, 4.25, 3.25, 4.25))
    #expect(status.advanced(to: 6, at: 7).moment.position == 3.5)
    #expect(status.advanced(to: 3.9, at: 5.1).moment.session == 4)
    status.isMusicPaused = true
    #expect(status.advanced(to: 4.25, at: 5.25).moment.position == 3)
  }
}
