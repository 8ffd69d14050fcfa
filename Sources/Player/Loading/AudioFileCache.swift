import Engine
import Signal
import Synchronization

/// Which sound is to be opened, and from where on.
struct SoundRequest: Hashable, Sendable {
  var source: SoundSource
  var rate: SampleRate
  /// The frame of the sound that is heard first.
  var offset: FrameCount

  init(_ source: SoundSource, at rate: SampleRate, offset: FrameCount = 0) {
    self.source = source
    self.rate = rate
    self.offset = offset
  }
}

/// Has the sound open that will be asked for next. An open sound goes to one who asks and to nobody else: two voices
/// never share a decoder. What failed is never kept.
final class AudioFileCache<Sound: Sendable>: Sendable {
  private struct State {
    var next: (request: SoundRequest, preload: Preload<Sound>)?
    var figures = CacheFigures()
  }

  private let state = Mutex(State())
  private let loader: Loader
  private let open: @Sendable (SoundRequest) throws(SourceError) -> Sound

  /// - Parameter open: runs on a thread of its own, and may wait.
  init(loader: Loader, open: @escaping @Sendable (SoundRequest) throws(SourceError) -> Sound) {
    self.loader = loader
    self.open = open
  }

  var figures: CacheFigures { state.withLock(\.figures) }

  /// Has a sound opened that will be asked for soon, in the place of the one before it. One that is open, or about to
  /// be, is left as it is.
  func preload(_ request: SoundRequest) {
    let preload = state.withLock { state -> Preload<Sound>? in
      if let next = state.next, next.request == request, next.preload.isOpenToClaims { return nil }
      let preload = Preload<Sound>()
      state.next = (request, preload)
      return preload
    }
    guard let preload else { return }
    load(request) { [self] result in
      preload.arrive(result)
      count(result)
    }
  }

  /// Whether it could be had at once.
  func isReady(_ request: SoundRequest) -> Bool {
    state.withLock { state in
      guard let next = state.next, next.request == request else { return false }
      return next.preload.isReady
    }
  }

  /// Takes a sound, which is the caller's alone from here on.
  ///
  /// - Parameters:
  ///   - context: of the operation that asks; when that is asked to stop, it waits no longer.
  ///   - deliver: called once, on any thread.
  func take(
    _ request: SoundRequest, for context: OperationContext? = nil,
    deliver: @escaping @Sendable (LoadTicket<Sound>.Result) -> Void
  ) {
    let ticket = LoadTicket<Sound>(deliver: deliver)
    context?.whenAskedToStop { ticket.abandon(for: $0) }
    if !claim(request, for: ticket) { load(request) { ticket.settle($0) } }
  }

  /// Whether nothing is open, and nothing about to be.
  var isEmpty: Bool { state.withLock { $0.next == nil } }

  /// Releases what is open and what is about to be.
  func clear() {
    state.withLock { state in
      state.figures.clears += 1
      state.next = nil
    }
  }

  /// - Returns: whether the sound was preloaded, or is about to be.
  private func claim(_ request: SoundRequest, for ticket: LoadTicket<Sound>) -> Bool {
    let preload = state.withLock { state -> Preload<Sound>? in
      guard let next = state.next, next.request == request else { return nil }
      state.next = nil
      return next.preload
    }
    let isHit = preload?.claim(for: ticket) ?? false
    state.withLock { state in
      state.figures.hits += isHit ? 1 : 0
      state.figures.misses += isHit ? 0 : 1
    }
    return isHit
  }

  private func count(_ result: LoadTicket<Sound>.Result) {
    state.withLock { state in
      switch result {
      case .success: state.figures.preloadSuccesses += 1
      case .failure: state.figures.preloadFailures += 1
      }
    }
  }

  private func load(_ request: SoundRequest, deliver: @escaping @Sendable (LoadTicket<Sound>.Result) -> Void) {
    let open = open
    loader.start({ () throws(SourceError) in try open(request) }, deliver: deliver)
  }
}
