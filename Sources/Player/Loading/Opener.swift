import Engine
import Signal

/// Opens sounds for commands, on threads of their own, with their first frames decoded.
struct Opener: Sendable {
  /// Seconds of a sound that are decoded before it is needed.
  private static let head = 0.15

  let library: any SoundLibrary
  let rate: SampleRate
  let loader: Loader
  private let shelf = EffectShelf()
  /// Holds what the next step would lead to.
  private let cache: AudioFileCache<PrimedSound>

  init(library: any SoundLibrary, rate: SampleRate, loader: Loader) {
    (self.library, self.rate, self.loader) = (library, rate, loader)
    cache = AudioFileCache(loader: loader) { request throws(SourceError) in
      try PrimedSound(
        request.source, from: library, at: request.rate, offset: request.offset,
        priming: Int(request.rate.frames(Self.head)))
    }
  }

  /// How often what was asked for was open already.
  var figures: AudioFileCache<PrimedSound>.Figures { cache.figures }

  /// Has it open when it is asked for.
  func preload(_ need: PrimedSource.Need) { cache.preload(SoundRequest(need.source, at: rate, offset: need.offset)) }

  /// Whether all of them are open already.
  func isReady(_ needs: [PrimedSource.Need]) -> Bool {
    needs.allSatisfy { need in
      need.offset == 0 && shelf.effect(need.source) != nil
        || cache.isReady(SoundRequest(need.source, at: rate, offset: need.offset))
    }
  }

  struct Failure: Error, Sendable {
    var title: String
    var error: LoadError

    var outcome: CommandOutcome { error.outcome(loading: title) }
  }

  /// All of them, or why one can't be opened.
  func open(_ needs: [PrimedSource.Need], for context: OperationContext) async -> Result<[PrimedSource], Failure> {
    var primed: [PrimedSource] = []
    for need in needs {
      do throws(LoadError) {
        primed.append(PrimedSource(need: need, sound: try await open(need, for: context)))
      } catch { return .failure(Failure(title: need.source.label, error: error)) }
    }
    return .success(primed)
  }

  private func open(_ need: PrimedSource.Need, for context: OperationContext) async throws(LoadError) -> PrimedSound {
    if need.offset == 0, let effect = shelf.effect(need.source) {
      do throws(SourceError) {
        return try PrimedSound(effect.decoder, priming: Int(rate.frames(Self.head)))
      } catch { throw .failed(error) }
    }
    return try await cache.take(SoundRequest(need.source, at: rate, offset: need.offset), for: context).value
  }

  /// Has an effect in memory, unless it is a long one.
  ///
  /// - Returns: its length.
  func shelve(_ cue: Cue, for context: OperationContext) async -> Result<FrameCount, Failure> {
    if let effect = shelf.effect(cue.source) { return .success(FrameCount(effect.frames.count)) }
    return await load(cue, for: context) { () throws(SourceError) in
      let length = try library.probe(cue.source, at: rate).length
      guard length <= rate.frames(EffectShelf.longest),
        let effect = try EffectShelf.Effect(cue.source, from: library, at: rate, length: length)
      else { return length }
      shelf.put(effect)
      return FrameCount(effect.frames.count)
    }
  }

  func unshelve(_ cue: Cue) { shelf.remove(cue.source) }

  func length(of cue: Cue, for context: OperationContext) async -> Result<FrameCount, Failure> {
    await load(cue, for: context) { () throws(SourceError) in try library.probe(cue.source, at: rate).length }
  }

  private func load(
    _ cue: Cue, for context: OperationContext, _ body: @escaping @Sendable () throws(SourceError) -> FrameCount
  ) async -> Result<FrameCount, Failure> {
    do throws(LoadError) {
      return .success(try await loader.load(for: context, body).value)
    } catch { return .failure(Failure(title: cue.title, error: error)) }
  }
}
