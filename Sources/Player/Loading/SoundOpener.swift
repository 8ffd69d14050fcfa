import Engine
import Schedule
import Signal
import Sounds
import Synchronization

/// Opens sounds and decodes their first frames, each on its own thread. Commands use the caches; sounds of the schedule
/// don't.
struct SoundOpener: Sendable {
  let library: any SoundLibrary
  let rate: SampleRate
  let loader: Loader
  private let effectCache = EffectCache()
  /// Contains the sound that `next` would open.
  let cache: AudioFileCache<PrimedSound>

  /// - Parameter shared: the sounds that the session plays several times at once, with their lengths.
  init(
    library: any SoundLibrary, rate: SampleRate, loader: Loader, sharing shared: [SoundSource: FrameCount] = [:]
  ) {
    (self.library, self.rate, self.loader) = (library, rate, loader)
    let shared = SharedSounds(shared)
    cache = AudioFileCache(loader: loader) { need throws(SourceError) in
      // A sound that is converted together with its neighbours is opened for each voice.
      if need.join == nil {
        let sound = try shared.sound(need.source) { () throws(SourceError) in
          try library.open(need.source, at: rate, from: 0)
        }
        if let sound { return try PrimedSound(sound, from: need.offset) }
      }
      return try PrimedSound(
        need.source, from: library, at: rate, offset: need.offset, joined: need.join,
        priming: PrimedSound.headLength(at: rate))
    }
  }

  /// Whether both caches are empty.
  var isEmpty: Bool { cache.isEmpty && effectCache.isEmpty }

  /// Clears both caches. Sounds are opened again when they are needed.
  func clear() {
    cache.clear()
    effectCache.clear()
  }

  /// Whether all sounds are open already.
  func isReady(_ needs: [PrimedSource.Need]) -> Bool {
    needs.allSatisfy { need in
      effect(for: need) != nil || cache.isReady(need)
    }
  }

  /// A sound that could not be opened, and why.
  struct Failure: Error, Sendable {
    var source: SoundSource
    var title: String
    var error: LoadError

    /// Whether the sound itself can't be opened. Otherwise the load was stopped, or could not start.
    var isOfSound: Bool {
      switch error {
      case .failed, .timedOut: true
      case .stopped, .exhausted, .noThread: false
      }
    }

    var outcome: CommandOutcome { error.outcome(loading: title) }
  }

  /// Opens the sounds of the clips that an edit adds, side by side.
  ///
  /// - Parameters:
  ///   - isOrdered: whether the loads end in the order of the clips, as in a render, whose events must not depend on the
  ///     timing of threads.
  ///   - tell: reports the end of the load of the clip with that index, on any thread. Returns whether it is reported.
  ///   - deliver: called once, on any thread: with a result for each sound, or with the first failure of a sound that
  ///     the edit needs.
  func open(
    _ clips: [Clip], for edit: Edit, _ context: OperationContext, isOrdered: Bool,
    tell: @escaping @Sendable (Int, LoadTicket<PrimedSound>.Result) -> Bool,
    deliver: @escaping @Sendable (Result<[PrimedSource], Failure>) -> Void
  ) {
    let opened = OpenedSounds(clips, for: edit, tell: tell, deliver: deliver)
    guard isOrdered else {
      for (index, clip) in clips.enumerated() {
        open(PrimedSource.Need(clip), for: context) { opened.take($0, at: index) }
      }
      return
    }
    @Sendable func openRest(from index: Int) {
      open(PrimedSource.Need(clips[index]), for: context) { result in
        if opened.take(result, at: index) { openRest(from: index + 1) }
      }
    }
    openRest(from: 0)
  }

  private func open(
    _ need: PrimedSource.Need, for context: OperationContext,
    deliver: @escaping @Sendable (LoadTicket<PrimedSound>.Result) -> Void
  ) {
    if let sound = effect(for: need) {
      let primed = Result { () throws(SourceError) in
        Loaded(value: try PrimedSound(sound, from: need.offset), seconds: 0)
      }
      return deliver(primed.mapError { .failed($0) })
    }
    cache.take(need, for: context, deliver: deliver)
  }

  /// The decoded effect that contains all that a clip needs; nil if there is none.
  private func effect(for need: PrimedSource.Need) -> DecodedSound? {
    need.join == nil ? effectCache.sound(need.source) : nil
  }

  /// Decodes an effect into memory, unless it is longer than `EffectCache.maximumLength`.
  ///
  /// - Returns: its length in frames.
  func preloadEffect(_ cue: Cue, for context: OperationContext) async -> Result<FrameCount, Failure> {
    await load(cue, for: context) { () throws(SourceError) in
      let length = try library.probe(cue.source, at: rate).length
      if rate.frames(EffectCache.maximumLength) < length { return length }
      let decoder = try library.open(cue.source, at: rate, from: 0)
      effectCache.insert(DecodedSound(decoder, length: length), for: cue.source)
      return length
    }
  }

  /// The length of an effect that is decoded in memory; nil if it isn't. It becomes the most recently used one.
  func preloadedLength(_ cue: Cue) -> FrameCount? { effectCache.sound(cue.source)?.length }

  func isPreloaded(_ cue: Cue) -> Bool { preloadedLength(cue) != nil }

  /// Removes a decoded effect from memory.
  func unloadEffect(_ cue: Cue) { effectCache.remove(cue.source) }

  /// Probes a sound: its length and tags.
  func facts(of cue: Cue, for context: OperationContext) async -> Result<SoundFacts, Failure> {
    await load(cue, for: context) { () throws(SourceError) in try library.probe(cue.source, at: rate) }
  }

  private func load<Value: Sendable>(
    _ cue: Cue, for context: OperationContext, _ body: @escaping @Sendable () throws(SourceError) -> Value
  ) async -> Result<Value, Failure> {
    do throws(LoadError) {
      return .success(try await loader.load(for: context, patience: cue.source.patience, body).value)
    } catch { return .failure(Failure(source: cue.source, title: cue.title, error: error)) }
  }
}

/// Collects the sounds that are opened for the clips of an edit. May be used from any thread.
private final class OpenedSounds: Sendable {
  private let clips: [Clip]
  private let edit: Edit
  private let tell: @Sendable (Int, LoadTicket<PrimedSound>.Result) -> Bool
  private let sounds: Mutex<[PrimedSource?]>
  private let deliver: Mutex<(@Sendable (Result<[PrimedSource], SoundOpener.Failure>) -> Void)?>

  init(
    _ clips: [Clip], for edit: Edit, tell: @escaping @Sendable (Int, LoadTicket<PrimedSound>.Result) -> Bool,
    deliver: @escaping @Sendable (Result<[PrimedSource], SoundOpener.Failure>) -> Void
  ) {
    (self.clips, self.edit, self.tell) = (clips, edit, tell)
    sounds = Mutex(clips.map { _ in nil })
    self.deliver = Mutex(deliver)
  }

  /// Takes the result for a clip. Delivers all with the last one, or the first failure of a sound that the edit needs.
  ///
  /// - Returns: whether others are awaited.
  @discardableResult func take(_ result: LoadTicket<PrimedSound>.Result, at index: Int) -> Bool {
    let clip = clips[index]
    let isTold = tell(index, result)
    if case .failure(let error) = result {
      let failure = SoundOpener.Failure(source: clip.source, title: clip.title, error: error)
      if edit.needs(clip) || !failure.isOfSound {
        deliver.withLock { $0.take() }?(.failure(failure))
        return false
      }
    }
    let opened = sounds.withLock { sounds in
      sounds[index] = PrimedSource(need: PrimedSource.Need(clip), result: result, isTold: isTold)
      return sounds.compactMap(\.self)
    }
    guard opened.count == clips.count else { return true }
    deliver.withLock { $0.take() }?(.success(opened))
    return false
  }
}
