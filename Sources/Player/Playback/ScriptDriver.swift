import Schedule
import Engine
import Signal
import Synchronization

/// Asks a script for commands when they are due, executes them, and passes their outcomes to the script.
///
/// The methods that receive a `Transport` run on the control thread. The commands run in a task.
final class ScriptDriver: Sendable {
  private struct State: Sendable {
    var commandSource: any CommandSource
    /// The number of the last call of `dueCommands`.
    var batch = 0
    /// How many batches have commands that are running.
    var running = 0
    /// The outcomes of batches whose commands have all ended, until the script receives them.
    var outcomes: [(batch: Int, outcomes: [CommandOutcome])] = []
    /// The run time and the frame at which a script that watches conditions was last asked.
    var lastAsked = -1.0
    var lastFrame: FrameTime = .min
    /// Why the session ends with the script: one line; nil if it does not.
    var ending: String?
  }

  private let state: Mutex<State>
  /// Receives the run time in seconds before commands run at it.
  private let clock: @Sendable (Double) -> Void
  private let perform: @Sendable ([Command]) async -> [CommandOutcome]

  init(
    _ commandSource: any CommandSource, clock: @escaping @Sendable (Double) -> Void,
    perform: @escaping @Sendable ([Command]) async -> [CommandOutcome]
  ) {
    state = Mutex(State(commandSource: commandSource))
    (self.clock, self.perform) = (clock, perform)
  }

  /// Passes an event on to the script. Called on the control thread, in order.
  func note(_ event: StampedEvent) { state.withLock { $0.commandSource.note(event) } }

  var failures: [ScriptFailure] { state.withLock { $0.commandSource.failures } }
  var warnings: [String] { state.withLock { $0.commandSource.warnings + [$0.ending].compactMap(\.self) } }

  /// Makes a render stop at the first frame at which the script is asked. Called before the first pass.
  func prepare(_ control: inout Transport) { if !control.isLive { control.scriptLimit = control.firstFrame } }

  /// Collects outcomes, and asks the script for commands that are due. Called in each pass.
  ///
  /// - Returns: seconds after which it has to be called again, at the latest.
  func attend(_ control: inout Transport, wake: WakeUp) -> Double {
    settle(at: control.currentMoment())
    // A render waits for its commands, which take no virtual time. One that was stopped during a pause has ended, even
    // if its thread has not reported that yet.
    while control.isLive || !state.withLock({ 0 < $0.running }), !control.renderSync.hasStopped {
      guard isDue(&control) else { break }
      let moment = dueMoment(control.currentMoment(), within: control.rate.seconds(1))
      let (batch, commands) = state.withLock { state in
        state.batch += 1
        return (state.batch, state.commandSource.dueCommands(at: moment, batch: state.batch))
      }
      clock(control.currentMoment().run)
      if !commands.isEmpty { begin(commands, batch, wake: wake) }
    }
    return control.isLive ? secondsUntilDue(control.currentMoment()) : 3_600
  }

  /// Rounding a run time to a frame moves it by up to half a frame. So a moment less than a frame before the due time
  /// counts as due.
  ///
  /// - Parameter frame: the duration of one frame, in seconds.
  private func dueMoment(_ moment: PlayerMoment, within frame: Double) -> PlayerMoment {
    var moment = moment
    if let due = state.withLock({ $0.commandSource.wake.time?.run }), due - moment.run < frame {
      moment.run = max(moment.run, due)
    }
    return moment
  }

  private func isDue(_ control: inout Transport) -> Bool {
    let wake = state.withLock { $0.commandSource.wake }
    return control.isLive ? isDueLive(wake, control.currentMoment()) : isDueInRender(wake, &control)
  }

  private func isDueLive(_ wake: CommandSourceWake, _ moment: PlayerMoment) -> Bool {
    switch wake {
    case .at(let time): return time.isCheck ? time.run < moment.run : time.run <= moment.run
    case .watching:
      return state.withLock { state in
        guard state.lastAsked + 0.01 <= moment.run else { return false }
        state.lastAsked = moment.run
        return true
      }
    case .never: return false
    }
  }

  private func secondsUntilDue(_ moment: PlayerMoment) -> Double {
    switch state.withLock({ $0.commandSource.wake }) {
    case .at(let time): max(0.001, time.run - moment.run)
    case .watching: 0.01
    case .never: 3_600
    }
  }

  /// A render stops at each frame at which the script is asked. If nothing is due, this releases it to the next one.
  private func isDueInRender(_ wake: CommandSourceWake, _ control: inout Transport) -> Bool {
    let frame = control.renderSync.waitingFrame
    guard frame == control.player.limit else { return false }
    control.step()
    let openStage = endlessStage(control)
    if let openStage, openStage.begin <= frame { finish(openStage, &control) }
    let next = openStage.flatMap { frame < $0.begin ? $0.begin : nil } ?? .endless
    let isDue =
      switch wake {
      case .at(let time): arrive(at: time, &control, frame, before: next)
      case .watching(let until): watch(until: until, &control, frame)
      case .never: rest(&control, frame, before: next)
      }
    // The render continues only after the commands have been executed.
    if isDue { control.scriptLimit = frame }
    return isDue
  }

  /// Lets a render continue to the frame of `time`, or to the frame after it for a check, but at most to `next`. In a
  /// pause, sets the clock to `time` instead.
  ///
  /// - Returns: whether the render has got there.
  private func arrive(
    at time: CommandSourceTime, _ control: inout Transport, _ frame: FrameTime, before next: FrameTime = .endless
  ) -> Bool {
    let target = max(control.clock.frame(of: time), control.firstFrame)
    if target <= frame { return true }
    if control.pausedAt == frame {
      control.clock.jump(to: time.run, at: frame)
      return true
    }
    control.release(to: min(target, next))
    return false
  }

  /// Lets a render continue by up to 10 ms, if the script has been asked at this frame.
  ///
  /// - Returns: whether the script has to be asked now.
  private func watch(until time: CommandSourceTime?, _ control: inout Transport, _ frame: FrameTime) -> Bool {
    let isNew = state.withLock { state in
      defer { state.lastFrame = max(state.lastFrame, frame) }
      return state.lastFrame < frame
    }
    if isNew { return true }
    // During a pause, only a change of the clock can meet a condition.
    if control.pausedAt == frame { return time.map { arrive(at: $0, &control, frame) } ?? rest(&control, frame) }
    let due = time.map { control.clock.frame(of: $0) } ?? .endless
    // The commands that have just ended may have made another one due at the same frame.
    if due <= frame { return true }
    // Stop at multiples of 10 ms of the session, so that a condition on a round session time is met at its exact frame.
    let step = max(1, control.rate.frames(0.01))
    control.release(to: min((frame / step + 1) * step, due))
    return false
  }

  /// Lets a render continue to its end, but at most to `next`, because the script has no more commands. A paused session
  /// ends here.
  private func rest(_ control: inout Transport, _ frame: FrameTime, before next: FrameTime = .endless) -> Bool {
    if control.pausedAt == frame {
      let moment = control.currentMoment()
      noteEnding("the session was paused; add a 'resume' or a 'stop'", in: moment.stage, moment)
      control.endInPause()
    }
    control.release(to: next)
    return false
  }

  /// The open stage that would never end, because the script has no more commands; nil if there is none.
  private func endlessStage(_ control: borrowing Transport) -> StageLayout? {
    guard control.pausedAt == nil, control.coordinator.closing == nil else { return nil }
    return state.withLock { $0.commandSource.isExhausted } ? control.player.schedule.openLayout : nil
  }

  /// Ends the session with a fade-out in a stage that would never end.
  private func finish(_ stage: StageLayout, _ control: inout Transport) {
    let cause =
      control.player.schedule.isMusicPaused
      ? "its music was paused; resume it with {\"do\": \"music\", \"op\": \"resume\"}"
      : "nothing ends this stage; add a 'nextStage' or a 'finish'"
    noteEnding(cause, in: control.stageNames[stage.stage], control.currentMoment())
    _ = control.finish(fade: Transport.finalFade, reason: .stopped)
  }

  private func noteEnding(_ cause: String, in stage: String?, _ moment: PlayerMoment) {
    let place = stage.map { " in stage '\($0)'" } ?? ""
    let time = "session \(JSONLine.seconds(moment.session)) s"
    state.withLock { $0.ending = $0.ending ?? "the session ended with its script, at \(time)\(place): \(cause)" }
  }

  /// Collects outcomes, and returns whether commands are still running.
  func isBusy(_ moment: PlayerMoment) -> Bool {
    settle(at: moment)
    return state.withLock { 0 < $0.running }
  }

  private func settle(at moment: PlayerMoment) {
    state.withLock { state in
      for (batch, outcomes) in exchange(&state.outcomes, with: []) {
        state.running -= 1
        state.commandSource.settle(outcomes, of: batch, at: moment)
      }
    }
  }

  /// `Task.immediate` passes the commands to the player before those of the next batch, so that they keep their order.
  private func begin(_ commands: [Command], _ batch: Int, wake: WakeUp) {
    state.withLock { $0.running += 1 }
    Task.immediate { [self] in
      let outcomes = await perform(commands)
      state.withLock { $0.outcomes.append((batch, outcomes)) }
      wake.call()
    }
  }

  /// Makes the script check its remaining expectations at the end of the session.
  func close(_ control: inout Transport) { state.withLock { $0.commandSource.end(at: control.currentMoment()) } }
}

extension RunClock {
  /// The session frame at which a command source is asked.
  fileprivate func frame(of time: CommandSourceTime) -> FrameTime {
    // The events of a frame are known once it has been rendered.
    frame(atRun: time.run) + (time.isCheck ? 1 : 0)
  }
}
