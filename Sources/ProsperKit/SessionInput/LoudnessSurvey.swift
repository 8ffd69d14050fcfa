import AudioFiles
import Levels
import Schedule
import SessionFiles
import Signal
package import Sounds
import Synchronization

/// Measures the loudness of a session's sounds, each once: files that have not changed since are not decoded again.
package struct LoudnessSurvey: Sendable {
  /// Which sounds are measured.
  package enum Extent: Sendable {
    /// Those that the session levels.
    case levelled
    /// All sounds.
    case all
  }

  /// The sounds that could be measured.
  package private(set) var loudness: [SoundSource: SoundLoudness] = [:]

  /// Seconds of a sound without an end that are measured.
  private static let endlessSeconds = 30.0

  /// Measures sounds; waits until all of them are decoded.
  ///
  /// - Parameter progress: called with the number of measured sounds and of all, on any thread; it must not block.
  init(of session: Session, _ extent: Extent, in library: Sounds, progress: @escaping @Sendable (Int, Int) -> Void) {
    let sources = Array(Set(session.sources(extent)))
    if sources.isEmpty { return }
    let done = Mutex(0)
    let found = Processors.map(sources) { source in
      let loudness = Self.loudness(of: source, in: library)
      progress(
        done.withLock { done in
          done += 1
          return done
        }, sources.count)
      return loudness
    }
    loudness = Dictionary(
      uniqueKeysWithValues: zip(sources, found).compactMap { source, loudness in
        loudness.map { (source, $0) }
      })
  }

  /// The loudness of a sound; nil if it can't be opened.
  private static func loudness(of source: SoundSource, in library: Sounds) -> SoundLoudness? {
    let (cache, path) = (SoundCache.loudness, library.path(of: source))
    let state = cache.state(of: path)
    if let state, let line = cache.line(of: source, in: state), let known = SoundLoudness(line: line) { return known }
    guard let loudness = measured(source, in: library) else { return nil }
    if let state, cache.state(of: path) == state { cache.keep([(source, loudness.line)], in: state) }
    return loudness
  }

  /// The loudness of a sound as it is decoded now; nil if it can't be opened.
  static func measured(_ source: SoundSource, in library: Sounds) -> SoundLoudness? {
    do {
      let rate = try library.probe(source, at: .studio).rate.flatMap(SampleRate.init(hertz:)) ?? .studio
      let isEndless = try library.probe(source, at: rate).length == .endless
      let decoder = try library.open(source, at: rate, from: 0)
      let limit = isEndless ? rate.frames(endlessSeconds) : .endless
      let levels = try SoundLevels(of: decoder, rate: rate.hertz, limit: limit)
      return SoundLoudness(integrated: levels.integrated, momentary: levels.momentary)
    } catch { return nil }
  }
}

/// The line of a sound in `SoundCache.loudness`.
extension SoundLoudness {
  private static let end = "."

  fileprivate var line: String { "\(integrated)\t\(momentary)\t\(Self.end)" }

  /// Reads `line`; nil if it is not complete or not valid.
  fileprivate init?(line: Substring) {
    let fields = line.split(separator: "\t")
    guard fields.count == 3, fields[2] == Self.end, let integrated = Double(fields[0]),
      let momentary = Double(fields[1]), !integrated.isNaN, !momentary.isNaN
    else { return nil }
    self.init(integrated: integrated, momentary: momentary)
  }
}

extension Session {
  /// The sources of all uses and of all named sounds, or only those that are levelled.
  fileprivate func sources(_ extent: LoudnessSurvey.Extent) -> [SoundSource] {
    if case .all = extent { return (sounds + named.values).map(\.source) }
    let uses = uses.filter { target(of: $0.sound, in: $0.layer) != nil }.map(\.sound)
    let names = named.values.filter { sound in Layer.allCases.contains { target(of: sound, in: $0) != nil } }
    return (uses + names).map(\.source)
  }
}
