import Rings
import Signal
import Synchronization
import TestSupport
import Testing

@testable import Engine
import Sounds

/// Decoders whose reads do not return.
@Suite struct DecodingThreadsTests {
  /// Delivers silence. Each read blocks until the test releases it.
  private final class Stuck: Decoder {
    let reads = Atomic<Int>(0)
    let isReleased = Flag()

    func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
      reads.add(1, ordering: .relaxed)
      _ = eventually { isReleased.isRaised }
      frames.update(repeating: .silence)
      return frames.count
    }
  }

  private final class Silence: Decoder {
    func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
      frames.update(repeating: .silence)
      return frames.count
    }
  }

  /// A clock that only the test advances.
  private final class ManualClock: Sendable {
    let nanoseconds = Atomic<Int64>(1)
  }

  private static func feed() -> (VoiceFeed, @Sendable () -> Bool) {
    let ring = Ring<Frame>(capacity: 16_384)
    let feed = VoiceFeed(writer: ring.writer)
    let reader = Mutex(ring.reader)
    return (feed, { reader.withLock { 16_000 < $0.count } })
  }

  @Test func `blocked threads are replaced, and end when they return`() async throws {
    try await onOwnThread {
      let stuck = [Stuck(), Stuck()]
      let held = stuck.map { _ in Self.feed().0 }
      let (feed, hasData) = Self.feed()
      let clock = ManualClock()
      let feeds = DecodingThreads(slots: held + [feed], threads: 2) { clock.nanoseconds.load(ordering: .relaxed) }
      for (feed, decoder) in zip(held, stuck) { feed.begin(try PrimedSound(decoder)) }
      _ = feeds.start()
      feeds.kick()
      #expect(eventually { stuck.allSatisfy { $0.reads.load(ordering: .relaxed) == 1 } })
      feed.begin(try PrimedSound(Silence()))
      feeds.wait(seconds: 0.3, until: hasData)
      #expect(!hasData(), "both threads are blocked")
      clock.nanoseconds.store(2 + DecodingThreads.readTimeout, ordering: .relaxed)
      feeds.wait(seconds: 20, until: hasData)
      #expect(hasData())
      // The slots of the blocked decoders can't be reused yet. Neither call waits.
      #expect(!held[0].endAtOnce() && !held[1].endAtOnce())
      for decoder in stuck { decoder.isReleased.raise() }
      #expect(eventually { held[0].endAtOnce() && held[1].endAtOnce() })
      #expect(stuck.allSatisfy { $0.reads.load(ordering: .relaxed) == 1 }, "a replaced thread makes no further read")
      feeds.close()
    }
  }
}
