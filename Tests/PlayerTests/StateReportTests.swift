import Sounds
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

/// The states that a whole player reports while its listener acts. Three tracks of ten seconds, with crossfades of two.
@Suite struct StateReportTests {
  let library = TestLibrary([
    "A": .constant(0.1, length: 80_000), "B": .constant(0.2, length: 80_000), "C": .constant(0.3, length: 80_000),
  ])

  private var session: Programme {
    let shape = FadeShape(length: 16_000, curve: .equalPower)
    let tracks = [track("A", 80_000), track("B", 80_000), track("C", 80_000)]
    return programme([Programme.Stage("S", tracks, for: .frames(208_000), crossfade: shape)], fadeOut: 32_000)
  }

  @Test func `without commands, the music crossfades twice and fades out`() async {
    #expect(
      await reportedStates([])
        == "preparing A, playing A, crossfading A → B, playing B, crossfading B → C, playing C, fadingOut C, finished")
  }

  @Test func `a paused crossfade continues when the session resumes`() async {
    let reported = await reportedStates([(8.5, [.pause]), (60, [.resume])])
    #expect(
      reported
        == "preparing A, playing A, crossfading A → B, crossfadePaused A → B, crossfading A → B, playing B, "
        + "crossfading B → C, playing C, fadingOut C, finished")
  }

  @Test func `next at the beginning of a crossfade returns to the old track first`() async {
    let reported = await reportedStates([(8.2, [.next])])
    #expect(reported.hasPrefix("preparing A, playing A, crossfading A → B, playing A, crossfading A → C, playing C"))
  }

  /// A crossfade of two seconds from 8 s on. Its last tenth is heard to the end under the next one.
  @Test(arguments: [(9.9, "crossfade.completed"), (9.7, "crossfade.cancelled")])
  func `next near the end of a crossfade lets it finish, and reports it so`(_ at: Double, _ end: String) async {
    let played = await perform(session, library, doing: TimedCommands([(at, [.next])]))
    let first = played.events.first { ["crossfade.completed", "crossfade.cancelled"].contains($0.event.name) }
    #expect(first?.event.name == end && first?.session == at)
  }

  @Test func `a seek within a track does not report another track`() async {
    let reported = await reportedStates([(1, [.seek(.to(5))]), (2, [.pause]), (3, [.seek(.to(1))]), (4, [.resume])])
    #expect(reported.hasPrefix("preparing A, playing A, paused A, paused A, playing A, crossfading A → B"))
  }

  @Test func `next during a pause shows the next track at once`() async {
    let reported = await reportedStates([(2, [.pause]), (3, [.next]), (4, [.resume])])
    #expect(reported.hasPrefix("preparing A, playing A, paused A, paused B, playing B, crossfading B → C"))
  }

  @Test func `next during a paused crossfade cancels the crossfade`() async {
    let reported = await reportedStates([(9, [.pause]), (10, [.next]), (11, [.resume])])
    #expect(reported.hasPrefix("preparing A, playing A, crossfading A → B, crossfadePaused A → B, paused C, playing C"))
  }

  @Test func `a crossfade paused with the music alone continues after a change of volume`() async {
    let reported = await reportedStates([
      (9, [.music(.pause)]), (12, [.volume(Gain(linear: 0.5), over: 1)]), (15, [.music(.resume)]),
    ])
    #expect(
      reported.hasPrefix(
        "preparing A, playing A, crossfading A → B, crossfadePaused A → B, crossfading A → B, playing B, fadingOut C"
      ))
  }

  @Test func `a crossfade paused with the music alone in its second half ends a second after it resumes`() async {
    let shape = FadeShape(length: 32_000, curve: .equalPower)
    let tracks = [track("A", 80_000), track("B", 80_000)]
    let long = programme([Programme.Stage("S", tracks, for: .frames(160_000), crossfade: shape)])
    let played = await perform(
      long, library, doing: TimedCommands([(8.4, [.music(.pause)]), (12, [.music(.resume)])]))
    let reported = played.events.filter { $0.event.name == "crossfade.completed" }.map(\.session)
    #expect(reported == [13])
    let frame = 96_800 + 160
    #expect(played.left[104_000] == 0.2 && 0.2 < played.left[frame] && played.left[103_999] != 0.2)
  }

  @Test func `next while the music alone is paused selects the next track`() async {
    let reported = await reportedStates([(2, [.music(.pause)]), (3, [.next]), (4, [.music(.resume)])])
    #expect(reported.hasPrefix("preparing A, playing A, paused A, paused B, playing B, crossfading B → C"))
  }

  @Test func `the final fade-out continues after a change of volume and after a pause`() async {
    let reported = await reportedStates([(23, [.volume(Gain(linear: 0.5), over: 1)]), (24, [.pause]), (25, [.resume])])
    #expect(reported.hasSuffix("playing C, fadingOut C, paused C, fadingOut C, finished"))
  }

  @Test func `events are reported in the order of their times`() async {
    let played = await perform(
      session, library, doing: TimedCommands([(8.2, [.next]), (9, [.pause]), (20, [.resume]), (21, [.previous])]))
    #expect(zip(played.events, played.events.dropFirst()).allSatisfy { $0.session <= $1.session && $0.run <= $1.run })
    var last = "idle"
    for event in played.events {
      guard case .state(let state, let previous) = event.event else { continue }
      #expect(previous == last)
      last = state.name
    }
  }

  /// The states in order; the steps of one crossfade count once.
  private func reportedStates(_ commands: [(Double, [Command])]) async -> String {
    let played = await perform(session, library, doing: TimedCommands(commands))
    var reported: [String] = []
    for event in played.events {
      guard case .state(let state, _) = event.event else { continue }
      let tracks = [state.currentTrack, state.nextTrack].compactMap { $0?.title }.joined(separator: " → ")
      let words = tracks.isEmpty ? state.name : "\(state.name) \(tracks)"
      if state.kind != .crossfading || reported.last != words { reported.append(words) }
    }
    return reported.joined(separator: ", ")
  }
}
