package import Markup
import Player
import Schedule
package import SessionFiles
import Signal
import Sounds

extension Timeline {
  /// A warning for each overlay during which a gong is struck, or shortly before it: the gong would cover the voice.
  /// Overlays of built-in sounds are not voices.
  ///
  /// - Parameter session: the session of this timeline.
  package func coveredVoices(of session: Session) -> [Diagnostic] {
    let uses = session.cues
    var warnings: [Diagnostic] = []
    // Cues of the session as a whole belong to the first run.
    for range in runs {
      let run = (range.lowerBound == 0 ? cues : []) + stages[range].flatMap(\.cues)
      let gongs = run.filter { $0.layer == .effect }.sorted { $0.at < $1.at }
      // The first voice and gong of each cue, and how many strokes cover a voice of the cue.
      var covered: [Int: (voice: Clip, gong: Clip, strokes: Int)] = [:]
      for voice in run where voice.isVoice {
        guard let cue = voice.cue else { continue }
        // Gongs that are struck before the voice begins may have ended by then.
        let before = gongs.struck(from: voice.at - rate.frames(Self.loud), to: voice.at).filter { voice.at < $0.end }
        let during = gongs.struck(from: voice.at - 1, to: voice.end)
        guard let gong = before.first ?? during.first else { continue }
        covered[cue, default: (voice, gong, 0)].strokes += before.count + during.count
      }
      warnings += covered.sorted { $0.key < $1.key }.compactMap { cue, meeting in
        Self.warning(of: meeting.voice, cue, meeting.gong, strokes: meeting.strokes, uses, at: rate)
      }
    }
    return warnings
  }

  /// The number of seconds for which the stroke of a gong is louder than a voice.
  private static let loud = 3.0

  private static func warning(
    of voice: Clip, _ cue: Int, _ first: Clip, strokes: Int, _ uses: [CueUse], at rate: SampleRate
  ) -> Diagnostic? {
    guard let gong = first.cue, uses.indices.contains(cue), uses.indices.contains(gong) else { return nil }
    let cover = strokes == 1 ? "covers" : "and \(counted(strokes - 1, "more stroke")) cover"
    return Diagnostic(
      .warning, uses[cue].location,
      "the gong '\(shown(first.title))' in line \(uses[gong].location.line), struck at \(Clock.text(first.at, rate)), "
        + "\(cover) the voice '\(shown(voice.title))', which plays from \(Clock.text(voice.at, rate)) to "
        + Clock.text(voice.end, rate), fix: "move one of them")
  }

  /// A warning for each overlay that another overlay cuts off, at its first loss.
  ///
  /// - Parameter session: the session of this timeline.
  package func replacedOverlays(of session: Session) -> [Diagnostic] {
    let uses = session.cues
    var told: Set<Int> = []
    return replacements.compactMap { loss in
      guard uses.indices.contains(loss.replaced), uses.indices.contains(loss.replacing),
        told.insert(loss.replaced).inserted
      else { return nil }
      let other = "the overlay '\(shown(uses[loss.replacing].title))' in line \(uses[loss.replacing].location.line)"
      let at = Clock.text(loss.frame, rate)
      let what =
        loss.begin == loss.frame
        ? "is never heard, because \(other) begins at the same time, \(at)"
        : "begins at \(Clock.text(loss.begin, rate)) and is cut off at \(at), when \(other) begins"
      return Diagnostic(
        .warning, uses[loss.replaced].location, "the overlay '\(shown(uses[loss.replaced].title))' \(what)",
        fix: "begin the second one later, or give one of them \"layer\": true, so that both are heard")
    }
  }
}

extension Clip {
  /// The number of the cue in the session; nil for music.
  fileprivate var cue: Int? { if case .cue(_, let cue, _, _) = id.origin { cue } else { nil } }

  fileprivate var isVoice: Bool {
    guard layer == .overlay, length != .endless else { return false }
    if case .generated = source.origin { return false }
    return true
  }
}

extension [Clip] {
  /// The clips of this list, which is ordered by frame, that begin after `first` and before `last`.
  fileprivate func struck(from first: FrameTime, to last: FrameTime) -> ArraySlice<Clip> {
    let begin = partition { first < $0.at }
    return self[begin..<Swift.max(begin, partition { last <= $0.at })]
  }

  /// The index of the first clip that is in the second part of this list.
  private func partition(_ isSecond: (Clip) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Where the file names a cue, and its title.
typealias CueUse = (location: SourceLocation, title: String)

extension Session {
  /// The cues, in the order in which `Programme` numbers them.
  var cues: [CueUse] {
    let own = overlays.map { ($0.location, $0.sound.title) } + gongs.map { ($0.location, $0.sound.title) }
    return own
      + stages.flatMap { stage in
        stage.overlays.map { ($0.location, $0.sound.title) } + stage.gongs.map { ($0.location, $0.sound.title) }
      }
  }
}
