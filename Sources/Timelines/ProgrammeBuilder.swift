import Schedule
import SessionFiles
import Signal
import Sounds

/// Converts a session to a programme: with the length of each sound, and with times in frames.
///
/// Each value is converted independently, so the result has the same shape as the file.
struct ProgrammeBuilder {
  let sounds: TimelineSounds

  private var rate: SampleRate { sounds.rate }

  func programme(of session: Session) -> Programme {
    var programme = Programme(
      title: session.title, rate: rate, master: session.volume, stages: session.stages.map(stage))
    (programme.tags.description, programme.tags.date) = (session.description, session.date)
    (programme.tags.artist, programme.tags.album) = (session.artist, session.album)
    (programme.tags.genre, programme.tags.comment) = (session.genre, session.comment)
    (programme.tags.language, programme.tags.cover) = (session.language, session.cover)
    programme.fadeIn = rate.frames(session.fadeIn)
    programme.fadeOut = rate.frames(session.fadeOut)
    programme.overlays = session.overlays.map(overlay)
    programme.gongs = session.gongs.map(gong)
    return programme
  }

  /// One stage with its playlist. The tracks get the lengths and tags that were probed.
  private func stage(_ stage: Session.Stage) -> Programme.Stage {
    let tracks = stage.tracks.enumerated().map { index, sound in
      var track = Track(
        source: sound.source, title: sound.title, gain: sound.gain(in: .music), length: sounds.length(of: sound))
      track.resampled = sounds.facts(of: sound)?.resampled
      track.tags = sounds.facts(of: sound)?.tags ?? SoundTags()
      track.captions = sounds.facts(of: sound)?.spoken
      track.number = stage.trackNumbers?[index]
      return track
    }
    let playlist = PlaylistManager(tracks, repetition: stage.repetition, repeatCount: stage.repeatCount)
    var planned = Programme.Stage(name: stage.name, duration: duration(stage.duration), playlist: playlist)
    planned.gain = stage.volume
    planned.crossfade = FadeShape(length: rate.frames(stage.crossfade.duration), curve: stage.crossfade.curve)
    planned.overlays = stage.overlays.map(overlay)
    planned.gongs = stage.gongs.map(gong)
    return planned
  }

  private func duration(_ duration: Session.StageDuration) -> Programme.StageDuration {
    switch duration {
    case .seconds(let seconds): .frames(exact(seconds))
    case .natural: .natural
    case .open: .open
    }
  }

  private func overlay(_ overlay: Session.Overlay) -> Programme.Overlay {
    var planned = Programme.Overlay(
      sound: sound(overlay.sound, in: .overlay), at: overlay.at.map(position),
      fadeIn: FadeShape(length: rate.frames(overlay.fadeIn), curve: overlay.curve),
      fadeOut: FadeShape(length: rate.frames(overlay.fadeOut), curve: overlay.curve))
    planned.following = overlay.following.map { sound($0, in: .overlay) }
    planned.times = overlay.repetition.times
    planned.interval = overlay.interval.map(exact)
    planned.delay = exact(overlay.repetition.delay)
    planned.duck = overlay.duck.map {
      Duck(depth: $0.depth, attack: rate.frames($0.attack), release: rate.frames($0.release))
    }
    planned.isLayer = overlay.isLayer
    return planned
  }

  /// One gong; intervals and spacings are in frames. `RandomGongs` adds random moments when the lengths of the stages are
  /// known.
  private func gong(_ gong: Session.Gong) -> Programme.Gong {
    let pattern: Programme.Gong.Pattern =
      switch gong.times {
      case .at(let positions): .at(positions.map(position))
      case .every(let seconds, let count): .every(exact(seconds), count: count)
      case .random: .at([])
      }
    var planned = Programme.Gong(sound: sound(gong.sound, in: .effect), pattern)
    planned.positions = gong.extra.map(position)
    planned.strikes = gong.strikes
    planned.spacing = exact(gong.spacing)
    return planned
  }

  private func sound(_ sound: Session.Sound, in layer: Layer) -> Programme.Sound {
    var planned = Programme.Sound(
      source: sound.source, title: sound.title, gain: sound.gain(in: layer), length: sounds.length(of: sound))
    planned.resampled = sounds.facts(of: sound)?.resampled
    planned.captions = sounds.facts(of: sound)?.captions ?? []
    return planned
  }

  private func position(_ position: Session.Position) -> Programme.Position {
    switch position.anchor {
    case .afterStart(let seconds): .afterStart(exact(seconds))
    case .beforeEnd(let seconds): .beforeEnd(exact(seconds))
    }
  }

  /// Seconds as frames with their fraction.
  ///
  /// Positions and intervals keep the fraction, because an `every` of 44,100.5 frames must not drift. Lengths of fades
  /// are rounded.
  private func exact(_ seconds: Double) -> Double { seconds * Double(rate.hertz) }
}
