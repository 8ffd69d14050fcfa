import Schedule
import Signal

/// Places the gongs and overlays of a draft in its stages, so that nothing is cut off and no gong strikes during an
/// overlay. All times are in seconds.
struct DraftCues {
  private let draft: SoundDraft
  private var stages: [Session.Stage]
  /// Where the next overlay of each stage may begin.
  private var next: [Double]

  /// From a gong to the next sound, and between two overlays.
  private static let (ring, pause) = (10.0, 30.0)
  /// From the end of an overlay to the end of its stage.
  private static let margin = 5.0

  init(of draft: SoundDraft, in stages: [Session.Stage]) {
    (self.draft, self.stages) = (draft, stages)
    next = Array(repeating: Self.ring, count: stages.count)
    placeGongs()
  }

  /// The stages with all cues; nil if an overlay fits nowhere.
  mutating func placed() -> [Session.Stage]? {
    let homeless = placeVoices()
    return homeless.isEmpty ? finished : nil
  }

  /// The stages with all cues. A silent stage takes the overlays that fit nowhere; the only silent stage becomes as
  /// long as they need.
  mutating func placedWithMoreTime() -> [Session.Stage] {
    let homeless = placeVoices()
    if homeless.isEmpty { return finished }
    if !draft.tracks.isEmpty {
      var names = Set(stages.map(\.name))
      stages.append(Session.Stage(name: SoundDraft.unique("Voices", in: &names), duration: .natural))
      next.append(Self.ring)
    }
    let last = stages.count - 1
    for voice in homeless { place(voice, in: last) }
    stages[last].duration = .seconds((next[last] / 60).rounded(.up) * 60)
    stages[last].repetition = .playlist
    return finished
  }

  /// Gongs begin the stages in turn; several in one stage follow each other.
  private mutating func placeGongs() {
    for (number, gong) in draft.gongs.enumerated() {
      let stage = number % stages.count
      let earlier = Double(stages[stage].gongs.count)
      let at = min(earlier * Self.ring, max(0, length(of: stage) - Self.margin))
      stages[stage].gongs.append(Session.Gong(gong.sound, at: .init(.afterStart(at))))
      next[stage] = at + Self.ring
    }
  }

  /// Spreads the overlays evenly over the stages.
  ///
  /// - Returns: those that fit nowhere.
  private mutating func placeVoices() -> [ExaminedSound] {
    draft.voices.enumerated().compactMap { number, voice in
      let wanted = number * stages.count / draft.voices.count
      let order = Array(stages.indices[wanted...]) + stages.indices[..<wanted].reversed()
      guard let home = order.first(where: { next[$0] + voice.length + Self.margin <= length(of: $0) }) else {
        return voice
      }
      place(voice, in: home)
      return nil
    }
  }

  private mutating func place(_ voice: ExaminedSound, in stage: Int) {
    var overlay = Session.Overlay(voice.sound, at: .init(.afterStart(next[stage])))
    if !stages[stage].tracks.isEmpty {
      overlay.duck = Session.Ducking(by: VolumeSpelling.gain(-9), attack: 0.3, release: 1.5)
    }
    stages[stage].overlays.append(overlay)
    next[stage] += (voice.length + Self.pause).rounded(.up)
  }

  /// The length of a stage up to the crossfade into the next one.
  private func length(of stage: Int) -> Double {
    switch stages[stage].duration {
    case .seconds(let seconds): seconds
    case .natural, .open: draft.tracks[stage].length - SoundDraft.fade
    }
  }

  /// The stages, with the first gong at the end, too.
  private var finished: [Session.Stage] {
    var stages = stages
    guard let bell = draft.gongs.first else { return stages }
    if stages.count == 1 {
      stages[0].gongs[0].times = .at([.start, .end])
    } else {
      stages[stages.count - 1].gongs.append(Session.Gong(bell.sound, at: .end))
    }
    return stages
  }
}
