import Markup
import Schedule
import SessionFiles
import Signal

/// Warns of crossfades between the tracks of one stage that are shortened because a track is too short for them.
struct CrossfadeChecks {
  /// Two tracks that follow each other, by their indices.
  private typealias TrackPair = (outgoing: Int, incoming: Int)

  private let stage: Session.Stage
  private let music: MusicPlan
  /// The frame at which the stage ends; nil for an open stage.
  private let end: FrameTime?
  private let rate: SampleRate

  init(of stage: Session.Stage, _ layout: StageLayout, rate: SampleRate) {
    (self.stage, self.rate) = (stage, rate)
    (music, end) = (layout.music, layout.end)
  }

  /// Adds one warning per stage: it names the first shortened crossfade and counts the others.
  func warn(_ notes: TimelineNotes) {
    let shortened = pairs.filter { overlap($0) < music.crossfade.length }
    guard let first = shortened.first else { return }
    let (from, to) = (music.tracks[first.outgoing].title, music.tracks[first.incoming].title)
    let others = shortened.count == 1 ? "" : " (and \(shortened.count - 1) more)"
    notes.warn(
      .shortened, stage.tracks[first.incoming].location,
      "the crossfade from '\(from)' to '\(to)' is shortened from \(Clock.text(music.crossfade.length, rate)) to "
        + "\(Clock.text(overlap(first), rate)), half of the shorter track\(others)",
      fix: "shorten the crossfade, or use longer tracks")
  }

  /// The length of the crossfade as it is played, in frames: at most half of the shorter track.
  private func overlap(_ pair: TrackPair) -> FrameCount {
    music.overlap(between: music.tracks[pair.outgoing], and: music.tracks[pair.incoming])
  }

  /// The pairs of tracks that follow each other before the stage ends, each once, in order.
  ///
  /// The length of a track's repeats is computed by multiplication, because a stage of 168 hours may repeat a short
  /// track millions of times.
  private var pairs: [TrackPair] {
    var found: [TrackPair] = []
    var at = music.begin
    for (pair, times) in order {
      let length = music.tracks[pair.outgoing].length
      guard length != .endless, 0 < length else { break }
      let step = length - overlap(pair)
      if let end, end <= at + step { break }
      found.append(pair)
      at += min(step.multipliedReportingOverflow(by: times).partialValue, .endless - at)
    }
    return found
  }

  /// All pairs of tracks that follow each other in a pass of the playlist, and how often each pair plays before the
  /// next one.
  private var order: [(pair: TrackPair, times: FrameCount)] {
    let neighbours = music.tracks.indices.dropLast().map { (pair: TrackPair($0, $0 + 1), times: FrameCount(1)) }
    let repeats = music.playlist.repeatCount.map(FrameCount.init) ?? .max
    guard let last = music.tracks.indices.last, 0 < repeats else { return neighbours }
    switch music.playlist.repetition {
    case .off: return neighbours
    case .playlist: return neighbours + [(TrackPair(last, 0), 1)]
    // The first track repeats until the stage ends.
    case .track where repeats == .max: return [(TrackPair(0, 0), 1)]
    case .track:
      return music.tracks.indices.flatMap { index in
        [(TrackPair(index, index), repeats)] + (index == last ? [] : [neighbours[index]])
      }
    }
  }
}
