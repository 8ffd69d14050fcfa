import ProsperKit
import Synchronization

/// Keeps what is written to it; can fail at a frame.
final class MemorySink: AudioSink {
  struct Full: Error, Equatable {}

  let frames = Mutex<[StereoFrame]>([])
  let calls = Mutex<[String]>([])
  let isRealTime: Bool
  private let capacity: Int

  init(capacity: Int = .max, isRealTime: Bool = false) { (self.capacity, self.isRealTime) = (capacity, isRealTime) }

  func start(sampleRate: Int) { calls.withLock { $0.append("start \(sampleRate)") } }

  func write(_ block: Span<StereoFrame>) throws {
    try frames.withLock { frames in
      for index in block.indices { frames.append(block[index]) }
      if capacity < frames.count { throw Full() }
    }
  }

  func finish() { calls.withLock { $0.append("finish") } }

  func cancel() { calls.withLock { $0.append("cancel") } }
}
