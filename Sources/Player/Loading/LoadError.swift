import Engine

/// Why a load failed.
enum LoadError: Error, Sendable, Hashable {
  case failed(SourceError)
  /// It was abandoned after that many seconds.
  case timedOut(seconds: Double)
  /// The named operation asked the loading one to stop.
  case stopped(by: String)
  /// Too many abandoned loads still block their threads, so no more threads are started.
  case exhausted(hung: Int)
  /// The system can't create a thread for it.
  case noThread

  private static let noThreadCause = "the system can't create another thread; end other programs"

  /// The outcome of an operation that needed the sound.
  func outcome(loading title: String) -> CommandOutcome {
    switch self {
    case .failed(let error): .rejected(.fileLoadFailed(error))
    case .timedOut(let seconds): .rejected(.fileLoadTimeout(title: title, seconds: seconds))
    case .stopped(let name): .cancelled(by: name)
    case .exhausted(let hung):
      .rejected(.fileLoadFailed(.unreadable(path: title, cause: "\(hung) loads hang; check the disk or network")))
    case .noThread: .rejected(.fileLoadFailed(.unreadable(path: title, cause: Self.noThreadCause)))
    }
  }

  /// Why a sound of the schedule is missing, and the event that reports it.
  func report(of title: String) -> (SourceError, PlayerEvent) {
    switch self {
    case .timedOut(let seconds):
      return (
        .unreadable(path: title, cause: "it doesn't answer"), .loadTimeout(title: title, milliseconds: 1_000 * seconds)
      )
    case .failed(let error): return (error, .loadFailed(title: title, error))
    case .stopped, .exhausted, .noThread:
      let cause = self == .noThread ? Self.noThreadCause : "too many sounds don't answer"
      let error = SourceError.unreadable(path: title, cause: cause)
      return (error, .loadFailed(title: title, error))
    }
  }
}

/// The result of a load, and the seconds that it took.
struct Loaded<Value: Sendable>: Sendable {
  var value: Value
  var seconds: Double
}
