import Engine
import Levels
import Player
import Signal
import Sounds
import Synchronization
import Timelines

/// A sound that is compared, as blocks of the same length from its beginning to its end. Used by one thread.
protocol SoundStream: AnyObject {
  /// The next block, of `blockLength` frames unless it is the last one; nil after the end. Waits for it.
  func next() -> FrameBlock?
  /// The sounds that were damaged. Called after the end.
  func finish() throws(MeasuringError) -> [SourceError]
}

/// The number of frames of each block.
let blockLength = 4_096

/// A sound file.
final class FileStream: SoundStream {
  private let decoder: any Decoder
  private var hasEnded = false

  init(_ path: String, at rate: SampleRate) throws(MeasuringError) {
    do throws(SourceError) { decoder = try Sounds().open(SoundSource(.file(path: path)), at: rate, from: 0) } catch {
      throw .sound(error)
    }
  }

  func next() -> FrameBlock? {
    if hasEnded { return nil }
    let frames = [Frame](unsafeUninitializedCapacity: blockLength) { buffer, count in
      buffer.initialize(repeating: .silence)
      count = decoder.read(into: buffer)
    }
    hasEnded = frames.count < blockLength
    return frames.isEmpty ? nil : FrameBlock(frames)
  }

  func finish() throws(MeasuringError) -> [SourceError] { [decoder.damage?.error].compactMap(\.self) }
}

/// A session that is rendered while it is read.
final class SessionStream: SoundStream {
  typealias Outcome = Result<[SourceError], MeasuringError>

  private let queue = BlockQueue()

  /// Begins to render.
  init(_ plan: SessionPlan) throws(MeasuringError) {
    guard let programme = plan.programme else { throw .unplayable }
    var setup = PlaybackSetup(programme: programme, library: plan.library, output: .null(isRealTime: false))
    if let stage = setup.endlessStage { throw .open(stage: stage) }
    let tap = RenderTap(into: queue)
    setup.observing = { tap }
    (setup.measures, setup.reportsProgress) = (false, false)
    let player: SessionPlayer
    do throws(SinkError) { player = try SessionPlayer(setup) } catch { throw .library(error.description) }
    Task { [queue] in
      let result = await player.perform()
      tap.flush()
      queue.end(result.failure.map { .failure(.library($0.description)) } ?? .success(result.damage))
    }
  }

  deinit { queue.close() }

  func next() -> FrameBlock? { queue.next() }

  func finish() throws(MeasuringError) -> [SourceError] { try queue.outcome?.get() ?? [] }
}

/// Collects what a render delivers into blocks.
private final class RenderTap: FrameObserver, Sendable {
  /// The frames that are not yet in a block. The layers are ahead of the output, which the limiter delays.
  private struct Waiting {
    var output: [Frame] = []
    var layers = [[Frame]](repeating: [], count: Bus.allCases.count)

    mutating func take(_ count: Int) -> FrameBlock {
      defer {
        output.removeFirst(count)
        for index in layers.indices { layers[index].removeFirst(min(count, layers[index].count)) }
      }
      return FrameBlock(Array(output.prefix(count)), layers: layers.map { Array($0.prefix(count)) })
    }
  }

  private let waiting = Mutex(Waiting())
  private let queue: BlockQueue

  init(into queue: BlockQueue) { self.queue = queue }

  var observesBuses: Bool { true }

  /// A render never rewinds.
  func rewound(to frame: FrameTime) {}

  func heard(_ frames: UnsafeBufferPointer<Frame>, at frame: FrameTime?) {
    // A copy, because what is behind the lock must not keep a reference to the player's memory.
    let copy = Array(frames)
    let blocks = waiting.withLock { waiting in
      waiting.output += copy
      return (0..<waiting.output.count / blockLength).map { _ in waiting.take(blockLength) }
    }
    for block in blocks { queue.add(block) }
  }

  func mixed(_ frames: UnsafeBufferPointer<Frame>, of bus: Bus, at frame: FrameTime) {
    let copy = Array(frames)
    waiting.withLock { $0.layers[Int(bus.rawValue)] += copy }
  }

  /// Adds the last block, which is shorter.
  func flush() {
    let last = waiting.withLock { $0.take($0.output.count) }
    if !last.output.isEmpty { queue.add(last) }
  }
}
