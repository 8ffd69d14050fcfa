import Engine
import Signal

/// Opens sounds for commands, on threads of their own, with their first frames decoded.
struct Opener: Sendable {
  /// Seconds of a sound that are decoded before it is needed.
  private static let head = 0.15

  let library: any SoundLibrary
  let rate: SampleRate

  struct Failure: Error, Sendable {
    var title: String
    var error: SourceError
  }

  func open(_ needs: [PrimedSource.Need]) async throws(AudioPlayerError) -> [PrimedSource] {
    switch await openAll(needs) {
    case .success(let primed): return primed
    case .failure(let failure): throw .fileLoadFailed(failure.error)
    }
  }

  func openAll(_ needs: [PrimedSource.Need]) async -> Result<[PrimedSource], Failure> {
    var primed: [PrimedSource] = []
    for need in needs {
      let sound = await onThread { () throws(SourceError) in
        try PrimedSound(
          need.source, from: library, at: rate, offset: need.offset, priming: Int(rate.frames(Self.head)))
      }
      switch sound {
      case .success(let sound): primed.append(PrimedSource(need: need, sound: sound))
      case .failure(let error): return .failure(Failure(title: need.source.label, error: error))
      }
    }
    return .success(primed)
  }

  func length(of cue: Cue) async throws(AudioPlayerError) -> FrameCount {
    let facts = await onThread { () throws(SourceError) in try library.probe(cue.source, at: rate) }
    switch facts {
    case .success(let facts): return facts.length
    case .failure(let error): throw .fileLoadFailed(error)
    }
  }

  private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(SourceError) -> Value
  ) async -> Result<Value, SourceError> {
    await withCheckedContinuation { continuation in
      OSThread.start {
        do throws(SourceError) { continuation.resume(returning: .success(try body())) } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
  }
}
