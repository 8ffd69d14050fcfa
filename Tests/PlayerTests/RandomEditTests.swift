import Player
import Schedule
import Signal
import Sounds
import TestSupport
import Testing

/// Random sessions, each with one random edit of what is still to come, by a command or in the file, which is read again.
/// An edited session sounds like one written that way.
///
/// The session is rendered with the edit as a command, and as it is written with the edit. If both sound the same
/// before the edit, the edit changed only what was still to come, and everything after it must be the same, too.
@Suite struct RandomEditTests {
  @Test(arguments: 0..<10, [RandomSession.plain, RandomSession.joining])
  func `an edited session sounds like one written that way`(tens: Int, tracks: ClosedRange<Int>) async throws {
    let sessions = RandomSession(names: tracks)
    let library = sessions.library
    var compared = 0
    for seed in (30 * tens + 1)...(30 * tens + 30) where try await compare(UInt64(seed), sessions, library) {
      compared += 1
    }
    // A few sessions have nothing left that an edit could change.
    #expect(24 < compared)
  }

  @Test(arguments: 0..<6)
  func `an edited session with series of overlays and moved gongs sounds like one written that way`(tens: Int)
    async throws
  {
    var sessions = RandomSession(names: RandomSession.plain)
    sessions.hasSeries = true
    let library = sessions.library
    var compared = 0
    for seed in (30 * tens + 3_001)...(30 * tens + 3_030) where try await compare(UInt64(seed), sessions, library) {
      compared += 1
    }
    #expect(22 < compared)
  }

  /// - Returns: Whether there was something to compare.
  private func compare(
    _ seed: UInt64, _ sessions: RandomSession, _ library: TestLibrary
  ) async throws -> Bool {
    var random = Random(seed: seed)
    let session = sessions.session(&random)
    let whole = await perform(session, library)
    let unfaded = await perform(session.unfaded, library)
    for _ in 0..<12 {
      guard let edit = RandomEdit(of: session, sessions, played: whole, &random) else { continue }
      let written = await perform(edit.written.unfaded, library)
      // An edit during the final fade-out moves the fade-out with the end of the session, so both are compared without
      // it.
      guard edit.frame < written.frames.count, written.frames[..<edit.frame] == unfaded.frames[..<edit.frame],
        Self.tracks(of: written, before: edit.frame) == Self.tracks(of: unfaded, before: edit.frame)
      else { continue }
      try await compare(edit, of: session, library, "seed \(seed): \(edit.command) at frame \(edit.frame)")
      var reloaded = edit
      reloaded.command = .reload
      // A reload fades new levels within a second.
      reloaded.ramp = 8_000
      try await compare(reloaded, of: session, library, "seed \(seed): reload with \(edit.command) at \(edit.frame)")
      return true
    }
    return false
  }

  private func compare(
    _ edit: RandomEdit, of session: Programme, _ library: TestLibrary, _ note: String
  ) async throws {
    let log = CommandLog()
    let run = Double(edit.frame) / 8_000
    let edited = await perform(session, library, doing: TimedCommands([(run, [edit.command])], log: log)) {
      .success(ReloadedSession(programme: edit.written) {})
    }
    let planned = await perform(edit.written, library)
    // An edit without an effect is rejected, and must sound like the written session as well.
    let isMade = log.outcomes.allSatisfy {
      if case .rejected(let error) = $0 { error.code == "noEffect" } else { $0 == .done }
    }
    #expect(isMade && log.outcomes.count == 1 && log.moments.map(\.session) == [run], "\(note)")
    #expect(edited.frames.count == planned.frames.count, "\(note)")
    let begin = edit.frame + edit.ramp
    let end = min(edited.frames.count, planned.frames.count)
    let wrong = (min(begin, end)..<end).first { edited.frames[$0] != planned.frames[$0] }
    if let wrong {
      let (found, expected) = (edited.frames[wrong].left, planned.frames[wrong].left)
      Issue.record("\(note): frame \(wrong) is \(found) instead of \(expected)")
    }
    let (reported, expected) = (Self.eventTexts(of: edited, from: begin), Self.eventTexts(of: planned, from: begin))
    let difference = zip(reported + ["end"], expected + ["end"]).first { $0 != $1 }
    #expect(difference == nil, "\(note)")
  }

  /// Equal sound does not imply the same track: a file can be in a playlist twice.
  private static func tracks(of played: RenderedProgramme, before frame: Int) -> [String] {
    played.events.filter { $0.event.name == "track" && testRate.frames($0.session) < frame }.map {
      guard case .track(let title, let index, let pass, _) = $0.event else { return "" }
      return "\(title) \(index) \(pass)"
    }
  }

  /// The events from a frame on. Loads are excluded, because they come before what they load, and so are the metrics,
  /// which count the edit, and the planned time, which is that of the edited session.
  private static func eventTexts(of played: RenderedProgramme, from frame: Int) -> [String] {
    let reported = played.events.filter { frame <= testRate.frames($0.session) && $0.event.name != "metrics" }
    return reported.filter { !$0.event.name.hasPrefix("load.") }.map {
      var event = $0
      event.planned = nil
      return event.json(sequence: 0)
    }
  }
}

extension Programme {
  /// The session without its final fade-out.
  fileprivate var unfaded: Programme {
    var session = self
    session.fadeOut = 0
    return session
  }
}

/// An edit at a frame of a session: as a command, and as the session written with it.
private struct RandomEdit {
  private let sessions: RandomSession
  var frame: Int
  var command: Command
  var written: Programme
  /// The frames over which the edit may fade what it changes.
  var ramp = 160

  /// Returns nil if the random edit does not fit the current stage.
  ///
  /// - Parameter played: The session as it plays without the edit.
  init?(
    of session: Programme, _ sessions: RandomSession, played: RenderedProgramme, _ random: inout Random
  ) {
    self.sessions = sessions
    let frame = RandomSession.frame(in: played, &random)
    let tracks = played.events.compactMap { event -> (at: FrameTime, stage: String?, index: Int, pass: Int)? in
      guard case .track(_, let index, let pass, _) = event.event else { return nil }
      return (testRate.frames(event.session), event.stage, index, pass)
    }
    let begun = played.events.filter { $0.event.name == "stage.started" && testRate.frames($0.session) < frame }
    guard let stage = begun.last?.stage, let index = session.stages.firstIndex(where: { $0.name == stage }),
      let current = tracks.last(where: { $0.at < frame && $0.stage == stage })
    else { return nil }
    self.frame = frame
    written = session
    command = .next
    let isLast = !tracks.contains { frame <= $0.at && $0.stage == stage }
    let made =
      switch random.next(0...7) {
      case 0...3: changePlaylist(ofStage: index, after: current.index, &random)
      case 4: changeRepetition(ofStage: index, inPass: current.pass, &random)
      case 5: extend(stage: index, &random)
      default: changeCrossfade(fromStage: index, isLastTrack: isLast, &random)
      }
    guard made else { return nil }
  }

  private mutating func changePlaylist(ofStage stage: Int, after current: Int, _ random: inout Random) -> Bool {
    let playlist = written.stages[stage].playlist
    var tracks = playlist.tracks
    let name = "\(random.next(sessions.names))"
    let (first, last) = (current + 1, tracks.count - 1)
    switch random.next(0...3) {
    case 0:
      command = .playlist(.append([Cue(name)]))
      tracks.append(sessions.track(name))
    case 1:
      let index = random.next(first...last + 1)
      command = .playlist(.insert([Cue(name)], at: index))
      tracks.insert(sessions.track(name), at: index)
    case 2 where first <= last:
      let index = random.next(first...last)
      command = .playlist(.remove(at: index))
      tracks.remove(at: index)
    case 3 where first < last:
      let (from, to) = (random.next(first...last), random.next(first...last))
      command = .playlist(.move(from: from, to: to))
      tracks.insert(tracks.remove(at: from), at: to)
    default: return false
    }
    written.stages[stage].playlist = PlaylistManager(
      tracks, repetition: playlist.repetition, repeatCount: playlist.repeatCount)
    return true
  }

  private mutating func extend(stage index: Int, _ random: inout Random) -> Bool {
    let (layout, by) = (written.layout[index], random.next(-40_000...40_000))
    // A last stage that is over has no end any more.
    guard let end = layout.exactEnd, Double(frame) < end else { return false }
    command = .extend(by: Double(by) / 8_000)
    let moved = max(Double(frame), end + Double(by))
    written.stages[index].duration = .frames(moved - layout.exactBegin)
    // The listener may be in the fade-out at the end of the session, from which the level returns within a second.
    if index + 1 == written.stages.count, 0 < written.fadeOut { ramp = 8_000 }
    return true
  }

  private mutating func changeRepetition(ofStage stage: Int, inPass pass: Int, _ random: inout Random) -> Bool {
    let mode = RepeatMode.allCases[random.next(0...2)]
    // Passes of the track and passes of the playlist are counted separately, so another mode begins to count again.
    if pass != 0, mode != written.stages[stage].playlist.repetition { return false }
    // Without a bound, a stage that lasts as long as its music would never end.
    let isBounded = written.stages[stage].duration == .natural || random.next(0...1) == 0
    let count = isBounded ? random.next(0...2) : nil
    command = .repetition(mode, count: count)
    written.stages[stage].playlist.repetition = mode
    written.stages[stage].playlist.repeatCount = count
    return true
  }

  /// The crossfade into the current stage is over, so only later stages are written differently. No crossfade leads
  /// into the first stage, so it is, too.
  private mutating func changeCrossfade(fromStage stage: Int, isLastTrack: Bool, _ random: inout Random) -> Bool {
    guard stage == 0 || isLastTrack, written.fadeIn < frame else { return false }
    let shape = sessions.crossfade(&random)
    let hasLength = random.next(0...2) != 0
    let hasCurve = stage == 0 && (!hasLength || random.next(0...1) == 0)
    guard hasLength || hasCurve else { return false }
    command = .crossfade(
      duration: hasLength ? Double(shape.length) / 8_000 : nil, curve: hasCurve ? shape.curve : nil)
    for index in written.stages.indices.dropFirst(stage == 0 ? 0 : stage + 1) {
      if hasLength { written.stages[index].crossfade.length = shape.length }
      if hasCurve { written.stages[index].crossfade.curve = shape.curve }
    }
    return true
  }
}
