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

  @Test func `blocked threads are replaced, and end when they return`() async throws {
    try await onOwnThread {
      let stuck = [Stuck(), Stuck()]
      var feeds: [VoiceFeed] = []
      for _ in stuck {
        let ring = Ring<Frame>(capacity: 16_384)
        feeds.append(VoiceFeed(ring: ring.writer, pieceLength: 4_096, canBranch: false))
      }
      let ring = Ring<Frame>(capacity: 16_384)
      feeds.append(VoiceFeed(ring: ring.writer, pieceLength: 4_096, canBranch: false))
      let reader = ring.reader
      let (clock, dataReady) = (ManualClock(), WakeUp())
      let decoders = DecodingThreads(feeds: feeds, threads: 2, wakingAtOnce: true, dataReady: dataReady) {
        clock.nanoseconds.load(ordering: .relaxed)
      }
      for (slot, decoder) in stuck.enumerated() {
        decoders.begin(try PrimedSound(decoder), in: slot, length: .endless)
      }
      #expect(decoders.start())
      #expect(eventually { stuck.allSatisfy { $0.reads.load(ordering: .relaxed) == 1 } })
      decoders.begin(try PrimedSound(Silence()), in: 2, length: .endless)
      decoders.request()
      #expect(!dataReady.wait(seconds: 0.3) && reader.count == 0, "both threads are blocked")
      clock.nanoseconds.store(2 + DecodingThreads.readTimeout, ordering: .relaxed)
      while reader.count < 12_000 {
        decoders.request()
        #expect(dataReady.wait(seconds: 20))
      }
      // The slots of the blocked decoders can't be reused yet. Neither call waits.
      #expect(!decoders.endAtOnce(0) && !decoders.endAtOnce(1))
      for decoder in stuck { decoder.isReleased.raise() }
      #expect(eventually { decoders.endAtOnce(0) && decoders.endAtOnce(1) })
      #expect(stuck.allSatisfy { $0.reads.load(ordering: .relaxed) == 1 }, "a replaced thread makes no further read")
      decoders.close()
    }
  }
}
