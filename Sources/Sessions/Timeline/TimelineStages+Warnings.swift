import Engine
import Player
import Signal

/// What is played otherwise than the file asks, because its tracks are too short for it.
extension TimelineStages {
  mutating func tellSeparateFades(
    of stage: Session.Stage, _ music: MusicPlan, end: FrameTime, _ cross: FadeShape
  ) {
    guard music.naturalLength != .endless else { return }
    let left = music.begin + music.naturalLength - end
    guard 0 < left, left < cross.length else { return }
    notes.warn(
      stage.place,
      "the music of stage '\(stage.name)' has \(Clock.text(left, rate)) left for a crossfade of "
        + "\(Clock.text(cross.length, rate)), and fades by itself", mend: "end the stage earlier, or repeat its tracks")
  }

  mutating func tellSilence(of stage: Session.Stage, _ music: MusicPlan, end: FrameTime?) {
    guard let end, case .seconds = stage.duration, !music.tracks.isEmpty, music.naturalLength != .endless else {
      return
    }
    let silence = end - music.begin - music.naturalLength
    guard Int64(rate.hertz) <= silence else { return }
    notes.warn(
      stage.place, "stage '\(stage.name)' is silent for its last \(Clock.text(silence, rate)): its tracks are used up",
      mend: "repeat them, or shorten the stage")
  }

  mutating func tellShortFadeIn(of stage: Session.Stage, from asked: FrameCount, to played: FrameCount) {
    notes.warn(
      stage.tracks.first?.place ?? stage.place,
      "the session's fade-in is shortened from \(Clock.text(asked, rate)) to \(Clock.text(played, rate)), for the first "
        + "track has no room for more", mend: "shorten it, or take a longer track")
  }

  /// The first crossfade between two tracks that is shortened, and how many others are.
  mutating func tellShortened(in stage: Session.Stage, _ music: MusicPlan, end: FrameTime?) {
    let shortened = meetings(in: music, before: end).filter { overlap($0, in: music) < music.crossfade.length }
    guard let first = shortened.first else { return }
    let (from, to) = (music.tracks[first.outgoing].title, music.tracks[first.incoming].title)
    let others = shortened.count == 1 ? "" : "; so are \(shortened.count - 1) more"
    notes.warn(
      stage.tracks[first.incoming].place,
      "the crossfade from '\(from)' to '\(to)' is shortened from \(Clock.text(music.crossfade.length, rate)) to "
        + "\(Clock.text(overlap(first, in: music), rate)), half of the shorter track\(others)",
      mend: "shorten it, or take longer tracks")
  }

  private typealias Meeting = (outgoing: Int, incoming: Int)

  private func overlap(_ meeting: Meeting, in music: MusicPlan) -> FrameCount {
    music.overlap(between: music.tracks[meeting.outgoing], and: music.tracks[meeting.incoming])
  }

  /// Which tracks follow each other before the stage ends, each pair once, in order.
  private func meetings(in music: MusicPlan, before end: FrameTime?) -> [Meeting] {
    var found: [Meeting] = []
    var at = music.begin
    for (meeting, times) in order(of: music) {
      let length = music.tracks[meeting.outgoing].length
      guard length != .endless, 0 < length else { break }
      let step = length - overlap(meeting, in: music)
      if let end, end <= at + step { break }
      found.append(meeting)
      at += min(step.multipliedReportingOverflow(by: times).partialValue, .endless - at)
    }
    return found
  }

  /// All pairs of the stage's tracks that follow each other, with how often they do before the next pair.
  private func order(of music: MusicPlan) -> [(meeting: Meeting, times: FrameCount)] {
    let neighbours = music.tracks.indices.dropLast().map { (meeting: Meeting($0, $0 + 1), times: FrameCount(1)) }
    let repeats = music.repeatCount.map(FrameCount.init) ?? .max
    guard let last = music.tracks.indices.last, 0 < repeats else { return neighbours }
    switch music.repetition {
    case .off: return neighbours
    case .playlist: return neighbours + [(Meeting(last, 0), 1)]
    case .track where repeats == .max: return [(Meeting(0, 0), 1)]
    case .track:
      return music.tracks.indices.flatMap { index in
        [(Meeting(index, index), repeats)] + (index == last ? [] : [neighbours[index]])
      }
    }
  }
}
