import Signal
import Sounds
import Testing

@testable import Schedule

struct MusicPlanTests {
  /// Checks every plan of one to three tracks of 1, 2 or 5 frames, with crossfades of 0 to 4 frames and 0 to 2 repeats.
  static func every(_ check: (MusicPlan) -> Void) {
    let lengths: [FrameCount] = [1, 2, 5]
    let playlists = lengths.flatMap { a in [[a]] + lengths.flatMap { b in [[a, b]] + lengths.map { [a, b, $0] } } }
    for playlist in playlists {
      for crossfade in 0...4 as ClosedRange<FrameCount> {
        for mode in RepeatMode.allCases {
          for count in 0...2 { check(plan(playlist, crossfade, mode, count)) }
        }
      }
    }
  }

  static func plan(_ lengths: [FrameCount], _ crossfade: FrameCount, _ mode: RepeatMode, _ count: Int?) -> MusicPlan {
    let tracks = lengths.map {
      Track(source: SoundSource(.file(path: "\($0)")), title: "\($0)", gain: .unity, length: $0)
    }
    return MusicPlan(
      PlaylistManager(tracks, repetition: mode, repeatCount: count),
      crossfade: FadeShape(length: crossfade, curve: .linear), begin: 100)
  }

  @Test func `clips follow without a gap, and both fades of a crossfade cover the same frames`() {
    Self.every { plan in
      let clips = Array(plan.clips)
      for (out, next) in zip(clips, clips.dropFirst()) {
        let overlap = next.entry?.overlap ?? -1
        #expect(next.at == out.end - overlap && out.at < next.at)
        #expect(overlap == min(plan.crossfade.length, out.length / 2, next.length / 2))
        #expect(out.fadeOut?.start == next.fadeIn?.start && out.fadeOut?.length == next.fadeIn?.length)
        if let rise = out.fadeIn, let fall = out.fadeOut { #expect(rise.end <= fall.start) }
      }
    }
  }

  @Test func `the natural length ends with the last clip`() {
    Self.every { plan in #expect(plan.naturalLength == (Array(plan.clips).last?.end ?? 100) - 100) }
  }

  @Test func `the turn at a frame is the last one that has begun`() {
    Self.every { plan in
      let clips = Array(plan.clips)
      for frame in 100..<(100 + plan.naturalLength + 3) {
        let index = clips.lastIndex { $0.at <= frame }
        let trackPlay = plan.trackPlay(at: frame)
        #expect(trackPlay?.at == index.map { clips[$0].at } && trackPlay?.entry == index.flatMap { clips[$0].entry })
        if let trackPlay { #expect(trackPlay.ordinal == index) }
      }
    }
  }

  @Test func `nothing plays after the ending of the music, and its fade ends in silence`() {
    Self.every { plan in
      var plan = plan
      for at in 101..<(103 + plan.naturalLength) {
        plan.ending = MusicEnding(.crossfade, .falling(at: at, over: 2, .linear))
        let left = 100 + plan.naturalLength - at
        for clip in plan.clips {
          #expect(clip.end <= at + 2)
          guard let leave = clip.leave else {
            #expect(clip.end <= at)
            continue
          }
          #expect(leave == .falling(at: at, over: min(2, left), .linear))
        }
      }
    }
  }

  @Test func `a cut fades out what would continue, and leaves alone what has ended`() {
    var plan = Self.plan([10, 10], 0, .off, nil)
    plan.ending = MusicEnding(.cut, .falling(at: 113, over: 2, .linear))
    #expect(plan.clips.map(\.leave) == [nil, .falling(at: 113, over: 2, .linear)])
    #expect(plan.clips.map(\.end) == [110, 115])
    plan.ending = MusicEnding(.cut, .falling(at: 118, over: 2, .linear))
    #expect(plan.clips.map(\.leave) == [nil, nil])
  }

  @Test func `a fade-out applies to every clip in its span`() {
    var plan = Self.plan([10, 10], 0, .off, nil)
    plan.ending = MusicEnding(.fadeOut, .falling(at: 105, over: 15, .linear))
    #expect(plan.clips.map(\.leave) == [Fade](repeating: .falling(at: 105, over: 15, .linear), count: 2))
  }

  @Test func `the turn after weeks of short tracks is found at once`() {
    let plan = Self.plan([3, 5], 1, .playlist, nil)
    let trackPlay = plan.trackPlay(at: 100 + 6_000_000_000)
    #expect(trackPlay?.entry == PlaylistEntry(index: 0, pass: 1_000_000_000, overlap: 1))
    #expect(trackPlay?.at == 6_000_000_100 && trackPlay?.ordinal == 2_000_000_000)
    #expect(plan.naturalLength == .endless)
    #expect(Self.plan([3], 0, .track, .max).naturalLength == .endless)
  }

  @Test func `a playlist without sound ends`() {
    #expect(Array(Self.plan([0, 0], 2, .playlist, nil).clips).isEmpty)
    #expect(Array(Self.plan([], 2, .playlist, nil).clips).isEmpty)
  }
}
