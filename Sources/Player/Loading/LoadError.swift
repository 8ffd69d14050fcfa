import Engine

/// Why a load brought nothing.
enum LoadError: Error, Sendable, Hashable {
  case failed(SourceError)
  /// It was given up after so many seconds; whether it would ever have ended nobody knows.
  case timedOut(seconds: Double)
  /// That operation asked the one that loads to stop.
  case stopped(by: String)
  /// So many loads were given up and hang still: no further thread is spent.
  case exhausted(hung: Int)

  /// What an operation answers that needed the sound.
  func outcome(loading title: String) -> CommandOutcome {
    switch self {
    case .failed(let error): .rejected(.fileLoadFailed(error))
    case .timedOut(let seconds): .rejected(.fileLoadTimeout(title: title, seconds: seconds))
    case .stopped(let name): .cancelled(by: name)
    case .exhausted(let hung):
      .rejected(.fileLoadFailed(.unreadable(path: title, cause: "\(hung) loads hang; check the disk or network")))
    }
  }

  /// Why a sound of the plan is missing, and the event that reports it.
  func report(of title: String) -> (SourceError, PlayerEvent) {
    switch self {
    case .timedOut(let seconds):
      return (
        .unreadable(path: title, cause: "it doesn't answer"), .loadTimeout(title: title, milliseconds: 1_000 * seconds)
      )
    case .failed(let error): return (error, .loadFailed(title: title, error))
    case .stopped, .exhausted:
      let error = SourceError.unreadable(path: title, cause: "too many sounds don't answer")
      return (error, .loadFailed(title: title, error))
    }
  }
}

/// What a load has brought, and what it took.
struct Loaded<Value: Sendable>: Sendable {
  var value: Value
  var seconds: Double
}
