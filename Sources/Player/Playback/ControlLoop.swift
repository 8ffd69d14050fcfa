import Schedule
import Engine
import Signal
import Synchronization

/// The control loop of one session. Only its thread uses the schedule and the mixer's commands.
///
/// Other threads post closures, which the loop runs between two passes. It sleeps until there is something to do.
final class ControlLoop: Sendable {
  /// A closure that runs on the control thread. It must not wait.
  typealias Job = @Sendable (inout Transport) -> Void

  /// Returns the command queue's metrics at a run time. `waits`: only once the running and waiting commands have ended.
  typealias Measurement = @Sendable (_ run: Double, _ waits: Bool) async -> QueueMetrics

  /// What to play, where to start, and where to send sound and events.
  struct Assignment: Sendable {
    var programme: Programme
    /// The start frame, and the edits that led to it.
    var replayed: Replayed
    var voices: Engine.Voices
    var opener: SoundOpener
    var sink: any Sink
    var session: AudioSessionManager
    var options = RenderOptions()
    /// What the first event says of the session.
    var origin = SessionOrigin()
    /// Creates what receives the frames.
    var makeObserver: ObserverFactory = { nil }
    /// Adds what was measured to what the render has counted; called at the end, and may wait.
    var measured: @Sendable (MeasuredSound) -> MeasuredSound = { $0 }
    /// Receives `Transport.isRunning` whenever it changes.
    var isRunning: Multicast<Bool>
    /// Checked in each pass of a live session.
    var memory: MemoryPressureMonitor
    /// Nil if no metrics are recorded.
    var measure: Measurement?
    /// Returns who reads events at this moment. Called in each pass.
    var audience: @Sendable () -> EventTimeline.Audience
    /// Receives `Transport.outputStages` before a render ends; nil if nobody needs them.
    var tellStages: (@Sendable ([Playhead.StageEntry]) -> Void)?
    /// Whether the session file can be read again.
    var canReload = false
    /// Receives each event, on the control thread; must not wait.
    var emit: @Sendable (StampedEvent) -> Void
  }

  private struct PostedJob: Sendable {
    var run: Job
    /// Called if the job never runs.
    var cancel: @Sendable () -> Void
  }

  private let task: Assignment
  /// Posted closures that have not run yet; nil once the session is over.
  private let jobs = Mutex<[PostedJob]?>([])
  /// Wakes the loop from its sleep; nil until it runs.
  private let wake = Mutex<WakeUp?>(nil)
  /// The status after the last pass of the loop, and the clock that continues it until the next one; nil for none.
  private let latest: Mutex<(status: PlayerStatus, clock: Transport.Reading?)>
  /// The metrics of the whole run, once they have been measured at its end.
  private let measured = Mutex<QueueMetrics?>(nil)

  init(_ task: Assignment) {
    self.task = task
    let idle = PlayerMoment(run: 0, session: 0, state: "idle")
    latest = Mutex((PlayerStatus(title: task.programme.title, moment: idle), nil))
  }

  /// The status now. May be read from any thread, and does not wait.
  var status: PlayerStatus {
    let (status, clock) = latest.withLock { $0 }
    guard let now = clock?() else { return status }
    return status.advanced(to: now.session, at: now.run)
  }

  /// Runs `body` on the control thread and returns its result; nil if the session has ended.
  func perform<Result: Sendable>(_ body: @escaping @Sendable (inout Transport) -> Result) async -> Result? {
    await withCheckedContinuation { continuation in
      post({ continuation.resume(returning: body(&$0)) }, orElse: { continuation.resume(returning: nil) })
    }
  }

  /// Queues `body` to run on the control thread. May be called from any thread, and does not wait.
  ///
  /// - Parameters:
  ///   - isUrgent: whether to wake the control thread. Otherwise it runs in the next pass.
  ///   - cancel: called instead of `body` if that never runs, because the session has ended or can't start.
  func post(isUrgent: Bool = true, _ body: @escaping Job, orElse cancel: @escaping @Sendable () -> Void = {}) {
    let isQueued = jobs.withLock { jobs in
      jobs?.append(PostedJob(run: body, cancel: cancel))
      return jobs != nil
    }
    if isQueued, isUrgent { wake.withLock { $0?.call() } } else if !isQueued { cancel() }
  }

  /// Cancels the posted closures, and those that follow. Called instead of `run` if the control thread can't start.
  func cancel() {
    for job in jobs.withLock({ exchange(&$0, with: nil) }) ?? [] { job.cancel() }
  }

  /// Plays to the end. The calling thread becomes the control thread and may wait.
  ///
  /// - Parameter script: executes the commands of a script when they are due; nil for none.
  func run(script: ScriptDriver?) -> PlaybackResult {
    let mixerControl = Engine.start(
      into: task.sink, at: task.programme.rate, from: task.replayed.journal.frame,
      voices: task.voices, task.options, observing: task.makeObserver
    ) { [self] failure in post { $0.renderEnd = .ended(failure) } }
    let progress = mixerControl.renderSync.progress
    let load: Executor.Load = { [self] need, id in
      task.opener.cache.load(need) { result in self.post { $0.player.arrive(result, for: id) } }
    }
    wake.withLock { $0 = progress }
    var control = Transport(
      playing: task.programme, task.replayed, task.origin, opener: task.opener, load: load, into: task.sink,
      guardedBy: task.session, mixerControl: mixerControl,
      emit: { [task] event in
        script?.note(event)
        task.emit(event)
      })
    control.canReload = task.canReload
    control.leadIn = control.rate.frames(task.options.leadIn)
    control.clock.jump(to: task.options.leadIn, at: task.replayed.journal.frame)
    script?.prepare(&control)
    var isRunning: Bool?
    while true {
      runJobs(&control, leaving: [])
      if case .ended(let failure) = control.renderEnd { return close(&control, failure, script) }
      control.player.timeline.follow(task.audience())
      control.step()
      latest.withLock { [now = control.currentStatus(), clock = control.reading] in $0 = (now, clock) }
      sendReplies(&control)
      if control.isLive { task.memory.check(at: control.now) }
      if isRunning != control.isRunning { task.isRunning.publish(control.isRunning) }
      isRunning = control.isRunning
      let untilScript = script?.attend(&control, wake: progress) ?? 3_600
      if let tellStages = task.tellStages, control.player.mayEnd { tellStages(control.outputStages) }
      let seconds = min(control.player.mixerControl.advance(), control.nap(), untilScript)
      if 0 < seconds { progress.wait(seconds: seconds) }
    }
  }

  private func close(_ control: inout Transport, _ failure: SinkError?, _ script: ScriptDriver?) -> PlaybackResult {
    // The outcome of the command that ended the session is reported before the end of the session.
    let wake = control.renderSync.progress
    repeat {
      runJobs(&control, leaving: [])
      sendReplies(&control)
    } while (control.isAwaited || script?.isBusy(control.currentMoment()) == true)
      && wake.wait(seconds: control.isLive ? 1 : 60)
    // The last jobs run before the session ends, so that no event follows its last one.
    runJobs(&control, leaving: nil)
    sendReplies(&control)
    // A command that has no outcome by now may never end.
    let isQuiet = !control.isAwaited
    let (end, failure) = control.finish(failure: failure)
    control.player.timeline.totals.sound = task.measured(MeasuredSound(of: control.renderSync, control.rate))
    let result = control.conclude(
      at: end, failure: failure, lastMetrics(at: control.lastRun, waits: isQuiet, wake: wake))
    latest.withLock { [last = control.currentStatus()] in $0 = (last, nil) }
    script?.close(&control)
    return result
  }

  /// The metrics of the whole run; nil if they are not recorded, or if the system is too slow to say.
  private func lastMetrics(at run: Double, waits: Bool, wake: WakeUp) -> QueueMetrics? {
    guard let measure = task.measure else { return nil }
    Task(priority: .high) { [self] in
      let metrics = await measure(run, waits)
      measured.withLock { $0 = metrics }
      wake.call()
    }
    while measured.withLock({ $0 == nil }), wake.wait(seconds: 10) {}
    return measured.withLock { $0 }
  }

  private func sendReplies(_ control: inout Transport) {
    for reply in exchange(&control.replies, with: []) { reply() }
  }

  /// Runs the posted closures in order, and replaces their list; nil accepts no more.
  private func runJobs(_ control: inout Transport, leaving rest: [PostedJob]?) {
    for job in jobs.withLock({ exchange(&$0, with: rest) }) ?? [] { job.run(&control) }
  }
}
