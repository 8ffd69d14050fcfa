import Engine
import Schedule
import Signal
import Sounds

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

  /// Opens the sounds of the clips that an edit adds, one after the other.
  ///
  /// - Parameter deliver: called once, on any thread: with a result for each sound, or with the first failure of a
  ///   sound that the edit needs.
  func open(
    _ clips: [Clip], for edit: Edit, _ context: OperationContext,
    deliver: @escaping @Sendable (Result<[PrimedSource], Failure>) -> Void
  ) {
    open(clips[...], beside: [], for: edit, context, deliver: deliver)
  }

  private func open(
    _ clips: ArraySlice<Clip>, beside opened: [PrimedSource], for edit: Edit, _ context: OperationContext,
    deliver: @escaping @Sendable (Result<[PrimedSource], Failure>) -> Void
  ) {
    guard let clip = clips.first else { return deliver(.success(opened)) }
    let need = PrimedSource.Need(clip)
    open(need, for: context) { result in
      if case .failure(let error) = result {
        let failure = Failure(source: clip.source, title: clip.title, error: error)
        if edit.needs(clip) || !failure.isOfSound { return deliver(.failure(failure)) }
      }
      let opened = opened + [PrimedSource(need: need, result: result)]
      open(clips.dropFirst(), beside: opened, for: edit, context, deliver: deliver)
    }
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
    if let sound = effectCache.sound(cue.source) { return .success(sound.length) }
    return await load(cue, for: context) { () throws(SourceError) in
      let length = try library.probe(cue.source, at: rate).length
      if rate.frames(EffectCache.maximumLength) < length { return length }
      let decoder = try library.open(cue.source, at: rate, from: 0)
      effectCache.insert(DecodedSound(decoder, length: length), for: cue.source)
      return length
    }
  }

  /// Whether an effect is decoded in memory. If it is, it becomes the most recently used one.
  func isPreloaded(_ cue: Cue) -> Bool { effectCache.sound(cue.source) != nil }

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
      return .success(try await loader.load(for: context, body).value)
    } catch { return .failure(Failure(source: cue.source, title: cue.title, error: error)) }
  }
}
