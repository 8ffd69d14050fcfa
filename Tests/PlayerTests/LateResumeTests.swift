import Engine
import Player
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

/// An output that has played a tenth of a second more, whenever a write after a rewind may be postponed.
private final class LateSink: Sink {
  static let delay = 800

  let pace = Pace.listener
  private let listener = ListeningSink()
  private let state = Mutex((position: FrameCount?.none, postponed: 0))

  var frames: [Frame] { listener.frames }
  /// How often a write was postponed.
  var postponed: Int { state.withLock { $0.postponed } }
  var heard: FrameCount { listener.heard }

  func start(at rate: SampleRate) throws(SinkError) { try listener.start(at: rate) }

  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    state.withLock { $0.position = nil }
    try listener.write(block)
  }

  func finish() throws(SinkError) { try listener.finish() }
  func abandon() { listener.abandon() }
  func interrupt() { listener.interrupt() }
  func retract(over ramp: FrameCount) -> Bool { listener.retract(over: ramp) }

  func rewind() -> FrameCount? {
    let position = listener.rewind()
    state.withLock { $0.position = position }
    return position
  }

  func postpone() -> FrameCount? {
    guard let position = state.withLock({ $0.position }) else { return nil }
    let silence = Array(repeating: Frame.silence, count: Self.delay)
    try? silence.withUnsafeBufferPointer { (silence) throws(SinkError) in try write(silence) }
    state.withLock { $0.postponed += 1 }
    return position + FrameCount(Self.delay)
  }
}

@Suite struct LateResumeTests {
  /// The level of each frame is its number.
  @Test func `no frame is lost if the output has played more silence before a resume is written`() async throws {
    let sink = LateSink()
    let length = 800_000
    let hour = programme([Programme.Stage("One", [track("A", FrameCount(length))], for: .frames(Double(length)))])
    let library = TestLibrary(["A": TestLibrary.Sound(length: FrameCount(length)) { Frame(mono: Float($0) / 1e6) }])
    let player = AudioPlayerService(playing: hour, from: library, into: sink) { _ in }
    async let played = player.play()
    let isPlaying = try await onOwnThread { eventually { 0.3 < player.status.moment.session } }
    #expect(isPlaying)
    #expect(await player.perform([.pause]) == [.done])
    let paused = sink.heard
    let isSilent = try await onOwnThread { eventually { paused + 1_600 < sink.heard } }
    #expect(isSilent)
    #expect(await player.perform([.resume]) == [.done])
    let resumed = player.status.moment.session
    let isOn = try await onOwnThread { eventually { resumed + 0.3 < player.status.moment.session } }
    #expect(isOn && sink.postponed == 1)
    let (moment, frame) = (player.status.moment.session, sink.heard)
    #expect(await player.perform([.stop]) == [.done])
    #expect(await played.reason == .stopped)
    let heard = sink.frames.map(\.left)
    let quiet = try #require(heard.indices.dropFirst(2_000).first { heard[$0] == 0 })
    let again = try #require(heard[quiet...].firstIndex { 0 < $0 })
    // After the ramp of 20 ms.
    let session = Int((heard[again + 200] * 1e6).rounded())
    #expect(LateSink.delay <= again - quiet)
    // The first frame of the ramp is silent.
    #expect(abs(session - 200 - quiet) <= 2)
    #expect(Int(moment * 8_000) <= Int(frame) - (again - quiet) + 2)
  }
}
