import Engine
import Signal

/// Opens sounds for commands, on threads of their own, with their first frames decoded.
struct Opener: Sendable {
  /// Seconds of a sound that are decoded before it is needed.
  private static let head = 0.15

  let library: any SoundLibrary
  let rate: SampleRate
  let loader: Loader

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
        let sound = try await loader.load(for: context) { () throws(SourceError) in
          try PrimedSound(
            need.source, from: library, at: rate, offset: need.offset, priming: Int(rate.frames(Self.head)))
        }
        primed.append(PrimedSource(need: need, sound: sound.value))
      } catch { return .failure(Failure(title: need.source.label, error: error)) }
    }
    return .success(primed)
  }

  func length(of cue: Cue, for context: OperationContext) async -> Result<FrameCount, Failure> {
    do throws(LoadError) {
      return .success(
        try await loader.load(for: context) { () throws(SourceError) in
          try library.probe(cue.source, at: rate).length
        }.value)
    } catch { return .failure(Failure(title: cue.title, error: error)) }
  }
}
