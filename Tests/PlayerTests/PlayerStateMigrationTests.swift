import Engine
import Player
import Testing

@Suite struct PlayerStateMigrationTests {
  let strict = PlayerStateMigration(.strict)
  let lenient = PlayerStateMigration()

  private static let silent = ["silence", "pausedSilence"]
  /// A fade-out's length and how a crossfade goes on are known to nobody on the way back.
  private static let poorer = ["fadingOutA", "fadingOutB", "hurriedAB"]

  @Test(arguments: States.all.filter { !silent.contains($0.name) })
  func `the way there and back ends in the same simple state`(row: States.Named) throws {
    let simple = row.state.simple
    let back = try strict.state(from: simple, context(of: row.state))
    #expect(back.simple == simple && PlayerStateMigration.agrees(simple, with: back))
    #expect((back == row.state) != Self.poorer.contains(row.name))
  }

  @Test(arguments: States.all.filter { silent.contains($0.name) })
  func `a strict way back from silence asks for its track`(row: States.Named) throws {
    let simple = row.state.simple
    #expect(throws: MigrationError.self) { try strict.state(from: simple, context(of: row.state)) }
    #expect(try lenient.state(from: simple, context(of: row.state)) == .idle)
  }

  @Test func `a failure stays one, with its error`() throws {
    let error = AudioPlayerError.outputFailed(.lost(cause: "gone"))
    #expect(PlayerState.failed(error: error, recoverable: true).simple == .failed(error))
    #expect(try lenient.state(from: .failed(error)) == .failed(error: error, recoverable: true))
  }

  @Test(arguments: [SimplePlayerState.preparing, .playing, .paused])
  func `a track that is missing is an error, or silence`(simple: SimplePlayerState) throws {
    #expect(throws: MigrationError.missingTrackData(state: simple, context: "\(simple.name) without track")) {
      try strict.state(from: simple)
    }
    #expect(try lenient.state(from: simple) == .idle)
  }

  @Test func `a crossfade that is not whole is an error, or the track that sounds`() throws {
    var context = PlayerStateMigration.Context(active: States.a)
    context.isCrossfading = true
    for simple in [SimplePlayerState.preparing, .playing, .paused] {
      #expect(throws: MigrationError.self) { try strict.state(from: simple, context) }
    }
    #expect(try lenient.state(from: .playing, context) == .playing(track: States.a))
    #expect(try lenient.state(from: .paused, context) == .paused(track: States.a, position: 0))
    context.inactive = States.b
    context.progress = 7
    #expect(throws: MigrationError.self) { try strict.state(from: .playing, context) }
    #expect(try lenient.state(from: .playing, context) == .playing(track: States.a))
  }

  @Test func `a paused track keeps its true position`() throws {
    let context = PlayerStateMigration.Context(active: States.a, position: 12.5)
    #expect(try lenient.state(from: .paused, context) == .paused(track: States.a, position: 12.5))
    #expect(throws: MigrationError.self) { try lenient.state(from: .paused, .init(active: States.a, position: -1)) }
  }

  @Test func `a fade-out of unknown length takes three tenths, and without a track it is over`() throws {
    let context = PlayerStateMigration.Context(active: States.a)
    #expect(try strict.state(from: .fadingOut, context) == .fadingOut(track: States.a, duration: 0.3))
    #expect(try strict.state(from: .fadingOut) == .finished)
  }

  @Test func `errors name both states`() {
    let missing = MigrationError.missingTrackData(state: .paused, context: "paused without track")
    #expect("\(missing)" == "Migration failed: paused - paused without track")
    let mismatch = MigrationError.stateMismatch(simple: .playing, state: .finished, reason: "why")
    #expect("\(mismatch)" == "State mismatch: v1=playing v2=finished - why")
    #expect("\(MigrationError.invalidConfiguration(context: "position -1"))" == "Invalid configuration: position -1")
  }

  /// All that is known beside the simple state.
  private func context(of state: PlayerState) -> PlayerStateMigration.Context {
    var context = PlayerStateMigration.Context(active: state.currentTrack)
    context.isCrossfading = state.isCrossfadeRelated
    context.inactive = state.nextTrack
    context.progress = state.progress
    if case .paused(_, let position) = state { context.position = position }
    if case .crossfadePaused(_, _, _, _, let snapshot) = state { context.snapshot = snapshot }
    return context
  }
}
