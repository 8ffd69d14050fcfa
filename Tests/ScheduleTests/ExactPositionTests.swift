import Signal
import Sounds
import Testing

@testable import Schedule

/// Gapless tracks of another rate begin at the frames nearest to their exact beginnings.
struct ExactPositionTests {
  /// Tracks with that many frames at 44,100 Hz, in a session at 48,000 Hz.
  static func plan(
    _ frames: [Int64], _ mode: RepeatMode, count: Int? = nil, crossfade: FrameCount = 0, rates: [Int] = []
  ) -> MusicPlan {
    let tracks = frames.enumerated().map { index, frames in
      let source = index < rates.count ? rates[index] : 44_100
      let length = ExactFrames(frames, from: source, to: 48_000).rounded
      var track = Track(
        source: SoundSource(.file(path: "\(index)")), title: "\(index)", gain: .unity, length: length)
      if source != 48_000 { track.resampled = ResampledLength(frames: frames, source: source, session: 48_000) }
      return track
    }
    return MusicPlan(
      PlaylistManager(tracks, repetition: mode, repeatCount: count),
      crossfade: FadeShape(length: crossfade, curve: .linear), begin: 7)
  }

  @Test func `rounding errors don't accumulate, and clips follow without a gap`() {
    let clips = Array(Self.plan([1_001, 88_237, 441], .playlist, count: 99).clips)
    for (index, clip) in clips.enumerated() {
      let before = Int64(index / 3) * 89_679 + [0, 1_001, 89_238][index % 3]
      #expect(clip.at == 7 + ExactFrames(before, from: 44_100, to: 48_000).rounded)
    }
    #expect(clips.count == 300 && zip(clips, clips.dropFirst()).allSatisfy { $0.end == $1.at })
  }

  @Test func `a track found in one step equals the one found track by track`() throws {
    let plans = [
      Self.plan([1_001, 88_237, 441], .playlist), Self.plan([1_001, 3], .track),
      Self.plan([1_001, 5_000, 700], .playlist, rates: [44_100, 48_000, 22_050]),
      Self.plan([9_001, 5_000], .playlist, crossfade: 100),
    ]
    for plan in plans {
      var stepped = plan.first
      for _ in 0..<500 {
        let play = try #require(stepped)
        #expect(plan.trackPlay(at: play.at) == play)
        stepped = plan.successor(of: play)
      }
    }
  }

  @Test func `neighbours of one rate join, and those of other rates or with a crossfade don't`() {
    let source = { (index: Int) in SoundSource(.file(path: "\(index)")) }
    let joins = Self.plan([1_001, 500, 500, 96], .off, rates: [44_100, 44_100, 22_050, 48_000]).clips.map(\.join)
    #expect(joins[0]?.before == nil && joins[0]?.after == source(1) && joins[0]?.delay == ExactFrames(0))
    #expect(joins[1]?.before?.source == source(0) && joins[1]?.before?.length.frames == 1_001)
    #expect(joins[1]?.delay == ExactFrames(1_001, from: 44_100, to: 48_000).fraction && joins[1]?.after == nil)
    #expect(joins[2]?.before == nil && joins[2]?.after == nil && joins[3] == nil)
    let loop = Self.plan([44_100], .track, count: 1).clips.map(\.join)
    #expect(loop[0]?.after == source(0) && loop[1]?.before?.source == source(0) && loop[1]?.after == nil)
    let crossfaded = Self.plan([44_100, 44_100], .playlist, count: 1, crossfade: 500).clips.map(\.join)
    #expect(crossfaded == [nil, nil, nil, nil])
  }
}
