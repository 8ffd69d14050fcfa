package import Player
import Schedule
import Signal

/// A command to a player.
///
/// All times are seconds. A value outside the stated range is limited to it.
public struct Command: Sendable, Hashable {
  package let base: Player.Command

  package init(_ base: Player.Command) { self.base = base }
}

/// Commands that concern the whole session.
extension Command {
  /// Pauses the session: music and overlays stop, and the session time does not advance.
  public static let pause = Command(.pause)
  /// Resumes a paused session at the exact frame.
  public static let resume = Command(.resume)
  /// Pauses the session, or resumes it.
  public static let toggle = Command(.toggle)
  /// Ends the session at once, with a ramp of 20 ms.
  public static let stop = Command(.stop)

  /// Ends the session with a fade-out.
  ///
  /// - Parameter fade: the length of the fade, 0 to 60 s.
  public static func finish(fade: Double = 3) -> Command { Command(.finish(fade: limited(fade, to: 60))) }

  /// Fades the master volume to another value.
  ///
  /// - Parameters:
  ///   - volume: linear, 0 to 1.
  ///   - duration: the length of the fade, 0 to 3,600 s.
  public static func volume(_ volume: Double, over duration: Double = 0) -> Command {
    Command(.volume(gain(volume), over: limited(duration, to: 3_600)))
  }

  /// Changes the master volume by a number of decibels, up to 0 dB. A volume of 0 stays 0.
  ///
  /// - Parameters:
  ///   - decibels: -60 to 60; negative values lower the volume.
  ///   - duration: how long the change takes, 0 to 3,600 s.
  public static func changeVolume(byDecibels decibels: Double, over duration: Double = 0) -> Command {
    let size = limited(abs(decibels), to: 60)
    return Command(.volumeStep(.decibels(decibels < 0 ? -size : size), of: nil, over: limited(duration, to: 3_600)))
  }
}

/// Commands that navigate in the session.
extension Command {
  /// Goes to the next track of the stage, or from the last one to the next stage.
  public static let next = Command(.next)
  /// Goes to the previous track of the stage, or from the first one to the previous stage.
  public static let previous = Command(.previous)
  /// Goes to the next stage.
  public static let nextStage = Command(.nextStage)
  /// Goes to the previous stage.
  public static let previousStage = Command(.previousStage)

  /// Goes to another track of the current stage.
  ///
  /// - Parameter index: the index in the playlist, from 0.
  public static func jump(toTrack index: Int) -> Command { Command(.jump(track: index)) }

  /// Goes to another position in the current track.
  ///
  /// - Parameter position: seconds from the beginning of the track. After its end, the next track starts.
  public static func seek(to position: Double) -> Command { Command(.seek(.to(limited(position, to: week)))) }

  /// Goes to another position in the current track, relative to the current position.
  ///
  /// - Parameter seconds: seconds forward, or backward if negative.
  public static func seek(by seconds: Double) -> Command {
    Command(.seek(.by(seconds < 0 ? -limited(-seconds, to: week) : limited(seconds, to: week))))
  }

  /// Goes to a position in a stage.
  ///
  /// - Parameters:
  ///   - stage: the name of the stage. A name that the session does not have is rejected as `noSuchStage`.
  ///   - position: seconds from the beginning of the stage.
  public static func go(toStage stage: String, at position: Double = 0) -> Command {
    Command(.goto(stage: stage, at: limited(position, to: week)))
  }
}

/// Commands that change the playlist and its crossfades.
extension Command {
  /// Changes all later crossfades.
  ///
  /// - Parameters:
  ///   - duration: 0 to 60 s; nil keeps the current length.
  ///   - curve: nil keeps the current curve.
  public static func crossfade(duration: Double? = nil, curve: FadeCurve? = nil) -> Command {
    Command(.crossfade(duration: duration.map { limited($0, to: 60) }, curve: curve.map { .init($0) }))
  }

  /// Changes how the stage's playlist repeats.
  ///
  /// - Parameters:
  ///   - mode: what is repeated.
  ///   - count: how many passes follow the first one, 0 or more; nil for no limit.
  public static func repeating(_ mode: RepeatMode, count: Int? = nil) -> Command {
    Command(.repetition(.init(rawValue: mode.rawValue) ?? .off, count: count.map { max(0, $0) }))
  }

  /// Removes a track from the stage's playlist.
  ///
  /// - Parameter index: from 0.
  public static func removeTrack(at index: Int) -> Command { Command(.playlist(.remove(at: index))) }

  /// Moves a track within the stage's playlist.
  ///
  /// - Parameters:
  ///   - index: where the track is, from 0.
  ///   - target: the index that it has afterwards.
  public static func moveTrack(from index: Int, to target: Int) -> Command {
    Command(.playlist(.move(from: index, to: target)))
  }
}

/// Commands for one layer: the music, the overlays or the gongs.
extension Command {
  /// Pauses only the music, until ``resumeMusic``, ``resume`` or ``toggle``. Overlays, gongs and the session time
  /// continue.
  public static let pauseMusic = Command(.music(.pause))
  /// Resumes the music where it was paused.
  public static let resumeMusic = Command(.music(.resume))
  /// Fades out all overlays.
  public static let stopOverlays = Command(.overlay(.stop))
  /// Pauses all overlays.
  public static let pauseOverlays = Command(.overlay(.pause))
  /// Resumes the paused overlays.
  public static let resumeOverlays = Command(.overlay(.resume))
  /// Fades out all ringing gongs.
  public static let stopGongs = Command(.effects(.stop))

  /// Fades the volume of this and all later music to another value.
  ///
  /// - Parameters:
  ///   - volume: linear, from 0 to 3.98 (+12 dB).
  ///   - duration: the length of the fade, 0 to 3,600 s.
  public static func musicVolume(_ volume: Double, over duration: Double = 0) -> Command {
    Command(.music(.volume(gain(volume, of: .music), over: limited(duration, to: 3_600))))
  }

  /// Fades the volume of these and all later overlays to another value. It is rejected while no overlay plays.
  ///
  /// - Parameters:
  ///   - volume: linear, from 0 to 3.98 (+12 dB).
  ///   - duration: the length of the fade, 0 to 3,600 s.
  public static func overlayVolume(_ volume: Double, over duration: Double = 0) -> Command {
    Command(.overlay(.volume(gain(volume, of: .overlay), over: limited(duration, to: 3_600))))
  }

  /// Fades the volume of all gongs to another value.
  ///
  /// - Parameters:
  ///   - volume: linear, 0 to 1.
  ///   - duration: the length of the fade, 0 to 3,600 s.
  public static func gongVolume(_ volume: Double, over duration: Double = 0) -> Command {
    Command(.effects(.volume(gain(volume), over: limited(duration, to: 3_600))))
  }
}

extension Command {
  /// The maximum length of a session in seconds.
  private static let week = Programme.maximumSeconds

  /// A number limited to 0…`limit`; 0 for NaN.
  private static func limited(_ value: Double, to limit: Double) -> Double { value > 0 ? min(value, limit) : 0 }

  private static func gain(_ volume: Double, of layer: Layer? = nil) -> Gain {
    Gain(linear: Float(limited(volume, to: Double(Gain.maximumVolume(of: layer).linear))))
  }
}
