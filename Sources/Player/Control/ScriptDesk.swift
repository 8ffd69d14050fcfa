import Schedule
import Engine
import Signal
import Synchronization

/// Asks a script for commands when its time has come, and hears what became of them.
final class ScriptDesk: Sendable {
  private struct State: Sendable {
    var prompter: any Prompter
    /// Commands are under way.
    var isBusy = false
    var outcomes: [CommandOutcome]?
    /// When, and at which frame, it was asked last what depends on conditions.
    var lastAsked = -1.0
    var lastFrame: FrameTime = .min
  }

  private let state: Mutex<State>
  /// Told the run time before anything is asked for at it.
  private let clock: @Sendable (Double) -> Void
  private let perform: @Sendable ([Command]) async -> [CommandOutcome]

  init(
    _ prompter: any Prompter, clock: @escaping @Sendable (Double) -> Void,
    perform: @escaping @Sendable ([Command]) async -> [CommandOutcome]
  ) {
    state = Mutex(State(prompter: prompter))
    (self.clock, self.perform) = (clock, perform)
  }

  /// Each event, as it is told.
  func note(_ event: StampedEvent) { state.withLock { $0.prompter.note(event) } }

  var failures: [String] { state.withLock { $0.prompter.failures } }
  var warnings: [String] { state.withLock { $0.prompter.warnings } }

  /// On the control thread, before the first look at the render: no frame passes that the script waits for.
  func prepare(_ control: inout Control) { if !control.isLive { control.scriptLimit = control.firstFrame } }

  /// On the control thread: settles what is done, and asks for more when it is time.
  ///
  /// - Returns: seconds after which it is to be called again at the latest.
  func attend(_ control: inout Control, wake: WakeUp) -> Double {
    settle(at: control.moment)
    // A render that has been stopped in a pause is over, though its thread has yet to say so.
    while !state.withLock({ $0.isBusy }), !control.horizon.hasStopped {
      guard isDue(&control) else { break }
      let moment = dueMoment(control.moment, within: control.rate.seconds(1))
      let commands = state.withLock { $0.prompter.prompt(at: moment) }
      clock(control.moment.run)
      if !commands.isEmpty { begin(commands, wake: wake) }
    }
    return control.isLive ? secondsUntilDue(control.moment) : 3_600
  }

  /// A frame is up to half a frame's time away from the run time that has led to it: what is due there is due.
  private func dueMoment(_ moment: PlayerMoment, within frame: Double) -> PlayerMoment {
    var moment = moment
    if let due = state.withLock({ $0.prompter.wake.run }), due - moment.run < frame {
      moment.run = max(moment.run, due)
    }
    return moment
  }

  private func isDue(_ control: inout Control) -> Bool {
    let wish = state.withLock { $0.prompter.wake }
    return control.isLive ? isDueLive(wish, control.moment) : isDueInRender(wish, &control)
  }

  private func isDueLive(_ wish: PrompterWake, _ moment: PlayerMoment) -> Bool {
    switch wish {
    case .at(let run): return run <= moment.run
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
    switch state.withLock({ $0.prompter.wake }) {
    case .at(let run): max(0.001, run - moment.run)
    case .watching: 0.01
    case .never: 3_600
    }
  }

  /// A render stands still at each frame at which the script is to be asked, and is told how far it may go on.
  private func isDueInRender(_ wish: PrompterWake, _ control: inout Control) -> Bool {
    let frame = control.horizon.waitingFrame
    guard frame == control.player.limit else { return false }
    control.step()
    let isDue =
      switch wish {
      case .at(let run): arrive(at: run, &control, frame)
      case .watching(let until): watch(until: until, &control, frame)
      case .never: rest(&control, frame)
      }
    // What it asks for is done before the render goes on.
    if isDue { control.scriptLimit = frame }
    return isDue
  }

  private func arrive(at run: Double, _ control: inout Control, _ frame: FrameTime) -> Bool {
    let target = max(control.clock.frame(atRun: run), control.firstFrame)
    if target <= frame { return true }
    if control.parked == frame {
      control.clock.jump(to: run, at: frame)
      return true
    }
    control.release(to: target)
    return false
  }

  private func watch(until run: Double?, _ control: inout Control, _ frame: FrameTime) -> Bool {
    if state.withLock({ $0.lastFrame }) < frame {
      state.withLock { $0.lastFrame = frame }
      return true
    }
    // In a pause only the clock can change anything.
    if control.parked == frame { return run.map { arrive(at: $0, &control, frame) } ?? rest(&control, frame) }
    // On whole hundredths of the session, so that what is wished for at a round time comes on its frame.
    let step = max(1, control.rate.frames(0.01))
    let next = (frame / step + 1) * step
    control.release(to: min(next, run.map { control.clock.frame(atRun: $0) } ?? next))
    return false
  }

  /// Nothing more is to come: the render goes on to its end. In a pause that is here; in an open stage, which would never
  /// end, it is made when that has begun.
  private func rest(_ control: inout Control, _ frame: FrameTime) -> Bool {
    if control.parked == frame { control.endInPause() }
    let open = control.parked == nil && control.player.closing == nil ? control.player.schedule.openBegin : nil
    if let open, frame < open {
      control.release(to: open)
    } else {
      if open != nil { _ = control.finish(fade: Control.finalFade, reason: .stopped) }
      control.release(to: .endless)
    }
    return false
  }

  /// Whether commands are under way, once those that are done have been settled.
  func isBusy(_ moment: PlayerMoment) -> Bool {
    settle(at: moment)
    return state.withLock { $0.isBusy }
  }

  private func settle(at moment: PlayerMoment) {
    state.withLock { state in
      guard let outcomes = state.outcomes.take() else { return }
      state.isBusy = false
      state.prompter.settle(outcomes, at: moment)
    }
  }

  private func begin(_ commands: [Command], wake: WakeUp) {
    state.withLock { $0.isBusy = true }
    Task { [self] in
      let outcomes = await perform(commands)
      state.withLock { $0.outcomes = outcomes }
      wake.call()
    }
  }

  func close(_ control: inout Control) { state.withLock { $0.prompter.end(at: control.moment) } }
}
