import Player
import Schedule
import Signal
import Sounds
import TestSupport
import Testing

/// Pauses of any length at any frame of random sessions. A paused session sounds like the session with silence
/// inserted, and so do its music and its overlays when they are paused alone.
@Suite struct RandomPauseTests {
  private let sessions = RandomSession(names: RandomSession.plain, divisor: 4, longestCrossfade: 8_000)

  @Test(arguments: 0..<4)
  func `a paused session is the unpaused one with silence inserted`(part: Int) async {
    let compared = await sessions.forEach(10 * part..<10 * part + 10, 4) { moment, random in
      let lengths = [random.next(1...159), random.next(160...20_000), random.next(20_001...4_000_000)]
      return await pause(moment, for: lengths[random.next(0...2)])
    }
    #expect(30 < compared)
  }

  @Test(arguments: 0..<4)
  func `a paused session with series of overlays is the unpaused one with silence inserted`(part: Int) async {
    var sessions = sessions
    sessions.hasSeries = true
    let compared = await sessions.forEach(3_000 + 10 * part..<3_010 + 10 * part, 4) { moment, random in
      await pause(moment, for: random.next(1...20_000))
    }
    #expect(25 < compared)
  }

  /// - Returns: false if an overlay begins during the ramp into the pause, which moves it, or if the session ends with a
  ///   gong that the pause ends.
  private func pause(_ moment: RandomMoment, for length: Int) async -> Bool {
    let (frame, whole, smooth) = (moment.frame, moment.whole, FadeCurve.sCurve)
    let silent = frame + min(length, RandomMoment.ramp)
    guard silent < whole.frames.count, let bell = moment.library.sounds["bell"] else { return false }
    // What the pause removes, and what it moves.
    var (expected, ringing) = (whole.frames, [Int: Frame]())
    for event in whole.events where frame - Int(bell.length) < event.frame {
      let at = event.frame
      if frame..<silent ~= at, event.event.name.hasPrefix("overlay") { return false }
      guard event.event.name == "gong", at < silent else { continue }
      if expected.count < at + Int(bell.length) + 320 { return false }
      for index in 0..<Int(bell.length) where frame <= at + index {
        let sample = bell.sample(FrameTime(index))
        expected[at + index] = expected[at + index] + sample * -1
        if at < frame {
          let fade = Double(at + index - frame) / Double(min(160, at + Int(bell.length) - frame))
          let left = sample * (1 - smooth.gain(at: fade))
          ringing[at + index, default: .silence] = ringing[at + index, default: .silence] + left
        }
        // A gong that is due during the ramp begins after the pause.
        if frame <= at { expected[silent + index] = expected[silent + index] + sample }
      }
    }
    let closed = 1 - smooth.gain(at: Double(silent - frame) / 160)
    for index in frame..<min(expected.count, silent + 160) {
      let fadeOut = 1 - smooth.gain(at: Double(index - frame) / 160)
      let fadeIn = closed + (1 - closed) * smooth.gain(at: Double(index - silent) / 160)
      expected[index] = (expected[index] + ringing[index, default: .silence]) * (index < silent ? fadeOut : fadeIn)
    }
    let commands = [(frame, Command.pause), (frame + length, .resume)]
    moment.compare(await moment.perform(commands), expected, commands, within: 1e-6)
    return true
  }

  @Test(arguments: 0..<4)
  func `paused music is music with silence inserted`(part: Int) async {
    let compared = await sessions.forEach(15 * part..<15 * part + 15, 2) { session in
      session.removeCuesFromEnd()
    } compare: { moment, random in
      let (frame, length) = (moment.frame, random.next(161...20_000))
      let ((track, play), stage) = (moment.current, moment.session.stages[moment.stage])
      guard moment.isSteady(for: 1), 2 * moment.crossfade <= track.length else { return false }
      if stage.duration != .natural, moment.stageEnd <= frame + length { return false }
      // A cue that counts from the end can't be due while the end is unknown.
      let isLast = moment.stage == moment.session.stages.count - 1
      let positions = stage.overlays.flatMap(\.at) + stage.gongs.flatMap(\.places)
      for case .beforeEnd(let frames) in positions where isLast || moment.stageEnd - Int(frames) <= frame {
        return false
      }
      let position = frame - play.at
      let paused = moment.sound(track).spliced(at: position, gap: length, to: position)
      let music = [moment.add("paused", paused, as: track)] + moment.successors
      let commands = [(frame, Command.music(.pause)), (frame + length, .music(.resume))]
      return await moment.compare(commands, with: moment.written(playing: music), except: ramps(commands))
    }
    #expect(10 < compared)
  }

  @Test(arguments: 0..<4)
  func `a paused overlay is the overlay with silence inserted`(part: Int) async {
    let compared = await sessions.forEach(15 * part..<15 * part + 15, 3) { session in
      session.separateOverlays()
      session.changeOverlays { $0.duck = nil }
    } compare: { moment, random in
      let (frame, length) = (moment.frame, random.next(161...3_000))
      // A paused overlay ends with its stage, or where another one begins.
      guard frame + length < moment.whole.frames.count - 5_000,
        let (title, begin) = moment.overlay(),
        frame + length < min(moment.stageEnd, moment.next("overlay.started") ?? .max)
      else { return false }
      var written = moment.session
      written.changeOverlays { overlay in
        guard overlay.sound.title == title, let sound = moment.library.sounds[overlay.sound.source.label] else {
          return
        }
        moment.library.sounds["paused"] = sound.spliced(at: frame - begin, gap: length, to: frame - begin)
        overlay.sound.source = TestLibrary.source("paused")
        overlay.sound.length += FrameCount(length)
      }
      let commands = [(frame, Command.overlay(.pause)), (frame + length, .overlay(.resume))]
      return await moment.compare(commands, with: written, except: ramps(commands))
    }
    #expect(10 < compared)
  }

  private func ramps(_ commands: [(Int, Command)]) -> [Range<Int>] {
    commands.map { $0.0..<$0.0 + RandomMoment.ramp }
  }
}
