import Schedule
import Sounds
import Synchronization

/// Lets commands visit the control thread, where they decide what to do, find the sounds that an edit needs, apply it,
/// and report their outcomes.
struct ControlVisits: Sendable {
  let controlLoop: ControlLoop
  let opener: SoundOpener
  let isLive: Bool

  /// A command on the control thread.
  private struct Visit: Sendable {
    let run: CommandRun
    /// The load of the sound that the command plays, if it has begun.
    let load: BegunLoad?
    /// Called exactly once, on any thread.
    let reply: @Sendable (CommandOutcome) -> Void
  }

  /// An edit whose sounds are being opened.
  private struct EditRequest: Sendable {
    let edit: Edit
    let proceed: @Sendable (EditResult, inout Transport) -> CommandStep
    let visit: Visit

    var context: OperationContext { visit.run.context }
  }

  /// Lets a command visit the control thread, and suspends until it has ended.
  ///
  /// A pass of the control loop decides what to do (`begin`) and finds the sounds that an edit needs (`prepare`). If they
  /// are open, the edit is applied (`commit`) and the outcome reported in the same pass, otherwise in a second one, once
  /// they have been opened. The schedule may have advanced in the meantime.
  func visit(
    _ run: CommandRun, continuing load: BegunLoad? = nil,
    _ begin: @escaping @Sendable (inout Transport) -> CommandStep
  ) async -> CommandOutcome {
    await withCheckedContinuation { continuation in
      let visit = Visit(run: run, load: load) { continuation.resume(returning: $0) }
      post(visit) { take(begin(&$0), visit, &$0) }
    }
  }

  /// Opens the sounds that an edit needs, and applies it.
  ///
  /// - Parameter load: the load of the sound that the edit plays, if it has begun.
  func edit(_ run: CommandRun, _ edit: Edit, continuing load: BegunLoad? = nil) async -> CommandOutcome {
    await visit(run, continuing: load) { _ in .edit(edit) }
  }

  private func post(_ visit: Visit, _ job: @escaping ControlLoop.Job) {
    controlLoop.post(job, orElse: { visit.reply(.rejected(.ended)) })
  }

  private func take(_ step: CommandStep, _ visit: Visit, _ control: inout Transport) {
    switch step {
    case .ended(let outcome):
      let reported = visit.run.ticket.report(outcome, to: &control)
      control.replies.append { visit.reply(reported) }
    case .edit(let edit, let proceed): prepare(EditRequest(edit: edit, proceed: proceed, visit: visit), &control)
    }
  }

  private func prepare(_ request: EditRequest, _ control: inout Transport) {
    switch control.arrivals(after: request.edit) {
    case .failure(let error):
      control.endLoad(request.visit.load, with: .failure(.stopped(by: request.context.operation)))
      take(request.proceed(.success(.rejected(error)), &control), request.visit, &control)
    case .success(let arrivals):
      // A load would be useless for an edit that is refused, and the refusal would come late.
      if arrivals.isEmpty || !control.isChangeable { return commit(request, .success([]), &control) }
      let isReady = opener.isReady(arrivals.map { PrimedSource.Need($0) })
      if !isReady {
        control.prepareCrossfade(to: arrivals)
        if isLive, case .step(let steps, _) = request.edit {
          let needs = control.needs(steps: Skip.tries(of: steps))
          opener.cache.preload(needs, beside: needs.first, keepingFailures: true)
        }
      }
      let loads = arrivals.map { load(of: $0, for: request, &control) }
      let pass = isReady ? OpenPass() : nil
      opener.open(arrivals, for: request.edit, request.context, isOrdered: !isLive) { index, result in
        guard let load = loads[index] else { return false }
        controlLoop.post { $0.endLoad(load, with: result.map(\.seconds)) }
        return true
      } deliver: { opened in
        if pass?.take(opened) ?? false { return }
        post(request.visit) { control in
          // Where one sound has failed, the others are not needed any more.
          for load in loads { control.endLoad(load, with: .failure(.stopped(by: request.context.operation))) }
          commit(request, opened, &control)
        }
      }
      if let opened = pass?.close() { commit(request, opened, &control) }
    }
  }

  /// The load of a clip that an edit adds, which begins now unless it has begun; nil if its sound is open already.
  private func load(of clip: Clip, for request: EditRequest, _ control: inout Transport) -> BegunLoad? {
    if let load = request.visit.load, load.source == clip.source { return load }
    if opener.isReady([PrimedSource.Need(clip)]) { return nil }
    return control.beginLoad(clip.source, clip.title, stage: clip.stage, for: request.context.operation)
  }

  private func commit(
    _ request: EditRequest, _ opened: Result<[PrimedSource], SoundOpener.Failure>, _ control: inout Transport
  ) {
    if case .success(let sounds) = opened, !sounds.isEmpty, isOutdated(request, sounds, control) {
      return prepare(request, &control)
    }
    control.endLoad(request.visit.load, with: opened.map { _ in nil }.mapError(\.error))
    let result: EditResult =
      if let other = request.context.shouldStop { .success(.cancelled(by: other)) } else {
        opened.map { control.edit(request.edit, with: $0) }
      }
    if result.outcome != .done { control.abandonCrossfade() }
    take(request.proceed(result, &control), request.visit, &control)
  }

  /// Whether the edit now leads to a different track from the one that was opened, because the current track has ended in
  /// the meantime.
  private func isOutdated(_ request: EditRequest, _ sounds: [PrimedSource], _ control: borrowing Transport) -> Bool {
    guard request.context.shouldStop == nil, control.isChangeable,
      case .success(let arrivals) = control.arrivals(after: request.edit)
    else { return false }
    let opened = Set(sounds.map(\.need.source))
    return arrivals.contains { $0.layer == .music && !opened.contains($0.source) }
  }
}

/// Passes the sounds of an edit to the pass of the control loop that requests them, if they are open already.
private final class OpenPass: Sendable {
  typealias Opened = Result<[PrimedSource], SoundOpener.Failure>

  private enum State: Sendable {
    case open
    case delivered(Opened)
    case closed
  }

  private let state = Mutex(State.open)

  /// - Returns: whether the pass takes them; false once it is over.
  func take(_ opened: Opened) -> Bool {
    state.withLock { state in
      guard case .open = state else { return false }
      state = .delivered(opened)
      return true
    }
  }

  /// Ends the pass.
  ///
  /// - Returns: what was delivered in it; nil if that comes later.
  func close() -> Opened? {
    state.withLock { state in
      defer { state = .closed }
      if case .delivered(let opened) = state { return opened }
      return nil
    }
  }
}
