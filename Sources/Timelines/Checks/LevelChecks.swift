package import Markup
import Player
import Schedule
package import SessionFiles
import Signal
package import Sounds

/// Warnings about sounds that are too soft, or too loud beside others, as they will play.
package struct LevelChecks {
  private let timeline: Timeline
  private let session: Session
  private let cues: [CueUse]
  private let loudness: [SoundSource: SoundLoudness]

  /// The largest difference of two overlays, and the least one from an overlay to the music under it, in LU.
  private static let difference = 6.0
  /// The loudness in LUFS below which a sound is hardly heard.
  private static let softest = -50.0

  /// - Parameters:
  ///   - session: the session of the timeline, with the gains that level its sounds.
  ///   - loudness: that of its sounds, before any gain.
  package init(_ timeline: Timeline, of session: Session, _ loudness: [SoundSource: SoundLoudness]) {
    (self.timeline, self.session, self.loudness, cues) = (timeline, session, loudness, session.cues)
  }

  package var warnings: [Diagnostic] { unequalOverlays + coveredByMusic + softSounds }

  /// A warning for each overlay that is much softer than the loudest one. Sounds without an end are no voices, and
  /// neither are built-in sounds that leave the music as it is.
  private var unequalOverlays: [Diagnostic] {
    let overlays = (session.overlays + session.stages.flatMap(\.overlays)).flatMap(\.sounds)
    let ends = Set(
      (timeline.stages.map(\.cues) + [timeline.cues]).joined().filter { $0.isVoice && !$0.isTexture }.map(\.source))
    var seen: [SoundSource: Set<Gain>] = [:]
    let levels = overlays.compactMap { sound -> (sound: Session.Sound, level: Double)? in
      guard ends.contains(sound.source), let level = played(sound, in: .overlay),
        seen[sound.source, default: []].insert(sound.gain(in: .overlay)).inserted
      else { return nil }
      return (sound, level)
    }
    guard let loudest = levels.max(by: { $0.level < $1.level }) else { return [] }
    return levels.filter { Self.difference < loudest.level - $0.level }.map { sound, level in
      Diagnostic(
        .warning, .unevenLevels, sound.location,
        "the overlay '\(shown(sound.title))' plays at \(ReportWords.loudness(level)), "
          + "\(ReportWords.lu(loudest.level - level)) softer than '\(shown(loudest.sound.title))' in "
          + loudest.sound.location.named(at: sound.location), of: sound.source,
        fix: fix(for: sound, beside: loudest.sound))
    }
  }

  /// How the levels of two overlays become equal: the first thing that is missing, or in the way.
  private func fix(for sound: Session.Sound, beside loudest: Session.Sound) -> String {
    let common = session.loudness[.overlay]
    if sound.loudness != loudest.loudness {
      let own = [sound, loudest].first { $0.loudness != nil }
      return common == nil || own == nil
        ? "give both the same \"loudness\"" : "remove the \"loudness\" of '\(shown(own?.title ?? ""))' itself"
    }
    if common == nil, sound.loudness == nil, sound.source != loudest.source {
      return "give the session \"loudness\": {\"overlays\": -20}"
    }
    return sound.volume == loudest.volume ? "record the softer one louder" : "give both the same \"volume\""
  }

  /// A warning for each overlay that is hardly louder than the lowered music under it, at the first such moment.
  private var coveredByMusic: [Diagnostic] {
    var told: Set<Int> = []
    return timeline.stages.flatMap { stage in
      // Cues of the session as a whole play over the first stages, up to an open one.
      (stage.cues + (stage.begin..<(stage.end ?? .endless)).overlapped(by: timeline.cues)).compactMap { voice in
        guard voice.isVoice, !voice.isTexture, let cue = voice.cue, cues.indices.contains(cue), !told.contains(cue),
          let own = loudness[voice.source]?.integrated, own.isFinite, let music = music(of: stage, under: voice)
        else { return nil }
        let level = own + voice.gain.decibels
        guard level.isFinite, level - music.level < Self.difference else { return nil }
        told.insert(cue)
        return Diagnostic(
          .warning, .tooSoft, cues[cue].location,
          "the overlay '\(shown(voice.title))' plays at \(ReportWords.loudness(level)) over the music "
            + "'\(shown(music.title))' at \(ReportWords.loudness(music.level))", of: voice.source,
          fix: "lower the music with a \(voice.duck == nil ? "" : "larger ")\"duck\", " + loudnessFix(for: cues[cue]))
      }
    }
  }

  /// How "loudness" makes an overlay louder than the music.
  private func loudnessFix(for cue: CueUse) -> String {
    if session.loudness[.overlay] == nil || session.loudness[.music] == nil { return "or give both a \"loudness\"" }
    return cue.sound.loudness == nil
      ? "or give the music a lower \"loudness\"" : "or give the overlay no \"loudness\" of its own"
  }

  /// The loudest music at the beginning, in the middle and at the end of a voice, lowered as the voice asks.
  private func music(of stage: Timeline.Stage, under voice: Clip) -> (title: String, level: Double)? {
    let end = min(voice.end, stage.end ?? .endless)
    let begin = max(voice.at, stage.begin)
    guard begin < end else { return nil }
    let found = [begin, begin + (end - begin) / 2, end - 1].compactMap { frame -> (title: String, level: Double)? in
      guard let play = stage.music.trackPlay(at: frame) else { return nil }
      var clips = stage.music.clips(from: play)
      guard let clip = clips.next(), frame < clip.end, let own = loudness[clip.source]?.integrated else { return nil }
      let level = own + clip.gain.decibels + (voice.duck?.depth.decibels ?? 0)
      return level.isFinite ? (clip.title, level) : nil
    }
    return found.max { $0.level < $1.level }
  }

  /// A warning for each sound that is hardly heard even at full volume.
  private var softSounds: [Diagnostic] {
    var seen: Set<SoundSource> = []
    return session.uses.compactMap { sound, layer in
      guard let own = loudness[sound.source]?[layer], own.isFinite,
        case let level = own + (sound.levelling[layer]?.decibels ?? 0), level < Self.softest,
        seen.insert(sound.source).inserted
      else { return nil }
      return Diagnostic(
        .warning, .tooSoft, sound.location, "'\(shown(sound.title))' is very soft, at \(ReportWords.loudness(level))",
        of: sound.source, fix: fix(forSoft: sound, in: layer))
    }
  }

  private func fix(forSoft sound: Session.Sound, in layer: Layer) -> String {
    switch sound.loudness {
    case .off: "give it a \"loudness\" such as -20 in place of \"off\", or record it louder"
    // The gain has its limit.
    case .lufs(let target) where Self.softest <= target: "record it louder"
    case .lufs: "give it a higher \"loudness\", such as -20"
    case nil where sound.levelling[layer] == nil: "give it a \"loudness\", such as -20, or record it louder"
    case nil where session.loudness[layer] ?? 0 < Self.softest: "give its layer a higher \"loudness\", such as -20"
    case nil: "record it louder"
    }
  }

  /// The loudness of a use as it plays, before the master volume; nil if it is not known, or silent.
  private func played(_ sound: Session.Sound, in layer: Layer) -> Double? {
    guard let own = loudness[sound.source]?[layer] else { return nil }
    let level = own + sound.gain(in: layer).decibels
    return level.isFinite ? level : nil
  }
}

extension Clip {
  /// Whether it is an overlay that has an end.
  fileprivate var isVoice: Bool { layer == .overlay && length != .endless }

  /// Whether it is a built-in sound that leaves the music as it is, and so is meant to blend with it.
  fileprivate var isTexture: Bool { if case .generated = source.origin { duck == nil } else { false } }
}

extension Range<FrameTime> {
  fileprivate func overlapped(by clips: [Clip]) -> [Clip] {
    clips.filter { $0.at < upperBound && lowerBound < $0.end }
  }
}
