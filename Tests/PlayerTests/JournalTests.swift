import Foundation
import Signal
import Sounds
import TestSupport
import Testing

@testable import Player
@testable import Schedule

/// A resumed session sounds as if it had not been interrupted, whichever commands came before.
@Suite struct JournalTests {
  let library = TestLibrary([
    "0": .noise(seed: 1, length: 30_000, level: 0.1), "1": .noise(seed: 2, length: 20_000, level: 0.1),
    "2": .noise(seed: 3, length: 50_000, level: 0.1), "bad": .init(length: 20_000, brokenAt: 0) { _ in .silence },
    "voice": .noise(seed: 4, length: 4_000, level: 0.1), "3": .noise(seed: 5, length: 4_000, level: 0.1),
    "4": .noise(seed: 6, length: 4_000, level: 0.1), "5": .noise(seed: 7, length: 4_000, level: 0.1),
  ])

  /// The frames over which a pause fades out and in. A session that is resumed from a file has no such fade-in.
  private static let ramp: FrameTime = 160

  @Test(arguments: 1...60)
  func `a session resumed from any saved position sounds like an uninterrupted one`(seed: UInt64) async throws {
    var random = Random(seed: seed)
    var session = ModelTests.session(&random)
    for layout in session.layout { Self.addCues(to: layout, of: &session, &random) }
    var commands = ModelTests.commands(&random)
    for index in commands.indices where random.next(0...3) == 0 { commands[index].1.append(Self.command(&random)) }
    let start = seed % 2 == 0 ? 0 : FrameTime(random.next(0...Int(session.layout[0].end ?? 10_000) / 2))
    let played = await perform(session, library, from: start, doing: TimedCommands(commands))
    let whole = Array(repeating: Frame.silence, count: Int(start)) + played.frames
    let places = played.events.compactMap { $0.position?.journal }
    let fadeOut = played.events.first { ["fadingOut", "finished"].contains(Self.state($0)) }
    let last = fadeOut.map { testRate.frames($0.session) } ?? FrameTime(whole.count)
    var compared = 0
    for _ in 0..<40 where compared < 6 {
      let index = random.next(0...places.count - 1)
      let position = try Self.reread(places[index])
      // A session that was saved while paused plays when it is resumed, so the two can't be compared.
      guard try #require(position.replayed(in: session)).journal.entries == position.entries else { continue }
      let next = places[index...].first { $0.entries != position.entries }?.entries.last?.at ?? .endless
      let resumed = await perform(session, library, after: position)
      compared += 1
      compare(
        resumed.frames, whole, from: position.frame, to: min(next, last), "seed \(seed), after \(position.entries)")
    }
    #expect(0 < compared)
  }

  @Test func `a session whose changes are unknown resumes with the saved volumes`() async throws {
    var session = Self.oneTrack
    let louder = await perform(session, library, from: 8_000)
    var volumes = Volumes(master: Gain(linear: 0.25))
    volumes.music = Gain(linear: 0.5)
    session.master = volumes.master
    let softer = await perform(session, library, after: Journal(stage: 0, start: 8_000, volumes: volumes))
    #expect(softer.left == louder.left.map { $0 * 0.125 } && louder.left.contains { $0 != 0 })
    #expect(softer.events.compactMap(\.position).last?.volumes == volumes)
  }

  @Test func `only the volumes are saved when there are more changes than a journal holds`() async throws {
    let session = Self.oneTrack
    let many = (0...Journal.maximumEntries).map { Command.crossfade(duration: Double(1 + $0 % 2), curve: nil) }
    let played = await perform(
      session, library, doing: TimedCommands([(0.5, [.volume(Gain(linear: 0.5), over: 0)]), (1, many)]))
    let places = played.events.compactMap(\.position)
    #expect(places.first?.journal != nil && places.last?.journal == nil)
    #expect(places.last?.volumes == Volumes(master: Gain(linear: 0.5)))
    #expect(
      played.lines.contains { $0.contains("501 changes are too many to save: a resumed session will keep the volumes") }
    )
  }

  private static var oneTrack: Programme {
    programme([Programme.Stage("A", [track("0", 30_000)], for: .frames(30_000))])
  }

  private static func command(_ random: inout Random) -> Command {
    let gain = Gain(linear: Float(random.next(1...9)) / 10)
    // Different sounds, because overlays that begin at one frame with the same sound can't be distinguished.
    let name = "\(random.next(3...5))"
    let overlay = OverlayRequest(
      cue: Cue(name), fadeIn: 0.1, fadeOut: 0.2, curve: .linear, times: .times(3), delay: 0.4,
      ducking: OverlayRequest.Ducking(depth: gain, attack: 0.1, release: 0.7), isLayer: random.next(0...1) == 0)
    return [
      .volume(gain, over: 0.3), .effects(.volume(gain, over: 1)), .overlay(.volume(gain, over: 0.5)),
      .overlay(.play(overlay)), .overlay(.play(overlay)), .overlay(.repetition(.times(2), delay: 0.2)),
    ][random.next(0...5)]
  }

  /// Adds a gong, and an overlay that ducks the music.
  private static func addCues(to stage: StageLayout, of session: inout Programme, _ random: inout Random) {
    let length = (stage.end ?? 0) - stage.begin
    let places = (0..<2).map { _ in Double(random.next(0...Int(max(1, length - 4_000)))) }.sorted()
    let duck = Duck(depth: Gain(linear: 0.3), attack: 900, release: 5_000)
    session.stages[stage.stage].gongs = [Programme.Gong("voice", 4_000, at: places[0])]
    session.stages[stage.stage].overlays = [Programme.Overlay("voice", 4_000, at: places[1], ducking: duck)]
  }

  private static func state(_ event: StampedEvent) -> String {
    if case .state(let state, _) = event.event { state.name } else { "" }
  }

  /// The journal as it is read back from a file.
  private static func reread(_ journal: Journal) throws -> Journal {
    try JSONDecoder().decode(Journal.self, from: JSONEncoder().encode(journal))
  }

  private func distance(_ a: Frame, _ b: Frame) -> Float { max(abs(a.left - b.left), abs(a.right - b.right)) }

  /// Compares up to rounding: voices are summed in the order in which they were planned, which differs.
  private func compare(
    _ resumed: [Frame], _ whole: [Frame], from start: FrameTime, to end: FrameTime, _ note: Comment
  ) {
    for frame in start + Self.ramp..<max(start + Self.ramp, min(end, FrameTime(whole.count))) {
      let index = Int(frame - start)
      guard index < resumed.count,
        resumed[index] == whole[Int(frame)] || distance(resumed[index], whole[Int(frame)]) < 1e-6
      else {
        Issue.record("\(note): from \(start) to \(end): frame \(frame) differs, of \(resumed.count) and \(whole.count)")
        return
      }
    }
  }
}
