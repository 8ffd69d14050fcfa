import Engine
import Signal
import Synchronization

/// Opens sounds for the control thread on other threads, and keeps what comes until it is asked for.
final class LoadDesk: Sendable {
  struct Arrival: Sendable {
    var serial: Int
    var result: LoadTicket<PrimedSound>.Result
  }

  /// Seconds of a sound that are decoded before it is handed over.
  private static let head = 0.1

  private let library: any SoundLibrary
  private let rate: SampleRate
  private let loader: Loader
  private let wake: WakeUp
  private let come = Mutex<[Arrival]>([])

  init(library: any SoundLibrary, rate: SampleRate, loader: Loader, wake: WakeUp) {
    self.library = library
    self.rate = rate
    self.loader = loader
    self.wake = wake
  }

  /// - Parameter serial: what the arrival is told by.
  func load(_ need: PrimedSource.Need, for serial: Int) {
    let (library, rate) = (library, rate)
    loader.start { () throws(SourceError) in
      try PrimedSound(need.source, from: library, at: rate, offset: need.offset, priming: Int(rate.frames(Self.head)))
    } deliver: { [self] result in
      come.withLock { $0.append(Arrival(serial: serial, result: result)) }
      wake.call()
    }
  }

  /// What has come since the last call.
  func arrivals() -> [Arrival] {
    come.withLock { come in
      defer { come = [] }
      return come
    }
  }
}

extension Result<Loaded<PrimedSound>, LoadError> {
  var milliseconds: Double { if case .success(let loaded) = self { 1_000 * loaded.seconds } else { 0 } }
}

extension LoadError {
  var source: SourceError? { if case .failed(let error) = self { error } else { nil } }
}
