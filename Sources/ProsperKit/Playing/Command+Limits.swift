import Player
import Schedule
import Signal
import Sounds

extension Command {
  /// The command with each value limited to its range. NaN counts as 0.
  package var limited: Command {
    switch self {
    case .play, .pause, .resume, .toggle, .next, .previous, .jump, .nextStage, .previousStage, .cancel, .stop, .cache,
      .metrics, .reload:
      self
    case .seek(.to(let position)): .seek(.to(position.limited(to: week)))
    case .seek(.by(let seconds)): .seek(.by(seconds.limitedSize(to: week)))
    case .goto(let stage, let position): .goto(stage: stage, at: position.limited(to: week))
    case .finish(let fade): .finish(fade: fade.limited(to: 60))
    case .volume(let gain, let seconds): .volume(gain.limited(for: nil), over: seconds.limited(to: hour))
    case .volumeStep(.share(let share), let layer, let seconds):
      .volumeStep(.share(share.limitedSize(to: 10)), of: layer, over: seconds.limited(to: hour))
    case .volumeStep(.decibels(let decibels), let layer, let seconds):
      .volumeStep(.decibels(decibels.limitedSize(to: 100)), of: layer, over: seconds.limited(to: hour))
    case .crossfade(let duration, let curve): .crossfade(duration: duration?.limited(to: 60), curve: curve)
    case .repetition(let mode, let count): .repetition(mode, count: count.map { max(0, $0) })
    case .extend(let seconds): .extend(by: seconds.limitedSize(to: week))
    case .playlist(let edit): .playlist(edit.limited)
    case .overlay(let command): .overlay(command.limited)
    case .gong(let cue): .gong(cue.limited)
    case .effects(let command): .effects(command.limited)
    case .music(.pause), .music(.resume): self
    case .music(.volume(let gain, let seconds)):
      .music(.volume(gain.limited(for: .music), over: seconds.limited(to: hour)))
    }
  }
}

/// The maximum length of a session, and of a fade of a volume, in seconds.
private let (week, hour) = (Programme.maximumSeconds, 3_600.0)

extension PlaylistEdit {
  fileprivate var limited: PlaylistEdit {
    switch self {
    case .replace(let cues): .replace(cues.map(\.limited))
    case .append(let cues): .append(cues.map(\.limited))
    case .insert(let cues, let index): .insert(cues.map(\.limited), at: index)
    case .remove, .move: self
    }
  }
}

extension OverlayCommand {
  fileprivate var limited: OverlayCommand {
    switch self {
    case .play(let request): .play(request.limited)
    case .stop, .pause, .resume: self
    case .volume(let gain, let seconds): .volume(gain.limited(for: .overlay), over: seconds.limited(to: hour))
    case .repetition(let times, let delay): .repetition(times.limited, delay: delay.limited(to: week))
    }
  }
}

extension EffectsCommand {
  fileprivate var limited: EffectsCommand {
    switch self {
    case .volume(let gain, let seconds): .volume(gain.limited(for: nil), over: seconds.limited(to: hour))
    case .stop: self
    case .preload(let cues): .preload(cues.map(\.limited))
    case .unload(let cues): .unload(cues.map(\.limited))
    }
  }
}

extension OverlayRequest {
  fileprivate var limited: OverlayRequest {
    var request = self
    request.cue = cue.limited
    (request.fadeIn, request.fadeOut) = (fadeIn.limited(to: 60), fadeOut.limited(to: 60))
    (request.times, request.delay) = (times.limited, delay.limited(to: week))
    request.ducking = ducking.map { ducking in
      Ducking(
        depth: ducking.depth.limited(for: nil), attack: ducking.attack.limited(to: 60),
        release: ducking.release.limited(to: 60))
    }
    return request
  }
}

extension OverlayRequest.Times {
  fileprivate var limited: OverlayRequest.Times {
    switch self {
    case .times(let count): .times(max(1, count))
    case .forever: .forever
    }
  }
}

extension Cue {
  fileprivate var limited: Cue {
    var cue = self
    cue.gain = gain.limited(for: .music)
    cue.source.start = source.start.limited(to: week)
    cue.source.end = source.end?.limited(to: week)
    return cue
  }
}

extension Gain {
  /// The gain within the range of a layer's volume; of the master volume if there is no layer.
  fileprivate func limited(for layer: Layer?) -> Gain {
    Gain(linear: Float(Double(linear).limited(to: Double(Gain.maximumVolume(of: layer).linear))))
  }
}

extension Double {
  /// The number within 0…`limit`; 0 for NaN.
  fileprivate func limited(to limit: Double) -> Double { 0 < self ? min(self, limit) : 0 }

  /// The number within -`limit`…`limit`; 0 for NaN.
  fileprivate func limitedSize(to limit: Double) -> Double {
    self < 0 ? -(-self).limited(to: limit) : limited(to: limit)
  }
}
