import Engine
package import Schedule
package import Signal
import Sounds

/// The voices that a programme needs if the listener gives no commands, and how much memory they take.
package struct VoicePlan: Sendable {
  /// A moment at which too many sounds play at once.
  package struct Excess: Sendable, Hashable {
    /// How many sounds play, or load because they begin within the next seconds.
    package var count: Int
    /// The first frame at which there are so many.
    package var frame: FrameTime
    /// The number in the session of a cue that begins there.
    package var cue: Int
    /// The bytes that they need if that is what is too much; nil if their number is.
    package var bytes: Int?
  }

  /// The maximum number of overlays and gongs that play at once.
  package static let mostSounds = 4_096
  /// The maximum number of bytes for the sounds that play at once.
  package static let mostBytes = 512 << 20

  /// A voice is leased at most this many seconds before its sound begins. It is released up to one second after its
  /// end.
  private static let margin = Executor.lookahead + 2
  /// A sound that plays so many times at once is decoded into memory for all of them, if it is not longer than
  /// `EffectCache.maximumLength`.
  private static let shareFrom = 4
  /// Maximum number of music voices. If many short tracks follow each other, a track waits until a voice is free.
  private static let mostMusic = 256.0
  /// Voices for commands, in addition to the plan. An unused voice costs nothing.
  static let forListener = 64

  /// The number of voices per layer: for music, the number of tracks that can begin within the lookahead; for cues, the
  /// maximum number that the session plays at the same time; and for each, some voices for commands.
  let voices: Engine.Voices
  /// The sounds that are decoded once for all their voices, with their lengths.
  let shared: [SoundSource: FrameCount]
  /// The first moment at which too many sounds play; nil if there is none.
  package let excess: Excess?

  package init(_ programme: Programme) {
    let rate = programme.rate
    var runs = Runs()
    programme.visitCues(limit: 200_000) { runs.add($1, to: $0) }
    let uses = Array(runs.uses.joined())
    let lease = Lease(before: rate.frames(Self.margin), after: rate.frames(1))
    // After an open stage, the frames count from 0 again. All stages together need at least what any of them needs.
    func slots(_ layer: Layer) -> Int {
      Self.forListener + min(lease.most(of: uses.filter { $0.layer == layer }), 2 * Self.mostSounds)
    }
    voices = Engine.Voices(music: Self.music(of: programme), overlays: slots(.overlay), effects: slots(.effect))
    let lengths = programme.cueLengths.filter { $0.value <= rate.frames(EffectCache.maximumLength) }
    let bySource = Dictionary(grouping: uses, by: \.source)
    shared = lengths.filter { source, _ in
      guard let uses = runs.sources[source].flatMap({ bySource[$0] }), Self.shareFrom <= uses.count else {
        return false
      }
      return Self.shareFrom <= lease.most(of: uses)
    }
    let sharedLengths = Dictionary(
      uniqueKeysWithValues: shared.compactMap { source, length in runs.sources[source].map { ($0, length) } })
    excess = runs.uses.lazy.compactMap { Self.excess(of: $0, sharing: sharedLengths, lease, at: rate) }.first
  }

  /// The moment of the most sounds, or of the most memory, if that is too much.
  private static func excess(
    of run: [Use], sharing shared: [Int: FrameCount], _ lease: Lease, at rate: SampleRate
  ) -> Excess? {
    let frameBytes = MemoryLayout<Frame>.size
    let ringFrames = FrameCount(Engine.ringSize(at: rate))
    var (count, bytes) = (0, 0)
    var (worst, largest): (Excess?, Excess?)
    Lease(before: 0, after: 0).sweep(run) { use, begins in
      count += begins ? 1 : -1
      if begins, max(mostSounds, worst?.count ?? 0) < count { worst = Excess(count, at: use, bytes: nil) }
    }
    if let worst { return worst }
    count = 0
    var playing: [Int: Int] = [:]
    lease.sweep(run) { use, begins in
      count += begins ? 1 : -1
      playing[use.source, default: 0] += begins ? 1 : -1
      let isCounted = shared[use.source] == nil || playing[use.source] == (begins ? 1 : 0)
      let frames = shared[use.source] ?? min(use.length, ringFrames)
      if isCounted { bytes += (begins ? 1 : -1) * Int(frames) * frameBytes }
      if begins, max(mostBytes, largest?.bytes ?? 0) < bytes { largest = Excess(count, at: use, bytes: bytes) }
    }
    return largest
  }

  private static func music(of programme: Programme) -> Int {
    let steps = programme.layout.flatMap { layout in
      let length = layout.end.map { max(1, $0 - layout.begin) } ?? .endless
      return layout.music.tracks.map {
        min(length, max(1, $0.length - layout.music.overlap(between: $0, and: $0)))
      }
    }
    guard let shortest = steps.min() else { return forListener }
    let window = Double(programme.rate.frames(margin + Executor.step))
    return forListener + Int(min(mostMusic, 2 * window / Double(shortest)))
  }
}

/// What the plan needs to know of one clip. There can be 100,000, so it is small.
private struct Use {
  let at: FrameTime
  let length: FrameCount
  let layer: Layer
  /// The number of its source in `Runs.sources`.
  let source: Int
  /// The number of the cue in the session.
  let cue: Int

  /// `.endless` if nothing ends it.
  var end: FrameTime { length == .endless ? .endless : at + length }
}

/// The cues, divided at open stages: the frames after one count from 0 again.
private struct Runs {
  var uses: [[Use]] = []
  /// A number for each source.
  var sources: [SoundSource: Int] = [:]

  mutating func add(_ clip: Clip, to run: Int) {
    var number = 0
    if case .cue(_, let cue, _, _) = clip.id.origin { number = cue }
    let source = sources[clip.source] ?? sources.count
    sources[clip.source] = source
    while uses.count <= run { uses.append([]) }
    uses[run].append(Use(at: clip.at, length: clip.length, layer: clip.layer, source: source, cue: number))
  }
}

extension VoicePlan.Excess {
  fileprivate init(_ count: Int, at use: Use, bytes: Int?) {
    self.init(count: count, frame: use.at, cue: use.cue, bytes: bytes)
  }
}

/// The frames before and after a clip for which it needs a voice.
private struct Lease {
  let before: FrameCount
  let after: FrameCount

  /// Visits the beginnings and ends of leases in the order of their frames; at one frame, the ends first.
  func sweep(_ uses: [Use], _ visit: (Use, _ begins: Bool) -> Void) {
    let begins = uses.sorted { $0.at < $1.at }
    let ends = uses.sorted { $0.end < $1.end }
    var ended = 0
    for use in begins {
      while ends[ended].end != .endless, ends[ended].end + after <= use.at - before {
        visit(ends[ended], false)
        ended += 1
      }
      visit(use, true)
    }
  }

  /// The largest number of leases that contain the same frame.
  func most(of uses: [Use]) -> Int {
    var (count, most) = (0, 0)
    sweep(uses) { _, begins in
      count += begins ? 1 : -1
      most = max(most, count)
    }
    return most
  }
}

extension Programme {
  /// The length of each sound of an overlay or a gong.
  fileprivate var cueLengths: [SoundSource: FrameCount] {
    let overlays = overlays + stages.flatMap(\.overlays)
    let gongs = gongs + stages.flatMap(\.gongs)
    return Dictionary((overlays.flatMap(\.sounds) + gongs.map(\.sound)).map { ($0.source, $0.length) }) { max($0, $1) }
  }
}

extension Layer {
  var bus: Bus {
    switch self {
    case .music: .music
    case .overlay: .overlays
    case .effect: .effects
    }
  }
}
