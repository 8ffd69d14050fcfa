import Signal
import Sounds

/// Commanded overlays and gongs.
extension Schedule {
  /// Strikes a gong once at `frame`; `length` is the probed length of its sound in frames.
  mutating func strike(_ cue: Cue, length: FrameCount, at frame: FrameTime) {
    let sound = Programme.Sound(source: cue.source, title: cue.title, gain: cue.gain, length: length)
    var gong = Programme.Gong(sound: sound, .at([]))
    gong.id = newCue()
    effects.strike(gong, stage: stage, visit: visit, at: frame)
  }

  /// Starts an overlay. Unless it is a layer, it replaces the current overlay, and both use their own fades.
  ///
  /// - Throws: `noEffect` if it would end before it begins, because it belongs to a stage that is over.
  mutating func play(
    _ request: OverlayRequest, _ length: FrameCount, _ resampled: ResampledLength?, _ captions: [Caption]?,
    at frame: FrameTime
  ) throws(EditError) {
    var sound = Programme.Sound(
      source: request.cue.source, title: request.cue.title, gain: request.cue.gain, length: length)
    (sound.resampled, sound.captions) = (resampled, captions ?? [])
    var overlay = Programme.Overlay(
      sound: sound, at: [], fadeIn: FadeShape(length: rate.frames(request.fadeIn), curve: request.curve),
      fadeOut: FadeShape(length: rate.frames(request.fadeOut), curve: request.curve))
    (overlay.times, overlay.delay, overlay.isLayer) = (
      request.times, Double(rate.frames(request.delay)), request.isLayer
    )
    overlay.interval = request.interval.map { $0 * Double(rate.hertz) }
    overlay.duck = request.ducking.map {
      Duck(depth: $0.depth, attack: rate.frames($0.attack), release: rate.frames($0.release))
    }
    overlay.id = newCue()
    overlays.play(overlay, stage: stage, visit: visit, at: frame)
    guard occurrences.contains(where: { $0.key.cue == overlay.id }) else {
      throw .noEffect("the stage is over, so no overlay can begin in it")
    }
  }

  /// Ends a pause within the ramp into it: the session goes on at `frame`. A pause without length changes nothing.
  mutating func shortenPause(endingAt frame: FrameTime) {
    guard let ramp = postponed.last, frame < ramp.upperBound else { return }
    postponed[postponed.count - 1] = ramp.lowerBound..<max(ramp.lowerBound, frame)
    if frame <= ramp.lowerBound {
      postponed.removeLast()
      effects.withdrawStop(at: ramp.lowerBound)
    }
  }

  /// Stops all overlays, including those of stages that the listener has left.
  ///
  /// - Throws: `noOverlay` if there is none.
  mutating func stopOverlays(at frame: FrameTime) throws(EditError) {
    let (isAny, before) = (!overlays.current(among: occurrences, at: frame).isEmpty, tails)
    overlays.stop(at: frame)
    leave(at: frame, over: ramp) { $0.layer == .overlay }
    if !isAny, tails == before { throw .noOverlay }
  }

  /// Fades out all ringing gongs, and removes commanded ones that have not begun.
  ///
  /// - Throws: `noEffect` if there is none.
  mutating func stopEffects(at frame: FrameTime) throws(EditError) {
    let isRinging = playing(at: frame).contains { clip in
      clip.layer == .effect && clip.begin < frame && !clip.isFadingOut(at: frame)
    }
    guard isRinging || effects.hasCommanded(from: frame) else { throw .noEffect("no gong is ringing") }
    effects.stopCommanded(at: frame)
  }
}
