import Schedule
import Engine
import Signal
import Synchronization

/// The control thread of one performance: it alone owns the schedule and the desk, and carries out what others ask for
/// between two looks at the render.
final class Conductor: Sendable {
  /// Something that is done on the control thread.
  typealias Turn = @Sendable (inout Control) -> Void

  /// How a performance ends before its time.
  struct Interruption: Sendable {
    var reason: FinishReason
    var fade: Double
    /// Seconds of the fade of who can't wait.
    static let haste = 0.02
  }

  /// What is played, from where, and for whom.
  struct Assignment: Sendable {
    var programme: Programme
    /// Where it begins, and what was done before.
    var replayed: Replayed
    var opener: Opener
    var sink: any Sink
    var session: AudioSessionManager
    var blockLength: Int
    /// Told whether the session goes on, when that changes.
    var goesOn: Multicast<Bool>
    /// Asked at each look at a live render.
    var memory: MemoryWatch
    var tell: @Sendable (StampedEvent) -> Void
  }

  private enum LoopResult: Sendable {
    case running
    case ended(SinkError?)
  }

  private let task: Assignment
  private let interruption = Mutex<(wanted: Interruption?, isFirst: Bool)>((nil, true))
  private let turns = Mutex<[Turn]?>([])
  private let wake = Mutex<WakeUp?>(nil)
  private let latest = Mutex<PlayerStatus?>(nil)
  private let loopResult = Mutex<LoopResult>(.running)

  init(_ task: Assignment) { self.task = task }

  /// As it was when control last looked.
  var status: PlayerStatus? { latest.withLock { $0 } }

  /// Asks for an early end; from any thread. A second request drops the fade.
  func interrupt(_ request: Interruption) {
    interruption.withLock {
      $0.wanted = Interruption(reason: request.reason, fade: $0.isFirst ? request.fade : Interruption.haste)
      $0.isFirst = false
    }
    wake.withLock { $0?.call() }
  }

  /// Has `body` done on the control thread, and returns what it returns; nil when the performance is over.
  func turn<Result: Sendable>(_ body: @escaping @Sendable (inout Control) -> Result) async -> Result? {
    await withCheckedContinuation { continuation in
      if !post({ continuation.resume(returning: body(&$0)) }) { continuation.resume(returning: nil) }
    }
  }

  /// Has `body` done on the control thread; from any thread, without waiting.
  ///
  /// - Returns: false when the performance is over, and nothing will be done.
  @discardableResult func post(_ body: @escaping Turn) -> Bool {
    let isTaken = turns.withLock { turns in
      turns?.append(body)
      return turns != nil
    }
    if isTaken { wake.withLock { $0?.call() } }
    return isTaken
  }

  /// Plays to the end; called on a thread that may wait.
  ///
  /// - Parameter script: asked at its times for what to do; `perform` carries it out and tells the outcomes.
  func run(script: ScriptDesk?) -> Performance {
    let desk = Engine.start(
      into: task.sink, at: task.programme.rate, from: task.replayed.journal.frame,
      voices: Voices.needed(by: task.programme),
      blockLength: task.blockLength
    ) { [self] failure in
      loopResult.withLock { $0 = .ended(failure) }
      wake.withLock { $0?.call() }
    }
    let progress = desk.horizon.progress
    let load: Executor.Load = { [self] need, ticket in
      task.opener.load(need) { result in self.post { $0.player.arrive(result, for: ticket) } }
    }
    wake.withLock { $0 = progress }
    var control = Control(
      playing: task.programme, task.replayed, opener: task.opener, load: load, into: task.sink,
      guardedBy: task.session, desk: desk,
      tell: { [task] event in
        script?.note(event)
        task.tell(event)
      })
    script?.prepare(&control)
    var goesOn: Bool?
    while true {
      if let request = interruption.withLock({ $0.wanted.take() }) { control.interrupt(by: request) }
      for turn in turns.withLock({ turns in exchange(&turns, for: []) }) ?? [] { turn(&control) }
      if case .ended(let failure) = loopResult.withLock({ $0 }) { return close(&control, failure, script) }
      control.step()
      latest.withLock { [now = control.status] in $0 = now }
      if control.isLive { task.memory.look(at: control.now) }
      if goesOn != control.goesOn { task.goesOn.publish(control.goesOn) }
      goesOn = control.goesOn
      let untilScript = script?.attend(&control, wake: progress) ?? 3_600
      progress.wait(seconds: min(control.nap(), untilScript))
    }
  }

  private func close(_ control: inout Control, _ failure: SinkError?, _ script: ScriptDesk?) -> Performance {
    // The command that has ended it is told before the end is.
    let wake = control.horizon.progress
    repeat {
      for turn in turns.withLock({ turns in exchange(&turns, for: []) }) ?? [] { turn(&control) }
    } while (control.isAwaited || script?.isBusy(control.moment) == true) && wake.wait(seconds: control.isLive ? 1 : 60)
    let performance = control.finish(failure: failure)
    latest.withLock { [last = control.status] in $0 = last }
    for turn in turns.withLock({ turns in exchange(&turns, for: nil) }) ?? [] { turn(&control) }
    script?.close(&control)
    return performance
  }
}

private func exchange<Value>(_ place: inout Value, for value: Value) -> Value {
  defer { place = value }
  return place
}

extension Control {
  /// Ends the session early: live what is unheard is taken back, of a render what is not yet planned.
  mutating func interrupt(by request: Conductor.Interruption) {
    let isAgain = ending != nil
    ending = request.reason
    let ramp = rate.frames(request.fade)
    // A fade that is under way already is cut short in the sink too.
    let isTakenBack = sink.retract(over: ramp)
    if isAgain || isTakenBack { return player.desk.stop() }
    scriptLimit = .endless
    if isPaused { endInPause() } else { close(over: ramp) }
  }
}
