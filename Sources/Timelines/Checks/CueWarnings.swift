package import Markup
import Player
import Schedule
package import SessionFiles
import Signal
import Sounds

/// Warnings about cues that are not heard, or not understood, because of other cues.
package struct CueWarnings {
  private let timeline: Timeline
  private let cues: [CueUse]
  private var rate: SampleRate { timeline.rate }

  /// - Parameter session: the session of the timeline.
  package init(_ timeline: Timeline, of session: Session) {
    (self.timeline, cues) = (timeline, session.cues)
  }

  /// A warning for each overlay during which a gong is struck, or shortly before it: the gong would cover the voice.
  /// Overlays of built-in sounds are not voices.
  package var coveredVoices: [Diagnostic] {
    var warnings: [Diagnostic] = []
    // Cues of the session as a whole belong to the first run.
    for range in timeline.runs {
      let run = ((range.lowerBound == 0 ? [timeline.cues] : []) + timeline.stages[range].map(\.cues)).joined()
      let voices = run.filter(\.isVoice)
      if voices.isEmpty { continue }
      let gongs = run.filter { $0.layer == .effect }.sorted { $0.at < $1.at }
      // The first voice and gong of each cue, and how many strokes cover a voice of the cue.
      var covered: [Int: (voice: Clip, gong: Clip, strokes: Int)] = [:]
      for voice in voices {
        guard let cue = voice.cue else { continue }
        // Gongs that are struck before the voice begins may have ended by then.
        let before = gongs.struck(from: voice.at - rate.frames(Self.loud), to: voice.at).filter { voice.at < $0.end }
        let during = gongs.struck(from: voice.at - 1, to: voice.end)
        guard let gong = before.first ?? during.first else { continue }
        covered[cue, default: (voice, gong, 0)].strokes += before.count + during.count
      }
      warnings += covered.sorted { $0.key < $1.key }.compactMap { cue, meeting in
        warning(of: meeting.voice, cue, meeting.gong, strokes: meeting.strokes)
      }
    }
    return warnings
  }

  /// The number of seconds for which the stroke of a gong is louder than a voice.
  private static let loud = 3.0

  private func warning(of voice: Clip, _ cue: Int, _ first: Clip, strokes: Int) -> Diagnostic? {
    guard let gong = first.cue, cues.indices.contains(cue), cues.indices.contains(gong) else { return nil }
    let cover = strokes == 1 ? "covers" : "and \(counted(strokes - 1, "more stroke")) cover"
    return Diagnostic(
      .warning, .covered, cues[cue].location,
      "the gong '\(shown(first.title))' in \(cues[gong].location.named(at: cues[cue].location)), struck at \(Clock.text(first.at, rate)), "
        + "\(cover) the voice '\(shown(voice.title))', which plays from \(Clock.text(voice.at, rate)) to "
        + Clock.text(voice.end, rate), of: voice.source, fix: "move one of them")
  }

  /// A warning for each overlay that another overlay cuts off, at its first loss.
  package var replacedOverlays: [Diagnostic] {
    var told: Set<Int> = []
    return timeline.replacements.compactMap { loss in
      guard cues.indices.contains(loss.replaced), cues.indices.contains(loss.replacing),
        told.insert(loss.replaced).inserted
      else { return nil }
      let other =
        "the overlay '\(shown(cues[loss.replacing].sound.title))' in "
        + cues[loss.replacing].location.named(at: cues[loss.replaced].location)
      let at = Clock.text(loss.frame, rate)
      let what =
        loss.begin == loss.frame
        ? "is never heard, because \(other) begins at the same time, \(at)"
        : "begins at \(Clock.text(loss.begin, rate)) and is cut off at \(at), when \(other) begins"
      return Diagnostic(
        .warning, .replaced, cues[loss.replaced].location,
        "the overlay '\(shown(cues[loss.replaced].sound.title))' \(what)",
        of: cues[loss.replaced].sound.source,
        fix: "begin the second one later, or give one of them \"layer\": true, so that both are heard")
    }
  }
}

extension Clip {
  /// The number of the cue in the session; nil for music.
  var cue: Int? { if case .cue(_, let cue, _, _) = id.origin { cue } else { nil } }

  fileprivate var isVoice: Bool {
    guard layer == .overlay, length != .endless else { return false }
    if case .generated = source.origin { return false }
    return true
  }
}

extension [Clip] {
  /// The clips of this list, which is ordered by frame, that begin after `first` and before `last`.
  fileprivate func struck(from first: FrameTime, to last: FrameTime) -> ArraySlice<Clip> {
    let begin = partitionPoint { first < $0.at }
    return self[begin..<Swift.max(begin, partitionPoint { last <= $0.at })]
  }
}

/// Where the file names a cue, and its sound.
typealias CueUse = (location: SourceLocation, sound: Session.Sound)

extension Session {
  /// The cues, in the order in which `Programme` numbers them.
  var cues: [CueUse] {
    let uses = { (overlays: [Overlay], gongs: [Gong]) -> [CueUse] in
      overlays.map { ($0.location, $0.sound) } + gongs.map { ($0.location, $0.sound) }
    }
    return uses(overlays, gongs) + stages.flatMap { uses($0.overlays, $0.gongs) }
  }
}
