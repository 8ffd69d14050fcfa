import Foundation
import Signal
import Sounds
import Synchronization
import TestSupport
import Testing

@testable import Player
@testable import Schedule

/// A session whose file is read again sounds from then on like the new file, and the stage goes on at its position.
///
/// Levels identify the tracks: a is 0.5, b 0.25, c 0.125, each ten seconds long. Crossfades are linear and take two
/// seconds.
@Suite struct ReloadTests {
  private static let library = TestLibrary([
    "a": .constant(0.5, length: 80_000), "b": .constant(0.25, length: 80_000), "c": .constant(0.125, length: 80_000),
    "ramp": .init(length: 80_000) { Frame(mono: Float($0) / 1_048_576) },
    "rain": .constant(0.0625, length: 400_000), "bell": .constant(0.03125, length: 16_000),
    "bad": .init(length: 80_000, brokenAt: 0) { _ in .silence },
  ])

  private static func stage(
    _ name: String, _ tracks: [String], for duration: Programme.StageDuration = .frames(160_000)
  ) -> Programme.Stage {
    let shape = FadeShape(length: 16_000, curve: .linear)
    return Programme.Stage(
      name, tracks.map { track($0, 80_000) }, for: duration, repetition: .playlist, crossfade: shape)
  }

  /// Stages of 20 seconds; a repeats in A, b in B.
  private static let session = programme([stage("A", ["a"]), stage("B", ["b"])])

  /// Plays a session whose file has changed to one of `versions` at each reload.
  private func play(
    _ session: Programme = Self.session, to versions: [Result<Programme, PlayerError>],
    _ commands: [(Double, [Command])], log: CommandLog = CommandLog(), after journal: Journal? = nil
  ) async -> RenderedProgramme {
    let rest = Mutex(versions)
    let read: ReloadedSession.Reading = {
      rest.withLock { $0.isEmpty ? .failure(.ended) : $0.removeFirst() }.map { ReloadedSession(programme: $0) {} }
    }
    return await perform(
      session, Self.library, after: journal, doing: TimedCommands(commands, log: log), reloading: read)
  }

  private func planned(_ session: Programme) async -> RenderedProgramme { await perform(session, Self.library) }

  /// Whether the first session sounds like the second one, but for some frames.
  private func expect(
    _ edited: RenderedProgramme, like planned: RenderedProgramme, except frames: Range<Int> = 0..<0,
    within tolerance: Float = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(edited.left.count == planned.left.count, sourceLocation: sourceLocation)
    let wrong = zip(edited.left, planned.left).enumerated().first {
      !frames.contains($0.offset) && tolerance < abs($0.element.0 - $0.element.1)
    }
    #expect(wrong == nil, sourceLocation: sourceLocation)
  }

  private func times(of name: String, in played: RenderedProgramme) -> [Double] {
    played.events.filter { $0.event.name == name }.map(\.session)
  }

  @Test func `a later stage that has changed plays as the file has it now`() async {
    let new = programme([Self.stage("A", ["a"]), Self.stage("X", ["c"]), Self.stage("B", ["b"], for: .frames(40_000))])
    let edited = await play(to: [.success(new)], [(5, [.reload])])
    expect(edited, like: await planned(new))
    #expect(times(of: "stage.started", in: edited) == [0, 20, 40])
    #expect(edited.events.compactMap(\.stage).last == "B")
  }

  @Test func `the track that plays goes on without a gap, whatever follows it`() async {
    var old = Self.session
    old.stages[0].playlist = PlaylistManager([track("ramp", 80_000), track("b", 80_000)])
    var new = old
    new.stages[0].playlist = PlaylistManager([track("ramp", 80_000), track("c", 80_000)])
    new.stages[0].duration = .frames(120_000)
    let edited = await play(old, to: [.success(new)], [(5, [.reload])])
    expect(edited, like: await planned(new))
    #expect(
      times(of: "track", in: edited) == (await planned(new)).events.filter { $0.event.name == "track" }.map(\.session))
  }

  @Test func `another track at this place comes in with the crossfade of the stage`() async {
    let new = programme([Self.stage("A", ["c"]), Self.stage("B", ["b"])])
    let edited = await play(to: [.success(new)], [(5, [.reload])])
    expect(edited, like: await planned(new), except: 0..<56_000)
    let isCrossfade = (40_000..<56_000).allSatisfy { frame in
      abs(edited.left[frame] - (0.5 - 0.375 * Float(frame - 40_000) / 16_000)) < 1e-5
    }
    #expect(isCrossfade && edited.left[..<40_000].allSatisfy { $0 == 0.5 })
  }

  @Test func `a stage that is over by now in the new file ends, and its music crossfades into the next one`() async {
    let new = programme([Self.stage("A", ["c"], for: .frames(24_000)), Self.stage("B", ["b"])])
    let edited = await play(to: [.success(new)], [(5, [.reload])])
    #expect(times(of: "stage.started", in: edited) == [0, 5] && edited.left.count == 200_000)
    let isCrossfade = (40_000..<56_000).allSatisfy { frame in
      abs(edited.left[frame] - (0.5 - 0.25 * Float(frame - 40_000) / 16_000)) < 1e-5
    }
    #expect(isCrossfade)
  }

  @Test func `what commands have changed stays where the file has not changed`() async {
    var new = Self.session
    new.stages[1].playlist = PlaylistManager([track("c", 80_000)], repetition: .playlist)
    let edited = await play(
      to: [.success(new)], [(2, [.extend(by: 10), .playlist(.append([Cue("b")]))]), (5, [.reload])])
    var written = new
    written.stages[0].duration = .frames(240_000)
    written.stages[0].playlist = PlaylistManager([track("a", 80_000), track("b", 80_000)], repetition: .playlist)
    expect(edited, like: await planned(written))
    // The file wins where it has changed the same.
    new.stages[0].duration = .frames(80_000)
    let shorter = await play(to: [.success(new)], [(2, [.extend(by: 10)]), (5, [.reload])])
    #expect(times(of: "stage.started", in: shorter) == [0, 10])
  }

  @Test func `overlays that stay play on, others fade out or come in, and gongs ring out`() async {
    let rain = Programme.Overlay("rain", 400_000, at: 0)
    var old = programme([Self.stage("A", [], for: .frames(160_000)), Self.stage("B", ["b"])])
    old.stages[0].overlays = [rain]
    old.stages[0].gongs = [Programme.Gong("bell", 16_000, at: 36_000), Programme.Gong("bell", 16_000, at: 100_000)]
    var new = old
    new.stages[0].gongs = [Programme.Gong("bell", 16_000, at: 80_000)]
    let edited = await play(old, to: [.success(new)], [(5, [.reload])])
    let expected = await planned(new)
    expect(edited, like: expected, except: 0..<52_000)
    #expect(edited.left[36_000..<52_000].allSatisfy { $0 == 0.09375 })
    #expect(times(of: "gong", in: edited) == [4.5, 10] && times(of: "overlay.started", in: edited) == [0])
    new.stages[0].overlays = []
    let without = await play(old, to: [.success(new)], [(5, [.reload])])
    expect(without, like: await planned(new), except: 0..<52_000)
    #expect(without.left[40_000] == 0.09375 && without.left[44_000] < 0.0938 && 0.04 < without.left[44_000])
    #expect(times(of: "overlay.ended", in: without) == [6])
    // An overlay that should have begun before comes in at its position.
    let added = await play(new, to: [.success(old)], [(5, [.reload])])
    #expect(added.left[52_000..<80_000].allSatisfy { $0 == 0.0625 })
  }

  @Test func `a new volume of the stage is reached within a second`() async {
    var new = Self.session
    new.stages[0].gain = Gain(linear: 0.5)
    let edited = await play(to: [.success(new)], [(5, [.reload])])
    expect(edited, like: await planned(new), except: 0..<48_000)
    #expect(edited.left[40_000] == 0.5 && edited.left[44_000] < 0.4 && 0.3 < edited.left[44_000])
    new.stages[0].gain = .unity
    new.master = Gain(linear: 0.5)
    let master = await play(to: [.success(new)], [(5, [.reload])])
    expect(master, like: await planned(new), except: 0..<48_000)
  }

  @Test func `more or fewer stages before the current one change nothing that is heard`() async {
    let three = programme([Self.stage("N", ["c"]), Self.stage("A", ["ramp"]), Self.stage("B", ["b"])])
    let two = programme([Self.stage("A", ["ramp"]), Self.stage("B", ["b"])])
    let more = await play(two, to: [.success(three)], [(5, [.reload]), (6, [.previousStage])])
    let before = await planned(two).left[..<48_000]
    let isSame = zip(more.left, before).allSatisfy { abs($0 - $1) < 1e-7 }
    #expect(isSame)
    #expect(more.events.compactMap(\.stage).contains("N"))
    let fewer = await play(three, to: [.success(two)], [(25, [.reload])])
    expect(fewer, like: await planned(three), within: 1e-7)
    #expect(fewer.performance.reason == .completed)
  }

  @Test func `what can't be reloaded is refused with the reason, and changes nothing`() async {
    let log = CommandLog()
    var renamed = Self.session
    renamed.stages[0].name = "Other"
    var broken = Self.session
    broken.stages[0].playlist = PlaylistManager([track("bad", 80_000)])
    let wrong = PlayerError.invalidConfiguration(reason: "sit.yaml:3:1: 'stages' is empty; add one")
    let edited = await play(
      to: [.success(Self.session), .success(renamed), .failure(wrong), .success(broken)],
      [(5, [.reload, .reload, .reload, .reload])], log: log)
    expect(edited, like: await planned(Self.session))
    let words = log.outcomes.map { if case .rejected(let error) = $0 { "\(error.code): \(error)" } else { "\($0)" } }
    #expect(words.count == 4 && words[0] == "noEffect: the session file has not changed")
    #expect(words[1].hasPrefix("noSuchStage: the session file has no stage 'A' any more"))
    #expect(words[2] == "invalidConfiguration: sit.yaml:3:1: 'stages' is empty; add one")
    #expect(words[3].contains("bad"))
    let appLog = CommandLog()
    _ = await perform(Self.session, Self.library, doing: TimedCommands([(5, [.reload])], log: appLog))
    #expect("\(appLog.outcomes)".contains("was not read from a file"))
  }

  @Test(arguments: [40_000, 49_000, 80_000, 150_000, 170_000] as [FrameTime])
  func `a session that was reloaded resumes as it went on`(at frame: FrameTime) async throws {
    var old = Self.session
    old.stages[0].overlays = [Programme.Overlay("rain", 400_000, at: 0)]
    var new = old
    new.stages[1].playlist = PlaylistManager([track("c", 80_000)], repetition: .playlist)
    let commands: [(Double, [Command])] = [
      (1, [.extend(by: 4), .music(.volume(Gain(linear: 0.5)))]), (2, [.next]),
      (3, [.gong(Cue("bell")), .overlay(.play(OverlayRequest(cue: Cue("c"), times: .times(3), isLayer: true)))]),
      (5, [.reload]), (9, [.playlist(.append([Cue("c")]))]),
    ]
    let played = await play(old, to: [.success(new)], commands)
    let saved = try #require(played.events.last { testRate.frames($0.session) <= frame && $0.position?.journal != nil })
    let journal = try #require(saved.position?.journal)
    let read = try JSONDecoder().decode(Journal.self, from: JSONEncoder().encode(journal))
    #expect(read.fits(new) && read.frame <= frame)
    let resumed = await play(new, to: [], [], after: read)
    let rest = Array(played.left[Int(read.frame)...])
    let wrong = zip(resumed.left, rest).enumerated().first {
      // The music that fades out until then is that of the old file.
      max(160, 56_000 - Int(read.frame)) <= $0.offset && $0.element.0 != $0.element.1
    }
    #expect(wrong == nil)
    // A command after the saved position is missing.
    if 72_000 <= read.frame { #expect(resumed.left.count == rest.count) }
  }
}
