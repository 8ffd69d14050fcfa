import Sounds
import Synchronization

/// Opens sounds, each on its own thread, and keeps a few open in advance.
///
/// An open sound is delivered once, so that two voices never share a decoder. All methods may be called from any thread.
final class AudioFileCache<Sound: Sendable>: Sendable {
  typealias Need = PrimedSource.Need
  typealias Result = LoadTicket<Sound>.Result

  /// A sound that is open or being opened, and has not been requested yet.
  private struct Preload {
    var number: Int
    /// Whether a failure is kept for the first request. Otherwise a request opens the sound again.
    var keepsFailure: Bool
    /// Nil while it is being opened.
    var result: Result?

    var isOpen: Bool { if case .success? = result { true } else { false } }
  }

  private struct State {
    var preloads: [Need: Preload] = [:]
    /// How many preloads there have been: the number of the last one.
    var count = 0
    /// The requests that wait for a preload that is still being opened, by the preload's number.
    var claims: [Int: LoadTicket<Sound>] = [:]
    var figures = CacheFigures()
  }

  private let state = Mutex(State())
  private let loader: Loader
  /// Opens a sound on the calling thread without the cache. It may wait.
  let open: @Sendable (Need) throws(SourceError) -> Sound

  init(loader: Loader, open: @escaping @Sendable (Need) throws(SourceError) -> Sound) {
    self.loader = loader
    self.open = open
  }

  var figures: CacheFigures { state.withLock(\.figures) }

  /// Whether no sound is open in advance or being opened.
  var isEmpty: Bool { state.withLock { $0.preloads.isEmpty } }

  /// Whether the sound is open already.
  func isReady(_ need: Need) -> Bool { state.withLock { $0.preloads[need]?.isOpen ?? false } }

  /// Opens sounds in advance, side by side, instead of the previous ones. Does nothing for a sound that is open or being
  /// opened already.
  ///
  /// - Parameters:
  ///   - requested: a sound that is about to be requested. It stays open or being opened if it is.
  ///   - keepingFailures: whether the next request for a sound that can't be opened fails, too. Otherwise it is then
  ///     opened again.
  func preload(_ needs: [Need], beside requested: Need? = nil, keepingFailures: Bool = false) {
    let numbers = state.withLock { state in
      let old = state.preloads
      state.preloads = old.filter { $0.key == requested }
      var numbers: [(Need, Int)] = []
      for need in needs where need != requested && state.preloads[need] == nil {
        if let known = old[need], known.result == nil || known.isOpen {
          state.preloads[need] = known
          continue
        }
        state.count += 1
        state.preloads[need] = Preload(number: state.count, keepsFailure: keepingFailures)
        numbers.append((need, state.count))
      }
      return numbers
    }
    for (need, number) in numbers { load(need) { [self] in finishPreload(of: need, $0, number) } }
  }

  /// Stores the result of a preload, or delivers it to the request that waits for it.
  private func finishPreload(of need: Need, _ result: Result, _ number: Int) {
    let claim = state.withLock { state in
      let isOpen = if case .success = result { true } else { false }
      state.figures.preloadSuccesses += isOpen ? 1 : 0
      state.figures.preloadFailures += isOpen ? 0 : 1
      if let preload = state.preloads[need], preload.number == number {
        state.preloads[need]?.result = result
        if !isOpen, !preload.keepsFailure { state.preloads[need] = nil }
      }
      return state.claims.removeValue(forKey: number)
    }
    claim?.settle(result)
  }

  /// Delivers a sound to the caller, and opens it first if necessary.
  ///
  /// - Parameters:
  ///   - context: the context of the requesting operation. If the operation is asked to stop, the request fails
  ///     immediately.
  ///   - deliver: called once, on any thread.
  func take(_ need: Need, for context: OperationContext, deliver: @escaping @Sendable (Result) -> Void) {
    let ticket = LoadTicket<Sound>(deliver: deliver)
    let preload = claim(need, for: ticket)
    if let result = preload?.result {
      ticket.settle(context.shouldStop.map { .failure(.stopped(by: $0)) } ?? result)
      return
    }
    if preload == nil { load(need) { ticket.settle($0) } }
    context.waitForLoad { ticket.settle(.failure(.stopped(by: $0))) }
  }

  /// Removes the preload of a sound. If it is still being opened, `ticket` receives its result.
  ///
  /// - Returns: nil if the sound was not preloaded.
  private func claim(_ need: Need, for ticket: LoadTicket<Sound>) -> Preload? {
    state.withLock { state in
      guard let preload = state.preloads.removeValue(forKey: need) else {
        state.figures.misses += 1
        return nil
      }
      state.figures.hits += 1
      if preload.result == nil { state.claims[preload.number] = ticket }
      return preload
    }
  }

  /// Releases the sounds that are open in advance or being opened.
  func clear() {
    state.withLock { state in
      state.figures.clears += 1
      state.preloads = [:]
    }
  }

  /// Opens a sound on its own thread, without the cache.
  ///
  /// - Parameter deliver: called once, on any thread.
  func load(_ need: Need, deliver: @escaping @Sendable (Result) -> Void) {
    loader.start({ [open] () throws(SourceError) in try open(need) }, deliver: deliver)
  }
}
