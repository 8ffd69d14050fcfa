import Player
import Schedule
import Signal
import Sounds
import TestSupport
import Testing

/// Besides the session time, a position event contains the planned time.
@Suite struct PlannedPlaceTests {
  let library = TestLibrary(["a": .constant(0.5, length: 80_000), "bell": .constant(0.25, length: 24_000)])

  private func stage(_ name: String, for duration: Programme.StageDuration = .frames(80_000)) -> Programme.Stage {
    Programme.Stage(name, [track("a", 80_000)], for: duration)
  }

  /// The planned time for each second of session time.
  private func places(
    in session: Programme, _ commands: [(Double, [Command])] = []
  ) async -> [Double: Double?] {
    let played = await perform(session, library, doing: TimedCommands(commands))
    let places = played.events.filter { $0.event.name == "position" }.map { ($0.session, $0.planned) }
    return Dictionary(places) { first, _ in first }
  }

  @Test func `without commands, the planned time equals the session time until the last bell ends`() async {
    var session = programme([stage("A"), stage("B")])
    session.gongs = [Programme.Gong(sound: Programme.Sound("bell", 24_000), .at([.beforeEnd(0)]))]
    let places = await places(in: session)
    #expect(places.count == 22 && places.allSatisfy { $0.key == $0.value })
  }

  @Test func `after a jump, the planned time is that of the new position`() async {
    let session = programme([stage("A"), stage("B"), stage("C")])
    let places = await places(in: session, [(2, [.goto(stage: "B", at: 3)]), (5, [.previousStage])])
    #expect(places[1] == 1 && places[3] == 14 && places[4] == 15 && places[6] == 1 && places[7] == 2)
  }

  @Test func `the planned time stays at the end of a stage that lasts longer than planned`() async {
    let session = programme([stage("A", for: .natural), stage("B")])
    let places = await places(in: session, [(8, [.seek(.by(-6))])])
    #expect(places[7] == 7 && places[9] == 9 && places[12] == 10 && places[15] == 10 && places[17] == 11)
  }

  @Test func `there is no planned time after an open stage`() async {
    let session = programme([stage("A", for: .open), stage("B")])
    let places = await places(in: session, [(2, [.nextStage]), (4, [.stop])])
    #expect(places[1] == 1 && places[3] == .some(nil))
  }
}
