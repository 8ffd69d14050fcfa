import ProsperKit
import Synchronization

/// The sessions of `serve`: those of the folders and of the library, and the one that is played next.
final class ServedSessions: PageLibrary {
  /// A session that can be played.
  struct Choice: Sendable {
    var path: String
    var plan: SessionPlan
    var resumes: Bool
  }

  private struct State {
    /// How many sessions have been asked for. The last one counts.
    var wishes = 0
    var next: Choice?
    /// The path of the session that plays.
    var current: String?
    var isClosed = false
    var waiting: CheckedContinuation<Choice?, Never>?
  }

  private let folders: [String]
  private let playing: NowPlaying
  private let state = Mutex(State())

  init(folders: [String], _ playing: NowPlaying) { (self.folders, self.playing) = (folders, playing) }

  /// The sessions in alphabetical order of their folders and names.
  private var entries: [SessionLibrary.Entry] {
    let own = folders.flatMap { folder in
      (SessionFolder.sessions(in: folder) ?? []).compactMap { path in
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return SessionLibrary.name(of: file).map { SessionLibrary.Entry(name: $0, path: absolutePath(of: path)) }
      }
    }
    let paths = Set(own.map(\.path))
    return own + SessionLibrary().wholeEntries.filter { !paths.contains($0.path) }
  }

  func sessions() async -> String {
    let current = state.withLock(\.current)
    return await onBlockingQueue { [self] in
      let listed = entries.map { ListedSession($0) }
      // The place of the session that plays is saved, too, but it is not interrupted.
      return "[\(listed.map { $0.page(isPlaying: $0.entry.path == current).description }.joined(separator: ","))]"
    }
  }

  func play(_ wanted: WantedSession) async -> PageProblem? {
    let asked = SuspendingClock.now
    let wish = state.withLock { state in
      state.wishes += 1
      return state.wishes
    }
    switch await onBlockingQueue({ [self] in choice(wanted) }) {
    case .failure(let refusal): return refusal.problem
    // Who has waited that long does something else by now.
    case .success where asked.advanced(by: .seconds(Self.patience)) < .now:
      return PageProblem("the sounds of this session took more than \(Int(Self.patience)) s to open; choose it again")
    case .success(let choice): return take(choice, wish: wish)
    }
  }

  /// Seconds within which a session must be ready to play after it was chosen.
  private static let patience = 60.0

  /// Lets a session follow the one that plays or opens, in place of another one that was to follow it.
  private func take(_ choice: Choice, wish: Int) -> PageProblem? {
    // With the lock, it is the session before this choice that is replaced, and not the choice itself.
    state.withLock { state in
      guard wish == state.wishes else { return PageProblem("another session was chosen meanwhile") }
      if let waiting = state.waiting.take() {
        begin(choice, &state)
        waiting.resume(returning: choice)
      } else {
        state.next = choice
        playing.replace()
      }
      return nil
    }
  }

  private func begin(_ choice: Choice, _ state: inout State) {
    state.current = choice.path
    playing.open()
  }

  private struct Refused: Error { let problem: PageProblem }

  private func choice(_ wanted: WantedSession) -> Result<Choice, Refused> {
    guard let entry = entries.first(where: { $0.path == wanted.session || $0.name == wanted.session }) else {
      return .failure(Refused(problem: PageProblem("there is no such session here", isUnknown: true)))
    }
    let resumes = wanted.resume ?? false
    do throws(Refusal) {
      let fitted =
        try FittedLength.seconds(wanted.duration, of: "duration")
        ?? (resumes ? ResumePoint.fittedLength(of: entry.path) : nil)
      var settings =
        resumes && wanted.set.isEmpty ? .saved(ResumePoint.settings(of: entry.path)) : Self.settings(wanted)
      if resumes { settings.seed = ResumePoint.seed(of: entry.path) }
      var plan = SessionPlan.read(entry.path, settings: settings, playsWhileDownloading: !resumes)
      try plan.fit(to: fitted, of: "duration")
      guard plan.programme != nil else {
        let first = plan.diagnostics.first { $0.severity == .error }
        return .failure(Refused(problem: PageProblem(first.map(\.description) ?? "\(entry.path) can't be played")))
      }
      return .success(Choice(path: entry.path, plan: plan, resumes: resumes))
    } catch {
      return .failure(Refused(problem: PageProblem(error.reason)))
    }
  }

  /// The values that the page gives to parameters.
  private static func settings(_ wanted: WantedSession) -> SessionSettings {
    var settings = SessionSettings()
    for (name, text) in wanted.set { settings.set(name, to: text, at: SourceLocation(file: "set")) }
    return settings
  }

  /// The session that is played next, when one is chosen; nil once the player ends.
  func next() async -> Choice? {
    await withCheckedContinuation { continuation in
      let choice = state.withLock { state -> Choice?? in
        state.current = nil
        if state.isClosed { return .some(nil) }
        if let next = state.next.take() {
          begin(next, &state)
          return next
        }
        state.waiting = continuation
        return nil
      }
      if let choice { continuation.resume(returning: choice) }
    }
  }

  /// The player ends: nothing more is played.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      return state.waiting.take()
    }
    waiting?.resume(returning: nil)
  }
}
