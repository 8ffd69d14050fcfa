import Encoding
package import Engine
package import Levels
import Signal
package import Sounds

/// How two sounds differ that were read or rendered to their ends.
package struct Comparison: Sendable {
  package let a: ComparedSound
  package let b: ComparedSound
  package let sampleRate: Int
  package private(set) var output: SoundDifference
  /// Music, overlays and gongs, before the master volume; none unless both are sessions.
  package private(set) var layers: [(name: String, difference: SoundDifference)] = []
  /// The sounds that were damaged.
  package private(set) var damage: [SourceError] = []

  /// How often both sounds are read, and why.
  package enum Pass: Sendable {
    case differences, shift, rest
  }

  package static let layerNames = ["music", "overlays", "gongs"]

  /// Compares two sounds. If they differ, and unless something simple explains that, they are read or rendered twice
  /// more, to look for a shift in time.
  ///
  /// A sound file sets the sample rate of a session, and the first of two files that of both.
  ///
  /// - Parameters:
  ///   - limit: the level in dBFS up to which a sample of A−B counts as no difference.
  ///   - diffPath: the sound file to which A−B is written; nil for none.
  ///   - explains: whether a shift is looked for.
  ///   - progress: called with the part of a pass that is done, 0 to 1; on any thread.
  package init(
    _ a: ComparedSound, _ b: ComparedSound, limit: Double, diffPath: String? = nil, explains: Bool = true,
    progress: @escaping @Sendable (Pass, Double) -> Void = { _, _ in }
  ) async throws(ComparisonError) {
    let pair: ComparedPair
    do throws(MeasuringError) { pair = try ComparedPair(a, b, progress: progress) } catch { throw .measuring(error) }
    let work = ComparisonWork(pair, limit: limit, diffPath: diffPath, explains: explains)
    let found = try await OwnThread.run { () throws(ComparisonError) in try work.perform() }
    (self.a, self.b, sampleRate) = (pair.a, pair.b, pair.rate.hertz)
    output = found.differences[0]
    layers = zip(Self.layerNames, found.differences.dropFirst()).map { (name: $0, difference: $1) }
    damage = found.damage
  }

  /// Whether nothing that is heard differs. A difference of a layer may be too soft at the volume of the session.
  package var isSame: Bool { output.isSame }
}

/// Why two sounds can't be compared.
package enum ComparisonError: Error {
  case measuring(MeasuringError)
  /// The difference can't be written.
  case output(SinkError)
}
