import Engine
import Signal
import Sounds

/// Decodes parts of one sound to find the damaged and the silent ones. What several parts share is decoded once.
struct PartSurvey: Sendable {
  /// A problem with the content of a part.
  enum Finding: Sendable {
    case damaged(SourceError)
    case silent
  }

  /// The parts with a problem.
  private(set) var findings: [SoundSource: Finding] = [:]
  private let library: any SoundLibrary

  /// A part that is played up to `end`, in seconds of the sound.
  private typealias Part = (source: SoundSource, end: Double)

  /// Blocks until the parts are decoded.
  ///
  /// - Parameter parts: parts of one sound, and how much of each is played, in seconds.
  init(of parts: [(source: SoundSource, seconds: Double)], in library: any SoundLibrary) {
    self.library = library
    var rest = parts.map { (source: $0.source, end: $0.source.start + $0.seconds) }
      .sorted { ($0.source.start, $0.end) < ($1.source.start, $1.end) }[...]
    while let first = rest.first {
      var end = first.end
      let overlapping = rest.prefix { part in
        defer { end = max(end, part.end) }
        return part.source.start < end || part.source == first.source
      }
      rest = survey(overlapping) + rest.dropFirst(overlapping.count)
    }
  }

  /// Judges parts of which each overlaps with one before it.
  ///
  /// - Returns: those that damage hides.
  private mutating func survey(_ parts: ArraySlice<Part>) -> ArraySlice<Part> {
    guard let first = parts.first else { return [] }
    var whole = first.source
    let end = parts.map(\.end).max() ?? first.end
    if 1 < parts.count { whole.end = parts.contains { $0.source.end == nil } ? nil : end }
    do throws(SourceError) {
      let content = try Content(of: whole, upTo: end - whole.start, in: library)
      let lost = content.damage.map { content.rate.seconds($0.frame) + whole.start }
      let hidden = lost.map { lost in parts.filter { lost < $0.source.start } } ?? []
      for part in parts.dropLast(hidden.count) {
        if let damage = content.damage, let lost, part.source.start <= lost, lost < part.end || parts.count == 1 {
          findings[part.source] = .damaged(damage.error)
        } else if content.isSilent(from: part.source.start - whole.start, to: part.end - whole.start) {
          findings[part.source] = .silent
        }
      }
      return hidden[...]
    } catch {
      findings[first.source] = .damaged(error)
      return parts.dropFirst()
    }
  }

  /// What the decoded frames of a sound contain.
  private struct Content {
    let rate: SampleRate
    let damage: SoundDamage?
    /// The number of audible blocks before each block, and at last all.
    private var audible = [0]

    private static let blockSeconds = 0.1

    init(of source: SoundSource, upTo seconds: Double, in library: any SoundLibrary) throws(SourceError) {
      // The rate of this probe does not matter: at the sound's own rate, no resampler hides damage.
      rate = try library.probe(source, at: .studio).rate.flatMap(SampleRate.init(hertz:)) ?? .studio
      let decoder = try library.open(source, at: rate, from: 0)
      let block = max(1, Int(rate.frames(Self.blockSeconds)))
      var audible = [0]
      damage = decoder.decode(upTo: rate.frames(seconds), block: block) { frames in
        let peak = frames.reduce(0) { max($0, $1.peak) }
        audible.append((audible.last ?? 0) + (Level(peak: peak) < .inaudible ? 0 : 1))
      }
      self.audible = audible
    }

    /// Whether no block of a part, in seconds, is audible. A block at its edges counts whole.
    func isSilent(from start: Double, to end: Double) -> Bool {
      let blocks = audible.count - 1
      let first = min(blocks, Int(max(0, start / Self.blockSeconds)))
      let last = end < Double(blocks) * Self.blockSeconds ? Int((end / Self.blockSeconds).rounded(.up)) : blocks
      return audible[max(first, last)] == audible[first]
    }
  }
}
