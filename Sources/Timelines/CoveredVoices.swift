package import Markup
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
    let locations = session.cueLocations
    var warnings: [Diagnostic] = []
    for run in runs {
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
        warning(of: meeting.voice, meeting.gong, strokes: meeting.strokes, locations, in: session, cue: cue)
      }
    }
    return warnings
  }

  /// The number of seconds for which the stroke of a gong is louder than a voice.
  private static let loud = 3.0

  /// The cues, divided at open stages: nobody knows when the stage after an open one begins, so its frames count from 0
  /// again. Cues of the session as a whole belong to the first run.
  private var runs: [[Clip]] {
    var runs = [cues]
    for (index, stage) in stages.enumerated() {
      runs[runs.count - 1] += stage.cues
      if stage.end == nil, index + 1 < stages.count { runs.append([]) }
    }
    return runs
  }

  private func warning(
    of voice: Clip, _ first: Clip, strokes: Int, _ locations: [SourceLocation], in session: Session, cue: Int
  ) -> Diagnostic? {
    guard let gong = first.cue, locations.indices.contains(cue), locations.indices.contains(gong) else { return nil }
    let others = strokes - 1
    let cover = others == 0 ? "covers" : "and \(others) more stroke\(others == 1 ? "" : "s") cover"
    return Diagnostic(
      .warning, locations[cue],
      "the gong '\(shown(first.title))' in line \(locations[gong].line), struck at \(Clock.text(first.at, rate)), "
        + "\(cover) the voice '\(shown(voice.title))', which plays from \(Clock.text(voice.at, rate)) to "
        + Clock.text(voice.end, rate), fix: "move one of them")
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
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].at <= first { low = middle + 1 } else { high = middle }
    }
    let first = low
    high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if self[middle].at < last { low = middle + 1 } else { high = middle }
    }
    return self[first..<low]
  }
}

extension Session {
  /// The location of each cue in the file, in the order in which `Programme` numbers the cues.
  var cueLocations: [SourceLocation] {
    overlays.map(\.location) + gongs.map(\.location)
      + stages.flatMap { $0.overlays.map(\.location) + $0.gongs.map(\.location) }
  }
}
