import Engine
import Player
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

/// Sounds whose files take longer to open or to read than the session can wait.
@Suite struct LateTests {
  /// The frame at which the output stops until the sound is open.
  private static let edge = 40_320
  /// The frames that are decoded when a sound is opened.
  private static let head = FrameCount(PrimedSound.headLength(at: testRate))

  @Test func `a sound that begins late is reported with its name and its delay, and counted`() async throws {
    let (isOpen, isFed) = (Flag(), Flag())
    var bell = TestLibrary.Sound(length: 6_000) { frame in
      // Beyond the frames decoded at opening: a voice is being fed.
      if Self.head <= frame { isFed.raise() }
      return Frame(mono: 0.25)
    }
    bell.stall = .init(at: 0, until: isOpen)
    let stage = Programme.Stage(
      "S", [], for: .frames(80_000), gongs: [Programme.Gong("bell", 6_000, at: 40_000)])
    let sink = HaltingSink(at: Self.edge, length: 80_000)
    let events = Mutex<[StampedEvent]>([])
    let player = AudioPlayerService(
      playing: programme([stage]), from: TestLibrary(["bell": bell]), into: sink,
      options: RenderOptions(blockLength: 480)
    ) { event in events.withLock { $0.append(event) } }
    async let playing = player.play()
    let isThere = try await onOwnThread {
      // Tests that run at the same time may occupy all threads for a minute.
      defer { isOpen.raise() }
      guard eventually({ sink.isHalted }) else { return false }
      isOpen.raise()
      return eventually { isFed.isRaised }
    }
    #expect(isThere)
    // The pass of the control loop that fed the voice also sent its start command.
    _ = await player.peek()
    sink.resume()
    let performance = await playing
    // By then one block beyond the edge and the limiter's look-ahead are mixed: 40,840 frames.
    let reported = events.withLock { $0 }
    let late = reported.filter { if case .late = $0.event { true } else { false } }
    #expect(late.count == 1)
    guard case .late("bell", 5, 105)? = late.first?.event else { return #expect(Bool(false), "\(reported)") }
    #expect(late.first?.session == 5.105)
    #expect(reported.first { $0.event.name == "gong" }?.session == 5.105)
    #expect(performance.totals.shortfalls == Shortfalls(late: 1) && performance.totals.gongs == 1)
    #expect(player.status.shortfalls == Shortfalls(late: 1))
    #expect(await player.queueMetrics()?.late == 1)
  }

  @Test func `a track that is read late is missing only until its data arrives, even if two seconds could be rendered`()
    async throws
  {
    let isRead = Flag()
    var bed = TestLibrary.Sound.constant(0.25, length: 80_000)
    // Beyond the head that was opened and ten reads of 2,048 frames.
    let last = Self.head + 10 * 2_048
    bed.stall = .init(at: last, until: isRead)
    // The file continues as soon as the first silence is written.
    let sink = HaltingSink(at: .max, length: 80_000) { if last <= $0 { isRead.raise() } }
    let events = Mutex<[StampedEvent]>([])
    let player = AudioPlayerService(
      playing: programme([Programme.Stage("S", [track("bed", 80_000)], for: .frames(80_000))]),
      from: TestLibrary(["bed": bed]), into: sink, options: RenderOptions(blockLength: 2_048)
    ) { event in events.withLock { $0.append(event) } }
    let performance = await player.play()
    let reported = events.withLock { $0.map(\.event) }.filter { $0.name == "underrun" || $0.name == "error" }
    #expect(reported.count == 1)
    // The block that lacked data ends at 40 + 13 * 2,048 frames: the limiter looks 40 frames ahead.
    guard case .underrun(.music, "bed", 161)? = reported.first else { Issue.record("\(reported)"); return }
    #expect(performance.totals.shortfalls == Shortfalls(starved: 1))
  }
}

/// Accepts sound as fast as it is rendered, and plays it half a second later until all of it is written. Stops once.
private final class HaltingSink: Sink {
  let pace = Pace.listener
  private let limit: TransferLimit
  private let edge: FrameCount
  private let length: FrameCount
  /// Called after each block with the number of frames written so far.
  private let takes: @Sendable (FrameCount) -> Void
  private let written = Atomic<FrameCount>(0)
  private let asked = Atomic<FrameCount>(0)

  init(at edge: Int, length: FrameCount, takes: @escaping @Sendable (FrameCount) -> Void = { _ in }) {
    self.takes = takes
    limit = TransferLimit(upTo: edge)
    self.edge = FrameCount(edge)
    self.length = length
  }

  var isHalted: Bool { asked.load(ordering: .acquiring) == edge }

  var heard: FrameCount {
    let written = written.load(ordering: .acquiring)
    return written < length ? max(0, written - 4_000) : written
  }

  func resume() { limit.raise() }
  func start(at rate: SampleRate) throws(SinkError) {}

  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    let place = written.load(ordering: .acquiring)
    asked.store(place, ordering: .releasing)
    limit.wait(at: Int(place))
    written.store(place + FrameCount(block.count), ordering: .releasing)
    takes(place + FrameCount(block.count))
  }

  func finish() throws(SinkError) {}
  func abandon() {}
}
