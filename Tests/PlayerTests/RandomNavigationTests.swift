import Player
import Schedule
import Signal
import Sounds
import TestSupport
import Testing

/// Navigation at random frames of random sessions. The session sounds like one that is written with what is heard: the
/// track or the stage ends where the command leaves it, and its target follows with the crossfade between them.
@Suite struct RandomNavigationTests {
  private enum Target {
    case track(Int, pass: Int)
    case stage(Int, at: Int = 0)
    /// In the current track.
    case position(Int)
  }

  private let sessions = RandomSession(names: RandomSession.plain, divisor: 4, longestCrossfade: 8_000)

  @Test(arguments: 0..<4)
  func `a navigation sounds like a session that is written that way`(part: Int) async {
    var exact: Set<String> = []
    let compared = await sessions.forEach(1_500 + 15 * part..<1_515 + 15 * part, 3) { session in
      session.separateOverlays()
      session.removeCuesFromEnd()
      for index in session.stages.indices {
        // The end of a stage does not cancel the later strikes of a gong, a command does.
        for gong in session.stages[index].gongs.indices { session.stages[index].gongs[gong].strikes = 1 }
        guard case .frames(let frames) = session.stages[index].duration else { continue }
        session.stages[index].duration = .frames(frames.rounded())
      }
    } compare: { moment, random in
      guard moment.frame < moment.stageEnd, moment.stageBegin < moment.frame else { return false }
      // Without a crossfade, a track that begins at the frame is the current one.
      if moment.next("track", "stage.started") == moment.frame { return false }
      guard let (command, target) = Self.command(moment, &random) else { return false }
      let isExact: Bool? =
        switch target {
        case .track(let index, let pass): await compare(&moment, command, index, pass)
        case .stage(let stage, let position): await compare(&moment, command, stage: stage, at: position)
        case .position(let position): await compare(&moment, command, seekingTo: position)
        }
      if isExact == true { exact.insert(command.name) }
      return isExact != nil
    }
    #expect(35 < compared)
    #expect(5 <= exact.count, "\(exact)")
  }

  private static func command(_ moment: RandomMoment, _ random: inout Random) -> (Command, Target)? {
    let (count, stage) = (moment.session.stages.count, moment.stage)
    switch random.next(0...6) {
    case 0: return next(moment).map { (.next, $0) }
    case 1: return previous(moment).map { (.previous, $0) }
    case 2:
      let index = random.next(0...moment.tracks.count - 1)
      return (.jump(track: index), .track(index, pass: 0))
    case 3 where stage + 1 < count: return (.nextStage, .stage(stage + 1))
    case 4 where 0 < stage: return (.previousStage, .stage(stage - 1))
    case 5:
      let (stage, position) = (random.next(0...count - 1), max(0, random.next(-2_000...2_000)))
      let name = moment.session.stages[stage].name
      return (.goto(stage: name, at: Double(position) / 8_000), .stage(stage, at: position))
    case 6:
      let (track, play) = moment.current
      let position = random.next(0...Int(track.length) + 400)
      let seconds = Double(position) / 8_000
      let change = seconds - Double(moment.frame - play.at) / 8_000
      let command = Command.seek(random.next(0...1) == 0 ? .to(seconds) : .by(change))
      if position < track.length { return (command, .position(position)) }
      return next(moment).map { (command, $0) }
    default: return nil
    }
  }

  private static func next(_ moment: RandomMoment) -> Target? {
    let (play, playlist) = (moment.current.play, moment.session.stages[moment.stage].playlist)
    if play.index + 1 < moment.tracks.count {
      return .track(play.index + 1, pass: playlist.repetition == .playlist ? play.pass : 0)
    }
    if playlist.repetition == .playlist, 1 < moment.tracks.count, play.pass < playlist.repeatCount ?? .max {
      return .track(0, pass: play.pass + 1)
    }
    return moment.stage + 1 < moment.session.stages.count ? .stage(moment.stage + 1) : nil
  }

  private static func previous(_ moment: RandomMoment) -> Target? {
    let (play, playlist) = (moment.current.play, moment.session.stages[moment.stage].playlist)
    if 0 < play.index { return .track(play.index - 1, pass: playlist.repetition == .playlist ? play.pass : 0) }
    let wraps = playlist.repeatCount == nil && 1 < moment.tracks.count
    if playlist.repetition == .playlist, 0 < play.pass || wraps {
      return .track(moment.tracks.count - 1, pass: max(0, play.pass - 1))
    }
    return 0 < moment.stage ? .stage(moment.stage - 1) : nil
  }

  /// The frames in which a navigation may redirect a running crossfade.
  private static func redirection(_ moment: RandomMoment) -> Int {
    moment.frame + 2_400 + 2 * Int(moment.session.stages.map(\.crossfade.length).max() ?? 0) + RandomMoment.ramp
  }

  /// The frames around a transition without a crossfade. A planned end fades out before the frame, a command after it.
  private static func ramps(_ crossfade: Int, at frame: Int) -> [Range<Int>] {
    crossfade < RandomMoment.ramp ? [frame - RandomMoment.ramp..<frame + RandomMoment.ramp] : []
  }

  /// - Returns: whether all frames were compared; nil if the moment does not fit.
  private func compare(
    _ moment: inout RandomMoment, _ command: Command, _ index: Int, _ pass: Int
  ) async -> Bool? {
    let (frame, stage) = (moment.frame, moment.session.stages[moment.stage])
    let music = moment.rest(from: index, pass: pass)
    let (track, play) = moment.current
    let position = frame - play.at
    let length = min(Int(stage.crossfade.length), Int(music[0].length) / 2)
    if stage.duration != .natural, moment.stageEnd - frame < length { return nil }
    // Without a crossfade, this is a seek: the track does not begin anew.
    if length == 0, index == play.index, pass == play.pass { return nil }
    // The final fade-out does not change what a command fades out.
    let isEnding =
      moment.session.stages.count == moment.stage + 1 && 0 < moment.session.fadeOut
      && music.reduce(0) { $0 + Int($1.length) / 2 } < length + Int(moment.session.fadeOut)
    if !isEnding, moment.isSteady(for: length), 2 * moment.crossfade <= position + length {
      let cut = moment.add("cut", moment.sound(track).cut(at: position + length), as: track)
      let written = moment.written(playing: [cut] + music)
      return await moment.compare(
        [(frame, command)], with: written, except: Self.ramps(length, at: frame), within: 1e-6)
        ? true : nil
    }
    let past = frame - moment.stageBegin
    guard length <= past else { return nil }
    let filler = moment.add("filler", .constant(0.1, length: FrameCount(past + length)), as: track)
    var written = moment.session
    written.stages[moment.stage].playlist = PlaylistManager([filler] + music)
    let begin = Self.redirection(moment)
    return await moment.compare([(frame, command)], with: written, from: begin, within: 1e-6) ? false : nil
  }

  private func compare(
    _ moment: inout RandomMoment, _ command: Command, stage: Int, at position: Int
  ) async -> Bool? {
    let frame = moment.frame
    var written = moment.session
    // A stage that is written to end at the frame would have a cue there.
    if moment.next("gong", "overlay.started") == frame { return nil }
    var later = Array(moment.session.stages[stage...])
    let length = min(later[0].crossfade.length, later[0].playlist.tracks[0].length / 2)
    // Without a crossfade, this can be a seek.
    if length == 0, stage == moment.stage { return nil }
    var ramps = Self.ramps(Int(length), at: frame)
    // Without a crossfade, the first stage begins with the fade-in of the session.
    if length == 0, stage == 0 { ramps.append(frame..<frame + Int(moment.session.fadeIn)) }
    if 0 < position {
      guard let begun = later[0].begun(at: position, &moment) else { return nil }
      later[0] = begun
      ramps = [frame..<frame + max(RandomMoment.ramp, Int(length))]
    }
    // The music of a stage continues while it fades out, also with another track; after a command it does not.
    let next = min(moment.next("track") ?? .max, moment.stageEnd)
    let isSteady = moment.isSteady(for: Int(length)) && frame + Int(length) <= next
    let begin = isSteady ? nil : Self.redirection(moment)
    written.stages = Array(written.stages[...moment.stage]) + later
    written.stages[moment.stage].duration = .frames(Double(frame - moment.stageBegin))
    return await moment.compare([(frame, command)], with: written, except: ramps, from: begin, within: 1e-6)
      ? isSteady : nil
  }

  private func compare(
    _ moment: inout RandomMoment, _ command: Command, seekingTo position: Int
  ) async -> Bool? {
    let (track, play) = moment.current
    let now = moment.frame - play.at
    let sought = moment.sound(track).spliced(at: now, to: position)
    guard moment.isSteady(for: 1), position != now, position + moment.crossfade < track.length,
      2 * moment.crossfade <= min(track.length, sought.length)
    else { return nil }
    let music = [moment.add("sought", sought, as: track)] + moment.successors
    return await moment.compare(
      [(moment.frame, command)], with: moment.written(playing: music),
      except: [moment.frame..<moment.frame + RandomMoment.ramp], within: 1e-6) ? true : nil
  }
}

extension Programme.Stage {
  /// The stage from a position in its first track on; nil if that is not certain.
  fileprivate func begun(at position: Int, _ moment: inout RandomMoment) -> Programme.Stage? {
    var stage = self
    let first = playlist.tracks[0]
    guard overlays.isEmpty, gongs.isEmpty, playlist.repetition == .off,
      2 * Int(crossfade.length) + position <= Int(first.length)
    else { return nil }
    let rest = moment.add("rest", moment.sound(first).spliced(at: 0, to: position), as: first)
    stage.playlist = PlaylistManager([rest] + playlist.tracks.dropFirst())
    if case .frames(let frames) = duration { stage.duration = .frames(frames - Double(position)) }
    return stage
  }
}
