import Schedule
import Signal

/// Places the gongs and overlays of a draft in its stages. No overlay is cut off, and no gong strikes during an
/// overlay. All times are in seconds.
struct DraftCues {
  private let draft: SoundDraft
  private var stages: [Session.Stage]
  /// For each stage, the earliest time at which the next overlay may begin.
  private var earliest: [Double]

  /// The time from a gong to the next sound, and the pause between two overlays.
  private static let (gongTime, pause) = (10.0, 30.0)
  /// The minimum time from the end of an overlay to the end of its stage.
  private static let margin = 5.0

  init(of draft: SoundDraft, in stages: [Session.Stage]) {
    (self.draft, self.stages) = (draft, stages)
    earliest = Array(repeating: Self.gongTime, count: stages.count)
    placeGongs()
  }

  /// The stages with all cues; nil if an overlay fits into no stage.
  mutating func placed() -> [Session.Stage]? {
    let unplaced = placeVoices()
    return unplaced.isEmpty ? withClosingGong : nil
  }

  /// The stages with all cues. Overlays that fit into no stage are placed in a silent stage, which becomes long enough:
  /// an additional one, or the only stage of a draft without tracks.
  mutating func placedWithMoreTime() -> [Session.Stage] {
    let unplaced = placeVoices()
    if unplaced.isEmpty { return withClosingGong }
    if !draft.tracks.isEmpty {
      var names = Set(stages.map(\.name))
      stages.append(Session.Stage(name: SoundDraft.unique("Voices", in: &names), duration: .natural))
      earliest.append(Self.gongTime)
    }
    let last = stages.count - 1
    for voice in unplaced { place(voice, in: last) }
    stages[last].duration = .seconds((earliest[last] / 60).rounded(.up) * 60)
    stages[last].repetition = .playlist
    return withClosingGong
  }

  /// Places the gongs at the starts of the stages, one in each, and begins again with the first stage. Several in one
  /// stage follow each other.
  private mutating func placeGongs() {
    for (number, gong) in draft.gongs.enumerated() {
      let stage = number % stages.count
      let earlier = Double(stages[stage].gongs.count)
      let at = min(earlier * Self.gongTime, max(0, length(of: stage) - Self.margin))
      stages[stage].gongs.append(Session.Gong(gong.sound, at: .init(.afterStart(at))))
      earliest[stage] = at + Self.gongTime
    }
  }

  /// Spreads the overlays evenly over the stages.
  ///
  /// - Returns: the overlays that fit into no stage.
  private mutating func placeVoices() -> [ExaminedSound] {
    draft.voices.enumerated().compactMap { number, voice in
      let wanted = number * stages.count / draft.voices.count
      let order = Array(stages.indices[wanted...]) + stages.indices[..<wanted].reversed()
      guard let target = order.first(where: { earliest[$0] + voice.length + Self.margin <= length(of: $0) }) else {
        return voice
      }
      place(voice, in: target)
      return nil
    }
  }

  private mutating func place(_ voice: ExaminedSound, in stage: Int) {
    var overlay = Session.Overlay(voice.sound, at: .init(.afterStart(earliest[stage])))
    if !stages[stage].tracks.isEmpty {
      overlay.duck = Session.Ducking(depth: VolumeSpelling.gain(-9), attack: 0.3, release: 1.5)
    }
    stages[stage].overlays.append(overlay)
    earliest[stage] += (voice.length + Self.pause).rounded(.up)
  }

  /// The length of a stage up to the crossfade into the next one.
  private func length(of stage: Int) -> Double {
    switch stages[stage].duration {
    case .seconds(let seconds): seconds
    case .natural, .open: draft.tracks[stage].length - SoundDraft.fade
    }
  }

  /// The stages, with the first gong also at the end of the session.
  private var withClosingGong: [Session.Stage] {
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
