import Engine
import Signal
import Testing

@testable import Player

/// Each change of the output and each input of the session, in each state that handles it differently.
@Suite struct AudioSessionManagerTests {
  /// What happens, when, and the actions that follow.
  struct Step<Input: Sendable, Action: Sendable>: Sendable {
    var at: Double
    var input: Input
    var actions: [Action]

    init(_ at: Double, _ input: Input, _ actions: [Action] = []) {
      (self.at, self.input, self.actions) = (at, input, actions)
    }
  }

  struct Scenario<Input: Sendable, Action: Sendable>: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var mode: AudioSessionManager.Mode
    var steps: [Step<Input, Action>]

    init(_ name: String, in mode: AudioSessionManager.Mode = .managed, _ steps: [Step<Input, Action>]) {
      (testDescription, self.mode, self.steps) = (name, mode, steps)
    }
  }

  typealias StreamScenario = Scenario<StreamChange, StreamAction>
  typealias SessionScenario = Scenario<AudioSessionManager.Input, AudioSessionManager.Action>

  static let gone = SinkError.lost(cause: "gone")
  static let card = AudioDevice(index: 1, name: "card")
  static let hall = AudioDevice(index: 2, name: "hall")

  static func headphones(unplugged: Bool) -> AudioDevice {
    AudioDevice(
      index: 1, name: "card", ports: [AudioDevice.Port(name: "headphones", isUnplugged: unplugged)],
      activePort: "headphones")
  }

  @Test(arguments: [
    StreamScenario(
      "the loss of a server is reported once, and so is its recovery",
      [
        Step(0, .opened()), Step(10, .failed(gone), [.disconnect, .send(.lost(cause: "gone"))]),
        Step(10.1, .failed(gone)),
        Step(13, .opened(), [.send(.restored(seconds: 3))]), Step(14, .opened()),
      ]),
    StreamScenario(
      "the loss of a device whose server runs is reported as such",
      [
        Step(0, .opened()),
        Step(10, .failed(.deviceLost(cause: "killed")), [.disconnect, .send(.lost(cause: "killed", ofDevice: true))]),
        Step(13, .opened(), [.send(.restored(seconds: 3))]),
      ]),
    StreamScenario(
      "an output that is missing at the start is reported without the advice to start it",
      [
        Step(
          1, .failed(.noServer(cause: "refused")),
          [.disconnect, .send(.lost(cause: "no sound server answers: refused"))]),
        Step(3, .opened(), [.send(.restored(seconds: 2))]),
      ]),
    StreamScenario(
      "a suspended device counts as an outage",
      [
        Step(1, .suspended(true), [.send(.lost(cause: "the output is suspended"))]), Step(2, .suspended(true)),
        Step(4, .suspended(false), [.send(.restored(seconds: 3))]), Step(5, .suspended(false)),
      ]),
    StreamScenario(
      "an outage lasts until the device of the new stream is no longer suspended",
      [
        Step(1, .opened(isSuspended: true), [.send(.lost(cause: "the output is suspended"))]),
        Step(3, .suspended(false), [.send(.restored(seconds: 2))]),
        Step(4, .failed(gone), [.disconnect, .send(.lost(cause: "gone"))]),
        Step(5, .opened(isSuspended: true)), Step(9, .suspended(false), [.send(.restored(seconds: 5))]),
      ]),
    StreamScenario(
      "a cork request is answered once, and a corked stream does not count as suspended",
      [
        Step(0, .corkRequested(false)), Step(1, .corkRequested(true), [.cork(true), .send(.corked(true))]),
        Step(1, .corkRequested(true)), Step(2, .suspended(true)),
        Step(3, .corkRequested(false), [.cork(false), .send(.corked(false))]),
      ]),
    StreamScenario(
      "a new stream is not corked",
      [
        Step(1, .corkRequested(true), [.cork(true), .send(.corked(true))]),
        Step(2, .failed(gone), [.disconnect, .send(.lost(cause: "gone"))]),
        Step(3, .opened(), [.send(.corked(false)), .send(.restored(seconds: 1))]),
      ]),
    StreamScenario(
      "a stream that leaves an existing device has moved, and one whose device is gone was unplugged",
      [
        Step(0, .device(card)), Step(1, .moved(hall)), Step(1, .left(card), [.send(.moved(to: "hall"))]),
        Step(2, .moved(card)), Step(2, .left(nil), [.send(.unplugged(to: "card"))]),
        Step(3, .moved(card), [.send(.moved(to: "card"))]),
      ]),
    StreamScenario(
      "headphones that are unplugged during playback are reported once",
      [
        Step(0, .device(headphones(unplugged: false))),
        Step(1, .device(headphones(unplugged: true)), [.send(.unplugged(to: "card"))]),
        Step(2, .device(headphones(unplugged: true))),
      ]),
    StreamScenario(
      "each call in an external session is reported, and neither hides a suspended device", in: .external,
      [
        Step(1, .corkRequested(true), [.send(.corked(true))]), Step(9, .corkRequested(true), [.send(.corked(true))]),
        Step(10, .suspended(true), [.send(.lost(cause: "the output is suspended"))]),
        Step(11, .suspended(false), [.send(.restored(seconds: 1))]),
      ]),
    StreamScenario(
      "an external session does not wait for its lost output", in: .external,
      [Step(5, .failed(gone), [.disconnect]), Step(6, .failed(gone))]),
  ])
  func `each change of the output leads to the expected actions`(_ scenario: StreamScenario) {
    let session = AudioSessionManager(mode: scenario.mode)
    for (index, step) in scenario.steps.enumerated() {
      #expect(session.handle(step.input, at: step.at) == step.actions, "step \(index)")
    }
  }

  @Test(arguments: [
    SessionScenario(
      "an interruption pauses the session, and the end of the last one resumes it",
      [
        Step(1, .received(.corked(true), canPause: true), [.report(.corked), .pause]),
        Step(2, .received(.asleep(true), canPause: true), [.report(.asleep)]),
        Step(3, .received(.corked(false), canPause: true)),
        Step(4, .received(.asleep(false), canPause: true), [.resume]),
      ]),
    SessionScenario(
      "a session that its listener paused stays paused",
      [
        Step(0, .listenerPaused), Step(1, .received(.corked(true), canPause: true), [.report(.corked)]),
        Step(2, .received(.corked(false), canPause: true)),
      ]),
    SessionScenario(
      "a listener's pause or resume during an interruption takes precedence",
      [
        Step(1, .received(.corked(true), canPause: true), [.report(.corked), .pause]), Step(2, .listenerPaused),
        Step(3, .received(.corked(false), canPause: true)),
        Step(4, .received(.asleep(true), canPause: true), [.report(.asleep)]), Step(5, .listenerResumed),
        Step(6, .received(.asleep(false), canPause: true)),
      ]),
    SessionScenario(
      "a session that can no longer pause is not paused",
      [
        Step(1, .received(.corked(true), canPause: false), [.report(.corked)]),
        Step(2, .received(.corked(false), canPause: false)),
        Step(3, .received(.unplugged(to: "hall"), canPause: false)),
        Step(4, .timePassed, [.report(.moved(to: "hall"))]),
      ]),
    SessionScenario(
      "only the last of several moves is reported, when it has settled",
      [
        Step(1, .received(.moved(to: "hall"), canPause: true)),
        Step(1.2, .received(.moved(to: "attic"), canPause: true)),
        Step(1.4, .timePassed), Step(1.5, .timePassed, [.report(.moved(to: "attic"))]), Step(2, .timePassed),
      ]),
    SessionScenario(
      "a move that has not settled is reported at the end of the session",
      [Step(1, .received(.moved(to: "hall"), canPause: true)), Step(1.1, .ended, [.report(.moved(to: "hall"))])]),
    SessionScenario(
      "an unplugged output pauses the session at once, and only the listener resumes it",
      [
        Step(1, .received(.moved(to: "attic"), canPause: true)),
        Step(1.1, .received(.unplugged(to: "hall"), canPause: true), [.report(.unplugged(to: "hall")), .pause]),
        Step(2, .timePassed), Step(3, .received(.corked(true), canPause: true), [.report(.corked)]),
        Step(4, .received(.corked(false), canPause: true)),
      ]),
    SessionScenario(
      "events in an external session are reported and cause no action", in: .external,
      [
        Step(1, .received(.corked(true), canPause: true), [.report(.corked)]),
        Step(2, .received(.asleep(true), canPause: true), [.report(.asleep)]),
        Step(3, .received(.unplugged(to: "hall"), canPause: true)), Step(4, .timePassed, [.report(.moved(to: "hall"))]),
      ]),
  ])
  func `what happens to the session leads to the expected actions`(_ scenario: SessionScenario) {
    let session = AudioSessionManager(mode: scenario.mode)
    for (index, step) in scenario.steps.enumerated() {
      #expect(session.handle(step.input, at: step.at) == step.actions, "step \(index)")
    }
  }

  @Test func `the intervals between attempts to reconnect grow up to two seconds`() {
    let session = AudioSessionManager(giveUpAfter: 300)
    #expect(session.recovery(at: 0) == nil)
    _ = session.handle(.failed(Self.gone), at: 100)
    var (now, pauses) = (100.0, [Double]())
    for _ in 0..<8 {
      guard case .wait(let seconds) = session.recovery(at: now) else { break }
      pauses.append((seconds * 1_000).rounded() / 1_000)
      now += seconds + 0.000_001
      #expect(session.recovery(at: now) == .retry)
      _ = session.handle(.failed(Self.gone), at: now)
    }
    #expect(pauses == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2, 2])
    #expect(session.recovery(at: 400) == .giveUp(Self.gone))
    _ = session.handle(.opened(), at: 401)
    #expect(session.recovery(at: 402) == nil)
  }

  /// The server accepts every stream, and ends it after 0.1 s.
  @Test func `attempts become rarer, and end, if every stream fails as soon as it is open`() {
    let session = AudioSessionManager(giveUpAfter: 300)
    _ = session.handle(.failed(Self.gone), at: 100)
    var (now, pauses) = (100.0, [Double]())
    while case .wait(let seconds) = session.recovery(at: now), now < 1_000 {
      pauses.append((seconds * 1_000).rounded() / 1_000)
      now += seconds + 0.000_001
      if case .giveUp = session.recovery(at: now) { break }
      _ = session.handle(.opened(), at: now)
      _ = session.handle(.failed(Self.gone), at: now + 0.1)
      now += 0.1
    }
    #expect(pauses.prefix(8) == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2, 2])
    #expect(session.recovery(at: now) == .giveUp(Self.gone) && (400..<402).contains(now))
    // A stream that has worked for a second ends the outage.
    _ = session.handle(.opened(), at: 500)
    _ = session.handle(.failed(Self.gone), at: 501.5)
    #expect(session.recovery(at: 501.5) == .wait(seconds: 501.5 + 0.05 - 501.5))
    // A server that takes long to restart does not lengthen the first interval of the next outage.
    for attempt in 1...9 { _ = session.handle(.failed(Self.gone), at: 501.5 + 0.01 * Double(attempt)) }
    _ = session.handle(.opened(), at: 501.8)
    _ = session.handle(.failed(Self.gone), at: 501.9)
    #expect(session.recovery(at: 501.9) == .wait(seconds: 501.9 + 0.1 - 501.9))
    // The length of each outage is reported on its own.
    _ = session.handle(.opened(), at: 502)
    _ = session.handle(.failed(Self.gone), at: 502.5)
    #expect(session.handle(.opened(), at: 503) == [.send(.restored(seconds: 0.5))])
  }

  @Test func `the wait for the first connection does not shorten the time limit of the next outage`() {
    let session = AudioSessionManager(giveUpAfter: 300, waitForServer: 600)
    _ = session.handle(.failed(Self.gone), at: 100)
    _ = session.handle(.opened(), at: 460)
    _ = session.handle(.failed(Self.gone), at: 460.5)
    guard case .wait = session.recovery(at: 760) ?? .retry else { return }
    #expect(session.recovery(at: 760.4) == .retry && session.recovery(at: 760.5) == .giveUp(Self.gone))
  }

  @Test(arguments: [AudioSessionManager.Mode.managed, .external])
  func `a session that does not wait for a lost output gives up at once`(mode: AudioSessionManager.Mode) {
    let session = AudioSessionManager(mode: mode, giveUpAfter: mode == .managed ? 0 : 300)
    _ = session.handle(.failed(Self.gone), at: 100)
    #expect(session.recovery(at: 100) == .giveUp(Self.gone))
  }

  @Test func `the output counts as silent from the report of its loss to the report of its recovery`() {
    let session = AudioSessionManager()
    _ = session.handle(.received(.lost(cause: "gone"), canPause: true), at: 1)
    #expect(session.isSilent)
    _ = session.handle(.received(.restored(seconds: 1), canPause: true), at: 2)
    #expect(!session.isSilent)
  }

  @Test func `only what a listener could notice causes a warning`() {
    var grant = OutputGrant(
      server: "PulseAudio 16.1", output: "card", sessionRate: .cd, outputRate: 48_000,
      outputChannels: 2, buffer: 1.5, device: 1, isRewindable: true, isMuted: false)
    #expect(grant.warnings == [])
    grant.outputChannels = 1
    #expect(grant.warnings.count == 1)
    grant.outputRate = 16_000
    #expect(grant.warnings.count == 2)
    grant.isMuted = true
    #expect(grant.warnings.count == 3)
    (grant.isRewindable, grant.buffer) = (false, 0.1)
    #expect(grant.warnings.count == 4)
    grant.device = 0.1
    #expect(grant.warnings.count == 4)
  }

  @Test func `each warning is given once, however often the output is opened`() {
    let session = AudioSessionManager()
    var grant = OutputGrant(
      server: "PulseAudio 16.1", output: "card", sessionRate: .cd, outputRate: 48_000,
      outputChannels: 1, buffer: 1.5, device: 1, isRewindable: true, isMuted: false)
    let first = session.handle(.received(.connected(grant), canPause: true), at: 1)
    #expect(first == grant.warnings.map { .warn($0) })
    #expect(session.handle(.received(.connected(grant), canPause: true), at: 2) == [])
    grant.isMuted = true
    let muted = session.handle(.received(.connected(grant), canPause: true), at: 3)
    #expect(muted == [.warn("the output 'card' is muted; unmute it in the desktop's mixer")])
  }

  @Test(arguments: [AudioSessionManager.Mode.managed, .external])
  func `an output that is missing at the start has a time limit of its own`(mode: AudioSessionManager.Mode) {
    let absent = SinkError.noServer(cause: "refused")
    let manager = AudioSessionManager(mode: mode, giveUpAfter: 5, waitForServer: 120)
    #expect(manager.handle(.failed(absent), at: 0).count == 2)
    #expect(manager.recovery(at: 119) == .retry && manager.recovery(at: 120) == .giveUp(absent))
    _ = manager.handle(.opened(), at: 100)
    _ = manager.handle(.failed(Self.gone), at: 200)
    let limit = mode == .managed ? 205.0 : 200
    #expect(manager.recovery(at: limit) == .giveUp(Self.gone))
  }
}
