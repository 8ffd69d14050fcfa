import Schedule
public import Sounds

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

  /// Whether the same load may succeed if it is tried again at once.
  var isTransient: Bool {
    switch self {
    case .failed(let error): error.isTransient
    case .timedOut: true
    case .stopped, .exhausted, .noThread: false
    }
  }

  /// The outcome of an operation that needed the sound.
  func outcome(loading title: String) -> CommandOutcome {
    if case .stopped(let name) = self { .cancelled(by: name) } else { .rejected(error(loading: title)) }
  }

  /// Why a sound could not be opened.
  func error(loading title: String) -> PlayerError {
    if case .timedOut(let seconds) = self { return .fileLoadTimeout(title: title, seconds: seconds) }
    return .fileLoadFailed(sourceError(of: title))
  }

  /// The same as an error of the source.
  func sourceError(of title: String) -> SourceError {
    switch self {
    case .failed(let error): error
    case .timedOut, .stopped: .unavailable(path: title, cause: "it doesn't answer")
    case .exhausted(let hung): .unavailable(path: title, cause: "\(hung) loads hang; check the disk or network")
    case .noThread:
      .shortage(path: title, cause: "the system can't create another thread; end other programs")
    }
  }

  /// The event that ends the load.
  func event(title: String, id: LoadID) -> PlayerEvent {
    if case .timedOut(let seconds) = self {
      return .loadTimeout(title: title, id: id, milliseconds: 1_000 * seconds)
    }
    if case .stopped = self { return .loadFailed(title: title, id: id, .cancelled) }
    return .loadFailed(title: title, id: id, .failed(sourceError(of: title)))
  }
}

/// The number of a load in its session, from 1.
public struct LoadID: Sendable, Hashable, CustomStringConvertible {
  /// The number.
  public let number: Int

  package init(_ number: Int) { self.number = number }

  /// The identifier in events.
  public var description: String { "load-\(number)" }
}

/// Why a load ended without a sound, as its event reports it.
public enum LoadFailure: Sendable, Hashable, CustomStringConvertible {
  /// The sound can't be opened.
  case failed(SourceError)
  /// The sound was not needed any more: a command has changed what plays, or the session has ended.
  case cancelled

  /// One sentence for the user.
  public var description: String {
    switch self {
    case .failed(let error): error.description
    case .cancelled: "the sound is not needed any more"
    }
  }
}

/// The result of a load, and the seconds that it took.
struct Loaded<Value: Sendable>: Sendable {
  var value: Value
  var seconds: Double
}
