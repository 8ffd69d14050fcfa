import Engine
import PowerManagement
import Synchronization
import TestSupport
import Testing

/// The sleep guard on a private bus with a mock of logind.
@Suite(.serialized) struct SleepGuardTests {
  /// The events that a guard has reported.
  private final class ReportedEvents: Sendable {
    private let all = Mutex<[OutputEvent]>([])
    var events: [OutputEvent] { all.withLock { $0 } }
    func note(_ event: OutputEvent) { all.withLock { $0.append(event) } }
  }

  private let report = ReportedEvents()
  private static let both = ["block sleep:idle", "delay sleep"]

  @Test func `the locks are held during playback and at no other time`() async throws {
    try await onOwnThread {
      let bus = try SystemBus()
      let guardian = SleepGuard(bus: bus.address, report: self.report.note)
      for _ in 0..<3 {
        guardian.note(isPlaying: true)
        #expect(try bus.comesToHold(Self.both))
        guardian.note(isPlaying: false)
        #expect(try bus.comesToHold([]))
      }
      guardian.note(isPlaying: true)
      #expect(try bus.comesToHold(Self.both))
      guardian.close()
      #expect(try bus.comesToHold([]))
      #expect(self.report.events.isEmpty)
    }
  }

  @Test func `the computer can sleep when the sound has stopped, and is kept awake again after the sleep`() async throws
  {
    try await onOwnThread {
      let bus = try SystemBus()
      let guardian = SleepGuard(bus: bus.address, report: self.report.note)
      guardian.note(isPlaying: true)
      #expect(try bus.comesToHold(Self.both))
      try bus.prepareForSleep(true)
      #expect(try bus.comesToHold(["delay sleep"]))
      #expect(self.report.events == [.asleep(true)])
      guardian.note(isPlaying: false)
      #expect(try bus.comesToHold([]))
      try bus.prepareForSleep(false)
      #expect(eventually { self.report.events == [.asleep(true), .asleep(false)] })
      #expect(try bus.locks().isEmpty)
      guardian.note(isPlaying: true)
      #expect(try bus.comesToHold(Self.both))
      guardian.close()
    }
  }

  @Test func `sound that does not stop delays the sleep by no more than two seconds`() async throws {
    try await onOwnThread {
      let bus = try SystemBus()
      let guardian = SleepGuard(bus: bus.address, report: self.report.note)
      guardian.note(isPlaying: true)
      #expect(try bus.comesToHold(Self.both))
      let begin = SuspendingClock.now
      try bus.prepareForSleep(true)
      #expect(try bus.comesToHold([]))
      #expect(SuspendingClock.now - begin > .seconds(2))
      guardian.close()
    }
  }

  @Test func `if the user may not block sleep, only idling is blocked`() async throws {
    try await onOwnThread {
      let bus = try SystemBus()
      try bus.refuseToBlockSleep()
      let guardian = SleepGuard(bus: bus.address, report: self.report.note)
      guardian.note(isPlaying: true)
      #expect(try bus.comesToHold(["block idle", "delay sleep"]))
      guardian.close()
    }
  }

  @Test func `if the bus is lost while the computer sleeps, the sleep is reported as over`() async throws {
    try await onOwnThread {
      let bus = try SystemBus()
      let guardian = SleepGuard(bus: bus.address, report: self.report.note)
      guardian.note(isPlaying: true)
      #expect(try bus.comesToHold(Self.both))
      try bus.prepareForSleep(true)
      #expect(eventually { self.report.events == [.asleep(true)] })
      bus.kill()
      #expect(eventually { self.report.events == [.asleep(true), .asleep(false)] })
      guardian.note(isPlaying: false)
      guardian.close()
    }
  }

  @Test func `a signal from another program than logind is ignored`() async throws {
    try await onOwnThread {
      let bus = try SystemBus()
      let guardian = SleepGuard(bus: bus.address, report: self.report.note)
      guardian.note(isPlaying: true)
      #expect(try bus.comesToHold(Self.both))
      try bus.forgeSleepSignal()
      try bus.prepareForSleep(false)
      try bus.prepareForSleep(true)
      #expect(try bus.comesToHold(["delay sleep"]))
      #expect(self.report.events == [.asleep(true)])
      guardian.close()
    }
  }
}

extension SystemBus {
  /// Whether exactly these locks are held before the timeout.
  fileprivate func comesToHold(_ wanted: [String]) throws -> Bool {
    try eventually { try locks() == wanted }
  }
}
