import Markup
import Schedule
import SessionFiles
import Signal
import Sounds

/// Places the random moments of gongs, once the lengths of the stages are known.
///
/// They depend on a seed and on the planned length of the stage or session only, so a stage that is extended while it
/// plays keeps them.
struct RandomGongs {
  private let session: Session
  private let layouts: [StageLayout]
  private let notes: TimelineNotes

  init(session: Session, layouts: [StageLayout], notes: TimelineNotes) {
    (self.session, self.layouts, self.notes) = (session, layouts, notes)
  }

  /// The programme of the session with all random moments. Those that don't fit are reported and left out.
  func placed(in programme: Programme) -> Programme {
    let isRandom = { (gongs: [Session.Gong]) in gongs.contains(where: \.isRandom) }
    guard isRandom(session.gongs) || session.stages.contains(where: { isRandom($0.gongs) }) else { return programme }
    var placed = programme
    let isOpen = layouts.contains { $0.end == nil }
    let whole = CueSpan(sessionEnding: isOpen ? nil : layouts.last?.exactEnd)
    place(session.gongs, &placed.gongs, in: whole, of: nil, programme.rate)
    for (index, layout) in layouts.enumerated() {
      let stage = session.stages[index]
      place(stage.gongs, &placed.stages[index].gongs, in: CueSpan(layout), of: stage.name, programme.rate)
    }
    return placed
  }

  private func place(
    _ gongs: [Session.Gong], _ planned: inout [Programme.Gong], in span: CueSpan, of stage: String?, _ rate: SampleRate
  ) {
    var earlier: [String: Int] = [:]
    for (index, gong) in gongs.enumerated() where gong.isRandom {
      let name = gong.sound.source.label
      let seed = gong.seed ?? derivedSeed(stage, name, earlier[name, default: 0])
      if gong.seed == nil { earlier[name, default: 0] += 1 }
      let length = span.end.map { $0 - span.begin }
      switch gong.times {
      case .at: break
      case .every: planned[index].jitter = Programme.Gong.Jitter(share: gong.jitter, seed: seed, length: length)
      case .random(let count, let minimum):
        let seconds = moments(count, minimum, of: gong, lasting: length.map { $0 / Double(rate.hertz) }, seed, stage)
        planned[index].pattern = .at(seconds.map { .afterStart($0 * Double(rate.hertz)) })
      }
    }
  }

  /// The random moments of a gong, in seconds from the beginning of its span; none, with an error reported, if they don't
  /// fit.
  private func moments(
    _ count: Int, _ minimum: Double?, of gong: Session.Gong, lasting length: Double?, _ seed: UInt64, _ stage: String?
  ) -> [Double] {
    let name = stage.map { "stage '\($0)'" } ?? "the session"
    guard let length else {
      notes.error(
        .endless, gong.location, "random moments need a known length, but \(name) has no known end",
        fix: "write 'every' with 'jitter', or give each stage a duration")
      return []
    }
    do throws(RandomMoments.NoRoom) {
      return try RandomMoments(count: count, within: length, minimum: minimum, seed: seed).seconds
    } catch {
      let distance = TimeSpelling.text(error.distance)
      notes.error(
        .outsideSpan, gong.location,
        "\(count) random moments don't fit into \(name), which lasts \(TimeSpelling.text(length)): "
          + "\(error.fitting == 0 ? "none fits" : "at most \(error.fitting) fit"), \(distance) from each other and from its ends",
        fix: error.fitting == 0
          ? minimum == nil ? "remove 'random', or lengthen the stage" : "make 'minimum' smaller"
          : "write 'random': \(error.fitting) or less\(minimum == nil ? "" : ", or make 'minimum' smaller")")
      return []
    }
  }

  /// The seed of a gong without one of its own. It depends on the seed of the run, the names of the stage and of the
  /// sound, and the number of such gongs with this sound before it in the stage, and on nothing else of the session.
  private func derivedSeed(_ stage: String?, _ sound: String, _ number: Int) -> UInt64 {
    // FNV-1a.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in "\(stage ?? "")\n\(sound)\n\(number)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var random = SplitMix(seed: session.seed ^ hash)
    return random.next()
  }
}
