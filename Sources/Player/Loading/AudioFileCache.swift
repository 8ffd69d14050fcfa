import Sounds
import Synchronization

/// Opens sounds, each on its own thread, and keeps the next one open in advance.
///
/// An open sound is delivered once, so that two voices never share a decoder. Failures are not cached. All methods may
/// be called from any thread.
final class AudioFileCache<Sound: Sendable>: Sendable {
  typealias Need = PrimedSource.Need
  typealias Result = LoadTicket<Sound>.Result

  /// A sound that is open or being opened, and has not been requested yet.
  private struct Preload {
    var need: Need
    /// Nil while it is being opened.
    var sound: Loaded<Sound>?
  }

  private struct State {
    var preload: Preload?
    /// How many preloads there have been: the number of the last one.
    var preloads = 0
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
  var isEmpty: Bool { state.withLock { $0.preload == nil } }

  /// Whether the sound is open already.
  func isReady(_ need: Need) -> Bool {
    state.withLock { $0.preload?.need == need && $0.preload?.sound != nil }
  }

  /// Opens a sound in advance, instead of the previous one. Does nothing if it is open or being opened already.
  func preload(_ need: Need) {
    let number = state.withLock { state -> Int? in
      if state.preload?.need == need { return nil }
      state.preloads += 1
      state.preload = Preload(need: need)
      return state.preloads
    }
    guard let number else { return }
    load(need) { [self] in finishPreload($0, number) }
  }

  /// Stores the result of a preload, or delivers it to the request that waits for it.
  private func finishPreload(_ result: Result, _ number: Int) {
    let sound = try? result.get()
    let claim = state.withLock { state in
      state.figures.preloadSuccesses += sound == nil ? 0 : 1
      state.figures.preloadFailures += sound == nil ? 1 : 0
      if state.preloads == number {
        state.preload?.sound = sound
        if sound == nil { state.preload = nil }
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
    if let sound = preload?.sound {
      ticket.settle(context.shouldStop.map { .failure(.stopped(by: $0)) } ?? .success(sound))
      return
    }
    if preload == nil { load(need) { ticket.settle($0) } }
    context.waitForLoad { ticket.settle(.failure(.stopped(by: $0))) }
  }

  /// Removes the preload of a sound. If it is still being opened, `ticket` receives its result.
  ///
  /// - Returns: nil if another sound or none was preloaded.
  private func claim(_ need: Need, for ticket: LoadTicket<Sound>) -> Preload? {
    state.withLock { state in
      guard let preload = state.preload, preload.need == need else {
        state.figures.misses += 1
        return nil
      }
      state.figures.hits += 1
      state.preload = nil
      if preload.sound == nil { state.claims[state.preloads] = ticket }
      return preload
    }
  }

  /// Releases the sound that is open in advance or being opened.
  func clear() {
    state.withLock { state in
      state.figures.clears += 1
      state.preload = nil
    }
  }

  /// Opens a sound on its own thread, without the cache.
  ///
  /// - Parameter deliver: called once, on any thread.
  func load(_ need: Need, deliver: @escaping @Sendable (Result) -> Void) {
    loader.start({ [open] () throws(SourceError) in try open(need) }, deliver: deliver)
  }
}
