import Dispatch
import Signal
import Synchronization
import TestSupport
import Testing

@testable import Engine

/// Several outputs, of which one leads.
@Suite struct LedOutputsTests {
  /// A live output whose listener hears as much as the test says.
  private final class Leader: Sink {
    private let state = Mutex((written: [Frame](), heard: 0))
    /// How often somebody has asked how much was heard.
    let questions = Atomic<Int>(0)
    let pace = Pace.listener

    func start(at rate: SampleRate) {}
    func write(_ block: UnsafeBufferPointer<Frame>) { state.withLock { $0.written += block } }
    func finish() { hear(all: true) }
    func abandon() {}
    var heard: FrameCount {
      questions.add(1, ordering: .relaxed)
      return FrameCount(state.withLock { $0.heard })
    }

    func hear(_ count: Int = 0, all: Bool = false) {
      state.withLock { $0.heard = all ? $0.written.count : min($0.written.count, $0.heard + count) }
    }

    func rewind() -> FrameCount? {
      state.withLock { state in
        state.written.removeLast(state.written.count - state.heard)
        return FrameCount(state.heard)
      }
    }

    func retract(over ramp: FrameCount) -> Bool {
      state.withLock { $0.written.removeLast(max(0, $0.written.count - $0.heard - Int(ramp))) }
      return true
    }

    var frames: [Frame] { state.withLock { $0.written } }
  }

  /// An output that keeps what it gets, and may hang or fail.
  private final class Kept: Sink {
    private let state = Mutex((frames: [Frame](), isFinished: false, isAbandoned: false))
    private let gate = DispatchSemaphore(value: 0)
    private let hangs: Bool
    private let limit: Int
    private let startsLate: Bool
    /// Whether it is a device that plays nothing.
    let stands = Mutex(false)
    let pace = Pace.players

    init(hangs: Bool = false, startsLate: Bool = false, failingAfter limit: Int = .max) {
      (self.hangs, self.startsLate, self.limit) = (hangs, startsLate, limit)
    }

    func start(at rate: SampleRate) throws(SinkError) {
      if startsLate { gate.wait() }
      if limit < 0 { throw .refused(output: "kept", cause: "no") }
    }

    func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
      if hangs { gate.wait() }
      let count = state.withLock { state in
        state.frames += block
        return state.frames.count
      }
      if limit < count { throw .cannotWrite(path: "kept", cause: "the disk is full") }
    }

    func release() { for _ in 0..<1_000 { gate.signal() } }
    func finish() { state.withLock { $0.isFinished = true } }
    func abandon() { state.withLock { $0.isAbandoned = true } }
    private let standing = Mutex<FrameCount>(0)
    var heard: FrameCount {
      let count = FrameCount(frames.count)
      return standing.withLock { standing in
        if !stands.withLock(\.self) { standing = count }
        return standing
      }
    }
    var frames: [Frame] { state.withLock { $0.frames } }
    var isFinished: Bool { state.withLock { $0.isFinished } }
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }
  }

  private let leader = Leader()

  private func outputs(
    _ sinks: [(Kept, Follower.Need)], isClock: Bool = false,
    report: @escaping @Sendable (OutputEvent) -> Void = { _ in }
  ) throws -> LedOutputs {
    let followers = sinks.map { Follower($0.0, named: "kept", needing: $0.1, report: report) }
    let outputs = LedOutputs(leader, isClock: isClock, followedBy: followers)
    try outputs.start(at: .studio)
    return outputs
  }

  private func write(_ frames: [Frame], to outputs: LedOutputs) throws {
    try frames.withUnsafeBufferPointer { try outputs.write($0) }
  }

  @Test func `a file gets what is heard, not what was taken back`() throws {
    let file = Kept()
    let outputs = try outputs([(file, .everyFrame)])
    let (first, second) = (TestSound.noise(20_000, seed: 1), TestSound.noise(20_000, seed: 2))
    try write(first, to: outputs)
    leader.hear(7_000)
    #expect(eventually { file.frames.count == 7_000 })
    #expect(outputs.rewind() == 7_000)
    try write(second, to: outputs)
    try outputs.finish()
    #expect(file.frames == Array(first[..<7_000]) + second)
    #expect(file.frames == leader.frames && file.isFinished)
  }

  @Test func `a follower that hangs or fails changes nothing at the others`() throws {
    let (file, hanging, failing) = (Kept(), Kept(hangs: true), Kept(failingAfter: 5_000))
    defer { hanging.release() }
    let events = Mutex<[OutputEvent]>([])
    let outputs = try outputs([(file, .everyFrame), (hanging, .thisMoment()), (failing, .thisMoment())]) { event in
      events.withLock { $0.append(event) }
    }
    let sound = TestSound.noise(96_000)
    for start in stride(from: 0, to: sound.count, by: 4_096) {
      try write(Array(sound[start..<min(start + 4_096, sound.count)]), to: outputs)
      leader.hear(4_096)
    }
    leader.hear(all: true)
    #expect(eventually { file.frames.count == sound.count })
    #expect(eventually { failing.isAbandoned })
    try outputs.finish()
    #expect(file.frames == sound && leader.frames == sound)
    #expect(hanging.frames.isEmpty)
    #expect(
      events.withLock { $0 } == [
        .lost(cause: "kept: can't be written: the disk is full; free some space, or choose another output")
      ])
  }

  @Test func `a file that can't be written is told at the end`() throws {
    let file = Kept(failingAfter: 1_000)
    let outputs = try outputs([(file, .everyFrame)])
    try write(TestSound.noise(20_000), to: outputs)
    #expect(throws: SinkError.cannotWrite(path: "kept", cause: "the disk is full")) { try outputs.finish() }
    #expect(leader.frames.count == 20_000 && file.isAbandoned)
  }

  @Test func `an early end fades out at the followers, too`() throws {
    let file = Kept()
    let outputs = try outputs([(file, .everyFrame)])
    try write(Array(repeating: Frame(mono: 0.5), count: 20_000), to: outputs)
    leader.hear(5_000)
    #expect(outputs.retract(over: 1_000))
    try outputs.finish()
    #expect(file.frames.count == 6_000)
    #expect(file.frames[..<5_000].allSatisfy { $0.left == 0.5 })
    #expect(file.frames[5_999].left < 0.001)
    #expect(zip(file.frames, file.frames.dropFirst()).allSatisfy { abs($0.left - $1.left) < 0.01 })
  }

  @Test func `without a device the session ends when all others have failed`() throws {
    let (first, second) = (Kept(failingAfter: 0), Kept(failingAfter: 0))
    let outputs = try outputs([(first, .thisMoment()), (second, .thisMoment())], isClock: true)
    try write(TestSound.noise(10_000), to: outputs)
    leader.hear(all: true)
    #expect(eventually { first.isAbandoned && second.isAbandoned })
    #expect(throws: SinkError.self) { try write(TestSound.noise(10), to: outputs) }
  }

  @Test func `a device does not wait for a follower that does not answer`() throws {
    let (late, file) = (Kept(startsLate: true), Kept())
    defer { late.release() }
    let events = Mutex<[OutputEvent]>([])
    let outputs = try outputs([(late, .thisMoment()), (file, .everyFrame)]) { event in
      events.withLock { $0.append(event) }
    }
    #expect(events.withLock { $0 } == [.lost(cause: "it does not answer")])
    let sound = TestSound.noise(20_000)
    try write(sound, to: outputs)
    leader.hear(all: true)
    #expect(eventually { file.frames.count == sound.count })
    #expect(late.frames.isEmpty)
    late.release()
    #expect(eventually { late.frames.count >= sound.count })
    #expect(events.withLock { $0.count == 2 })
    try outputs.finish()
  }

  @Test func `what is wrong with a follower is told before anything is heard`() throws {
    let (late, wrong) = (Kept(startsLate: true), Kept(failingAfter: -1))
    defer { late.release() }
    #expect(throws: SinkError.refused(output: "kept", cause: "no")) {
      _ = try outputs([(late, .thisMoment()), (wrong, .thisMoment())])
    }
    #expect(leader.frames.isEmpty)
  }

  @Test func `without a device the session ends when all others have been away for too long`() throws {
    let isGone = Mutex((false, false))
    let followers = [
      Follower(
        Kept(), named: "a", needing: .thisMoment(),
        longOutage: { isGone.withLock { $0.0 ? .lost(cause: "a: gone") : nil } }, report: { _ in }),
      Follower(
        Kept(), named: "b", needing: .thisMoment(),
        longOutage: { isGone.withLock { $0.1 ? .lost(cause: "b: gone") : nil } }, report: { _ in }),
    ]
    let outputs = LedOutputs(leader, isClock: true, followedBy: followers)
    try outputs.start(at: .studio)
    isGone.withLock { $0.0 = true }
    try write(TestSound.noise(10), to: outputs)
    isGone.withLock { $0.1 = true }
    #expect(throws: SinkError.lost(cause: "a: gone")) { try write(TestSound.noise(10), to: outputs) }
    outputs.abandon()
  }

  @Test func `a device that stood still leaves sound out, and is not late for good`() throws {
    let card = Kept()
    let outputs = try outputs([(card, .thisMoment(cushion: 0.5))])
    let sound = TestSound.noise(300_000)
    var sent = 0
    func play(_ count: Int) throws {
      try write(Array(sound[sent..<sent + count]), to: outputs)
      leader.hear(all: true)
      sent += count
    }
    try play(1_000)
    #expect(eventually { 1_000 < card.frames.count })
    let heard = Int(card.heard)
    card.stands.withLock { $0 = true }
    /// Waits until the follower has looked for new sound twice.
    func waitForLooks() {
      let questions = leader.questions.load(ordering: .relaxed)
      #expect(eventually { questions + 3 <= leader.questions.load(ordering: .relaxed) })
    }
    // Half a second is its cushion, and half a second more is too much: 44,100 frames.
    for _ in 1...6 { try play(8_192) }
    #expect(eventually { heard + 44_100 < card.frames.count })
    waitForLooks()
    let kept = card.frames.count
    for _ in 0..<10 { try play(8_192) }
    waitForLooks()
    #expect(card.frames.count == kept)
    card.stands.withLock { $0 = false }
    let resumed = card.frames.count
    try play(8_192)
    #expect(eventually { resumed < card.frames.count })
    try outputs.finish()
  }
}
