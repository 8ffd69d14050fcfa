import Engine
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

@testable import Player

/// The stages that a render tells before it finishes the sink: the chapters of a file.
@Suite struct EnteredStagesTests {
  private var session: Programme {
    programme(["A", "B", "C"].map { Programme.Stage($0, [], for: .frames(8_000)) })
  }

  /// The stages that are known when the sink is finished, as `NAME FRAME`.
  private func stages(
    _ commands: [(Double, [Command])] = [], leadIn: Double = 0, from stage: Int = 0, at start: FrameTime = 0
  ) async -> [String] {
    let told = Mutex<[Playhead.StageEntry]>([])
    let known = Mutex<[Playhead.StageEntry]>([])
    let sink = FinishingSink { known.withLock { $0 = told.withLock { $0 } } }
    var options = RenderOptions(blockLength: 100_000)
    options.leadIn = leadIn
    let player = AudioPlayerService(
      playing: session, from: TestLibrary([:]), into: sink, stage: stage, at: start, options: options,
      script: TimedCommands(commands), tellStages: { stages in told.withLock { $0 = stages } }
    ) { _ in }
    _ = await player.play()
    return known.withLock { $0 }.map { "\($0.name) \($0.at)" }
  }

  @Test func `without commands they are those of the session, although the last ones have not been reported`() async {
    #expect(await stages() == ["A 0", "B 8000", "C 16000"])
    #expect(await stages(leadIn: 0.5) == ["A 4000", "B 12000", "C 20000"])
    #expect(await stages(from: 1, at: 12_000) == ["B 0", "C 4000"])
  }

  @Test func `commands add the stages that they lead to, and drop those that do not follow`() async {
    #expect(await stages([(0.5, [.goto(stage: "C", at: 0)])]) == ["A 0", "C 4000"])
    #expect(
      await stages([(0.5, [.nextStage]), (1, [.previousStage])]) == ["A 0", "B 4000", "A 8000", "B 16000", "C 24000"])
  }

  @Test func `a pause takes no time in the output`() async {
    #expect(await stages([(0.5, [.pause]), (600, [.resume])]) == ["A 0", "B 8000", "C 16000"])
  }

  @Test func `a stop in the pass before the end is known`() async {
    let stopped = await stages([(0.5, [.goto(stage: "C", at: 0)]), (0.75, [.stop])])
    #expect(stopped == ["A 0", "C 4000"])
  }
}

/// Discards what it is given, and calls a closure when it is finished.
private final class FinishingSink: Sink {
  let pace = Pace.players
  private let written = Atomic<FrameCount>(0)
  private let finished: @Sendable () -> Void

  init(_ finished: @escaping @Sendable () -> Void) { self.finished = finished }

  var heard: FrameCount { written.load(ordering: .relaxed) }
  func start(at rate: SampleRate) {}
  func write(_ block: UnsafeBufferPointer<Frame>) { written.add(FrameCount(block.count), ordering: .relaxed) }
  func finish() { finished() }
  func abandon() {}
}
