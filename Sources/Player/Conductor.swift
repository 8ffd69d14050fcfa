import Engine
import Signal
import Synchronization

/// The control thread of one performance: commands each placement ahead of the horizon, takes the voices back, and
/// has the narrator tell what has been heard.
final class Conductor: Sendable {
  /// Control plans in steps of half a second, this far ahead: time enough to open a slow file.
  static let step = 0.5
  static let lookahead = 3.0

  /// How a performance ends before its time.
  struct Interruption: Sendable {
    var reason: FinishReason
    var fade: Double
  }

  private let programme: Programme
  private let library: any SoundLibrary
  private let sink: any Sink
  private let start: FrameTime
  private let blockLength: Int
  private let tell: @Sendable (StampedEvent) -> Void
  private let interruption = Mutex<Interruption?>(nil)
  private let wake = Mutex<WakeUp?>(nil)
  private let loopResult = Mutex<LoopResult>(.running)
  private let clock = ContinuousClock()

  enum LoopResult: Sendable {
    case running
    case ended(SinkError?)
  }

  init(
    programme: Programme, library: any SoundLibrary, sink: any Sink, from start: FrameTime, blockLength: Int,
    tell: @escaping @Sendable (StampedEvent) -> Void
  ) {
    self.programme = programme
    self.library = library
    self.sink = sink
    self.start = start
    self.blockLength = blockLength
    self.tell = tell
  }

  /// Asks for an early end; from any thread. A second request drops the fade.
  func interrupt(_ request: Interruption) {
    interruption.withLock { $0 = request }
    wake.withLock { $0?.call() }
  }

  /// Plays to the end; called on a thread that may wait.
  func run() -> Performance {
    let desk = Engine.start(
      into: sink, at: programme.rate, from: start, voices: Voices.needed(by: programme), blockLength: blockLength
    ) { [self] failure in
      loopResult.withLock { $0 = .ended(failure) }
      wake.withLock { $0?.call() }
    }
    let progress = desk.horizon.progress
    wake.withLock { $0 = progress }
    var score = ScorePlayer(programme: programme, library: library, desk: desk, from: start, pace: sink.pace)
    let begun = clock.now
    var pending: Interruption?
    announce(at: begun)
    while true {
      let rendered = score.horizon.renderedFrame
      if let request = interruption.withLock({ $0.take() }) {
        interrupt(&score, by: request, again: pending != nil)
        pending = request
      }
      score.collectReports()
      if pending == nil { score.plan(beyond: score.horizon.mixedFrame) }
      if case .ended(let failure) = loopResult.withLock({ $0 }) {
        return finish(&score, failure: failure, interruption: pending, begun: begun)
      }
      let heard = sink.pace == .listener ? min(rendered, start + sink.heard) : rendered
      report(&score, before: heard, begun: begun)
      progress.wait(seconds: pause(until: score.narrator.nextFrame, from: heard, rendered: rendered))
    }
  }

  /// Seconds that control may sleep: offline until it is called, live until there is something to tell or to plan.
  private func pause(until next: FrameTime, from heard: FrameTime, rendered: FrameTime) -> Double {
    guard sink.pace == .listener else { return 3_600 }
    let untilEvent = next == .endless ? 1 : programme.rate.seconds(next - heard)
    return min(1, max(0.005, untilEvent))
  }

  private func interrupt(_ score: inout ScorePlayer, by request: Interruption, again: Bool) {
    let ramp = programme.rate.frames(again ? 0.02 : request.fade)
    if again || sink.retract(over: ramp) {
      score.horizon.stop()
    } else {
      score.fadeOut(over: ramp, margin: programme.rate.frames(0.1))
    }
  }

  private func announce(at begun: ContinuousClock.Instant) {
    let duration = programme.end.map { programme.rate.seconds($0) }
    emit(
      .sessionStarted(title: programme.title, rate: programme.rate, duration: duration), at: start, stage: nil,
      begun: begun)
  }

  private func report(
    _ score: inout ScorePlayer, before frame: FrameTime, begun: ContinuousClock.Instant, isLast: Bool = false
  ) {
    let tell = { (at: FrameTime, stage: Int?, event: PlayerEvent) in
      self.emit(event, at: at, stage: stage.map { self.programme.stages[$0].name }, begun: begun)
    }
    if isLast { score.narrator.close(at: frame, tell: tell) } else { score.narrator.advance(to: frame, tell: tell) }
  }

  private func emit(_ event: PlayerEvent, at frame: FrameTime, stage: String?, begun: ContinuousClock.Instant) {
    let session = programme.rate.seconds(frame)
    let run = sink.pace == .listener ? (clock.now - begun).inSeconds : programme.rate.seconds(frame - start)
    tell(StampedEvent(run: run, session: session, stage: stage, event: event))
  }

  private func finish(
    _ score: inout ScorePlayer, failure: SinkError?, interruption: Interruption?, begun: ContinuousClock.Instant
  ) -> Performance {
    // A listener who has asked for the end gets it, also from a server that goes away meanwhile.
    let failure = sink.pace == .listener && interruption != nil ? nil : failure
    score.collectReports()
    let rendered = score.horizon.renderedFrame
    let isCutShort = sink.pace == .listener && (interruption != nil || failure != nil)
    let end = isCutShort ? min(rendered, start + sink.heard) : rendered
    report(&score, before: end, begun: begun, isLast: true)
    let reason = failure == nil ? interruption?.reason ?? .completed : .outputFailed
    let stage = programme.stageName(at: end)
    if let failure { emit(.error(PlayerProblem(failure)), at: end, stage: stage, begun: begun) }
    let last = score.narrator.lastStateName
    let final = failure.map { PlayerState.failed(error: .outputFailed($0), recoverable: $0.isRecoverable) } ?? .finished
    emit(.state(final, previous: last), at: end, stage: stage, begun: begun)
    var totals = score.narrator.totals
    totals.played = programme.rate.seconds(end - start)
    emit(.sessionFinished(reason: reason, totals: totals), at: end, stage: nil, begun: begun)
    return Performance(reason: reason, totals: totals, damage: score.damage, failure: failure)
  }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
