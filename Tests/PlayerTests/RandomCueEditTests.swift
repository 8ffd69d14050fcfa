import Player
import Schedule
import Signal
import Sounds
import TestSupport
import Testing

/// Overlays, gongs, volumes and ends that commands add at random frames of random sessions. They sound like those of a
/// session that is written with them.
@Suite struct RandomCueEditTests {
  private let sessions = RandomSession(names: RandomSession.plain, divisor: 4)

  @Test(arguments: 0..<4)
  func `an overlay or a gong of a command sounds like one written there`(part: Int) async {
    let compared = await sessions.forEach(10 * part..<10 * part + 10, 3) { moment, random in
      let at = [Programme.Position.afterStart(Double(moment.frame - moment.stageBegin))]
      var written = moment.session
      guard moment.frame < moment.stageEnd else { return false }
      if random.next(0...1) == 0 {
        written.stages[moment.stage].gongs.append(Programme.Gong(sound: Programme.Sound("bell", 750), .at(at)))
        return await moment.compare([(moment.frame, .gong(Cue("bell")))], with: written, within: 1e-6)
      }
      var overlay = sessions.overlay(within: 1, &random)
      (overlay.at, overlay.delay, overlay.following) = (at, overlay.delay.rounded(), [])
      written.stages[moment.stage].overlays.append(overlay)
      return await moment.compare([(moment.frame, .overlay(.play(overlay.request)))], with: written, within: 1e-6)
    }
    #expect(25 < compared)
  }

  @Test(arguments: 0..<4)
  func `stopped overlays sound like shorter ones`(part: Int) async {
    let compared = await sessions.forEach(15 * part..<15 * part + 15, 2) { session in
      session.separateOverlays()
      session.changeOverlays { $0.duck = nil }
    } compare: { moment, _ in
      let fade = { (overlay: Programme.Overlay) in max(160, overlay.fadeOut.length) }
      guard let (title, begin) = moment.overlay(steadyFor: { Int(fade($0)) }) else { return false }
      var written = moment.session
      written.changeOverlays { overlay in
        guard overlay.sound.title == title else { return }
        overlay.fadeOut.length = fade(overlay)
        overlay.sound.length = FrameCount(moment.frame - begin) + overlay.fadeOut.length
      }
      return await moment.compare([(moment.frame, .overlay(.stop))], with: written, within: 1e-6)
    }
    #expect(8 < compared)
  }

  @Test(arguments: 0..<4)
  func `a volume scales exactly the samples of its layer`(part: Int) async {
    var heard: Set<Layer?> = []
    _ = await sessions.forEach(10 * part..<10 * part + 10, 4) { session in
      session.separateOverlays()
    } compare: { moment, random in
      let frame = moment.frame
      let layer = ([nil] + Layer.allCases.map(Optional.some))[random.next(0...3)]
      if layer == .overlay, moment.overlay() == nil { return false }
      let (gain, length) = (Gain(linear: 0.25), random.next(0...8_000))
      let over = Double(length) / 8_000
      let command: Command =
        switch layer {
        case nil: .volume(gain, over: over)
        case .music: .music(.volume(gain, over: over))
        case .overlay: .overlay(.volume(gain, over: over))
        case .effect: .effects(.volume(gain, over: over))
        }
      var expected = moment.whole.frames
      let scaled = await perform(moment.session.scaled(layer, by: gain), moment.library).frames
      let ramp = frame..<frame + max(length, RandomMoment.ramp)
      for index in frame..<min(expected.count, scaled.count) {
        let progress = FadeCurve.sCurve.gain(at: Double(index - frame) / Double(ramp.count))
        let difference = (scaled[index] + expected[index] * -1) * progress
        expected[index] = index < ramp.upperBound ? expected[index] + difference : scaled[index]
      }
      let edited = await moment.perform([(frame, command)])
      moment.compare(edited, expected, [(frame, command)], except: [ramp])
      moment.compare(edited, expected, [(frame, command)], within: 1e-6)
      heard.insert(layer)
      return true
    }
    #expect(3 <= heard.count)
  }

  @Test(arguments: [0, 10, 20, 1_410])
  func `the end by a command fades out what is heard`(first: Int) async {
    let compared = await sessions.forEach(first..<first + 10, 4) { moment, random in
      let (frame, whole) = (moment.frame, moment.whole)
      // Nothing begins during the fade, so it is compared up to the next beginning.
      let limit = moment.next("stage.started", "overlay.started", "gong") ?? whole.frames.count
      let wanted = random.next(0...min(16_000, limit - frame))
      let command = wanted < 160 ? Command.stop : .finish(fade: Double(wanted) / 8_000)
      guard frame + 160 <= limit else { return false }
      let edited = await moment.perform([(frame, command)])
      // The session ends earlier if everything that has begun is over.
      var (length, end) = (max(160, wanted), frame + max(160, wanted))
      if edited.frames.count < end, whole.frames[max(frame, edited.frames.count)..<end].allSatisfy({ $0 == .silence }) {
        (length, end) = (max(160, edited.frames.count - frame), max(frame, edited.frames.count))
      }
      var expected = Array(whole.frames[..<end])
      for index in frame..<expected.count {
        let gate = FadeCurve.sCurve.gain(at: 1 - Double(index - frame) / Double(length))
        expected[index] = expected[index] * gate
      }
      moment.compare(edited, expected, [(frame, command)], within: 1e-6)
      return true
    }
    #expect(25 < compared)
  }
}

extension Programme {
  /// The session in which all sounds of a layer are quieter; all sounds if `layer` is nil.
  fileprivate func scaled(_ layer: Layer?, by gain: Gain) -> Programme {
    var session = self
    func scale(_ other: inout Gain) { other.linear *= gain.linear }
    switch layer {
    case nil: scale(&session.master)
    case .music: for index in stages.indices { scale(&session.stages[index].gain) }
    case .overlay: session.changeOverlays { scale(&$0.sound.gain) }
    case .effect:
      for index in gongs.indices { scale(&session.gongs[index].sound.gain) }
      for stage in stages.indices {
        for index in stages[stage].gongs.indices { scale(&session.stages[stage].gongs[index].sound.gain) }
      }
    }
    return session
  }
}

extension Programme.Overlay {
  /// The command that starts it.
  fileprivate var request: OverlayRequest {
    var request = OverlayRequest(cue: Cue(source: sound.source, title: sound.title))
    (request.fadeIn, request.fadeOut) = (Double(fadeIn.length) / 8_000, Double(fadeOut.length) / 8_000)
    (request.curve, request.times, request.delay, request.isLayer) = (fadeIn.curve, times, delay / 8_000, isLayer)
    request.interval = interval.map { $0 / 8_000 }
    request.ducking = duck.map {
      OverlayRequest.Ducking(
        depth: $0.depth, attack: Double($0.attack) / 8_000, release: Double($0.release) / 8_000)
    }
    return request
  }
}
