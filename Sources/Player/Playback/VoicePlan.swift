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
  private static let forListener = 64

  /// The number of voices per layer: for music, the number of tracks that can begin within the lookahead; for cues, the
  /// maximum number that the session plays at the same time; and for each, some voices for commands.
  let voices: Engine.Voices
  /// The sounds that are decoded once for all their voices, with their lengths.
  let shared: [SoundSource: FrameCount]
  /// The first moment at which too many sounds play; nil if there is none.
  package let excess: Excess?

  /// - Parameter cues: the cues of the programme, if they are known.
  package init(_ programme: Programme, _ cues: PlannedCues? = nil) {
    let rate = programme.rate
    let runs = (cues ?? programme.plannedCues(limit: 200_000))?.runs(of: programme) ?? []
    let clips = Array(runs.joined())
    let leases = clips.map { Span($0, from: rate.frames(Self.margin), to: rate.frames(1)) }
    // After an open stage, the frames count from 0 again. All stages together need at least what any of them needs.
    func slots(_ layer: Layer) -> Int {
      Self.forListener + min(most(of: leases.filter { $0.clip.layer == layer }), 2 * Self.mostSounds)
    }
    voices = Engine.Voices(music: Self.music(of: programme), overlays: slots(.overlay), effects: slots(.effect))
    let lengths = programme.cueLengths.filter { $0.value <= rate.frames(EffectCache.maximumLength) }
    let shared = Dictionary(grouping: leases) { $0.clip.source }.compactMapValues { leases in
      leases.count < Self.shareFrom || most(of: leases) < Self.shareFrom ? nil : lengths[leases[0].clip.source]
    }
    self.shared = shared
    excess = runs.lazy.compactMap { Self.excess(of: $0, sharing: shared, at: rate) }.first
  }

  /// The moment of the most sounds, or of the most memory, if that is too much.
  private static func excess(
    of run: [Clip], sharing shared: [SoundSource: FrameCount], at rate: SampleRate
  ) -> Excess? {
    let frameBytes = MemoryLayout<Frame>.size
    let ringFrames = FrameCount(Engine.ringSize(at: rate))
    var (count, bytes) = (0, 0)
    var (worst, largest): (Excess?, Excess?)
    sweep(run.map { Span($0, from: 0, to: 0) }) { span, begins in
      count += begins ? 1 : -1
      if begins, max(mostSounds, worst?.count ?? 0) < count { worst = Excess(count, at: span, bytes: nil) }
    }
    if let worst { return worst }
    count = 0
    var uses: [SoundSource: Int] = [:]
    sweep(run.map { Span($0, from: rate.frames(margin), to: rate.frames(1)) }) { span, begins in
      count += begins ? 1 : -1
      uses[span.clip.source, default: 0] += begins ? 1 : -1
      let isCounted = shared[span.clip.source] == nil || uses[span.clip.source] == (begins ? 1 : 0)
      let frames = shared[span.clip.source] ?? min(span.clip.length, ringFrames)
      if isCounted { bytes += (begins ? 1 : -1) * Int(frames) * frameBytes }
      if begins, max(mostBytes, largest?.bytes ?? 0) < bytes { largest = Excess(count, at: span, bytes: bytes) }
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

/// The frames for which a clip needs a voice.
private struct Span {
  let clip: Clip
  let begin: FrameTime
  let end: FrameTime

  /// - Parameters:
  ///   - lead: frames before the clip begins.
  ///   - trail: frames after it has ended.
  init(_ clip: Clip, from lead: FrameCount, to trail: FrameCount) {
    self.clip = clip
    begin = clip.at - lead
    end = clip.length == .endless ? .endless : clip.end + trail
  }
}

extension VoicePlan.Excess {
  fileprivate init(_ count: Int, at span: Span, bytes: Int?) {
    var number = 0
    if case .cue(_, let cue, _, _) = span.clip.id.origin { number = cue }
    self.init(count: count, frame: span.clip.at, cue: number, bytes: bytes)
  }
}

/// Visits the beginnings and ends of spans in the order of their frames; at one frame, the ends first.
private func sweep(_ spans: [Span], _ visit: (Span, _ begins: Bool) -> Void) {
  let begins = spans.sorted { $0.begin < $1.begin }
  let ends = spans.sorted { $0.end < $1.end }
  var ended = 0
  for span in begins {
    while ends[ended].end <= span.begin {
      visit(ends[ended], false)
      ended += 1
    }
    visit(span, true)
  }
}

/// The largest number of spans that contain the same frame.
private func most(of spans: [Span]) -> Int {
  var (count, most) = (0, 0)
  sweep(spans) { _, begins in
    count += begins ? 1 : -1
    most = max(most, count)
  }
  return most
}

extension Programme {
  /// The length of each sound of an overlay or a gong.
  fileprivate var cueLengths: [SoundSource: FrameCount] {
    let overlays = overlays + stages.flatMap(\.overlays)
    let gongs = gongs + stages.flatMap(\.gongs)
    return Dictionary((overlays.map(\.sound) + gongs.map(\.sound)).map { ($0.source, $0.length) }) { max($0, $1) }
  }
}

extension PlannedCues {
  /// The cues, divided at open stages: the frames after one count from 0 again. Session-wide cues belong to the first run.
  fileprivate func runs(of programme: Programme) -> [[Clip]] {
    var runs = [session]
    for layout in programme.layout {
      runs[runs.count - 1] += stages[layout.stage]
      if layout.end == nil { runs.append([]) }
    }
    return runs
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
