import Player
import Schedule
import Signal
import Sounds
import TestSupport
import Testing

/// A random frame of a random session, and what is heard of the session without a command.
struct RandomMoment {
  /// The frames of the shortest ramp.
  static let ramp = 160

  let seed: Int
  let session: Programme
  let whole: RenderedProgramme
  let frame: Int
  /// The sounds of the session, and those that a test adds.
  var library: TestLibrary
  /// Index of the current stage, its first frame, and its tracks so far.
  private(set) var (stage, stageBegin) = (0, 0)
  private(set) var plays: [(at: Int, index: Int, pass: Int)] = []

  /// Returns nil if no track of the stage has begun.
  init?(
    _ seed: Int, of session: Programme, _ whole: RenderedProgramme, _ library: TestLibrary, _ random: inout Random
  ) {
    (self.seed, self.session, self.whole, self.library) = (seed, session, whole, library)
    frame = RandomSession.frame(in: whole, &random)
    for event in whole.events where event.frame < frame {
      if case .stageStarted(_, let index, _) = event.event { (stage, stageBegin, plays) = (index, event.frame, []) }
      guard case .track(_, let index, let pass, _) = event.event, event.stage == session.stages[stage].name
      else { continue }
      plays.append((event.frame, index, pass))
    }
    if plays.isEmpty { return nil }
  }

  var tracks: [Track] { session.stages[stage].playlist.tracks }
  var current: (track: Track, play: (at: Int, index: Int, pass: Int)) {
    (tracks[plays[plays.count - 1].index], plays[plays.count - 1])
  }
  /// The longest fade into the current track or out of it.
  var crossfade: Int {
    let longest = session.stages[stage...].prefix(2).map(\.crossfade.length).max() ?? 0
    return Int(stage == 0 ? max(longest, session.fadeIn) : longest)
  }

  /// The first frame, from that of the command on, at which one of these events happens; nil if none does.
  func next(_ names: String...) -> Int? {
    whole.events.first { frame <= $0.frame && names.contains($0.event.name) }?.frame
  }

  /// Whether the current track plays without any fade at the frame and the next `length` frames, so that only the
  /// command fades it.
  func isSteady(for length: Int = 0) -> Bool {
    let fadeIn = max(Int(session.stages[stage].crossfade.length), stage == 0 ? Int(session.fadeIn) : 0)
    let isLast = stage == session.stages.count - 1 && 0 < session.fadeOut
    let (begin, last) = (current.play.at, frame + length)
    return begin + fadeIn < frame && next("track", "stage.started") != frame
      && last <= begin + Int(current.track.length) && (!isLast || last < stageEnd - Int(session.fadeOut))
  }

  /// The frame at which the stage ends.
  var stageEnd: Int {
    if let next = next("stage.started") { return next }
    if case .frames(let frames) = session.stages[stage].duration { return stageBegin + Int(frames) }
    return next("track") == nil ? current.play.at + Int(current.track.length) : whole.frames.count
  }

  /// The title and the first frame of the overlay that plays, without a fade at the frame and the next `length` frames;
  /// nil if that isn't exactly one.
  func overlay(steadyFor length: (Programme.Overlay) -> Int = { _ in 0 }) -> (title: String, begin: Int)? {
    var begins: [String: Int] = [:]
    for event in whole.events where event.frame <= frame {
      if case .overlayStarted(let title) = event.event { begins[title] = event.frame }
      if case .overlayEnded(let title) = event.event { begins[title] = nil }
    }
    guard let (title, begin) = begins.first, begins.count == 1 else { return nil }
    var (session, isSteady) = (session, true)
    session.changeOverlays { overlay in
      guard overlay.sound.title == title else { return }
      let (fadeIn, end) = (Int(overlay.fadeIn.length), begin + Int(overlay.sound.length - overlay.fadeOut.length))
      let last = min(end, stageEnd, next("overlay.started") ?? .max)
      isSteady = stageBegin <= begin && begin + fadeIn <= frame && begin < frame && frame + length(overlay) < last
    }
    return isSteady ? (title, begin) : nil
  }

  /// Adds a sound to the library, and returns its track.
  mutating func add(_ name: String, _ sound: TestLibrary.Sound, as track: Track) -> Track {
    library.sounds[name] = sound
    return Track(
      source: TestLibrary.source(name), title: track.title, gain: track.gain, length: library.sounds[name]?.length ?? 0)
  }

  func sound(_ track: Track) -> TestLibrary.Sound {
    library.sounds[track.source.label] ?? .constant(0, length: track.length)
  }

  /// The tracks from an entry on, with all repeats. Without a bound, many of them.
  func rest(from index: Int, pass: Int) -> [Track] {
    let playlist = session.stages[stage].playlist
    let passes = max(0, (playlist.repeatCount ?? 30) - pass)
    switch playlist.repetition {
    case .off: return Array(tracks[index...])
    case .track:
      let later = tracks[(index + 1)...].flatMap { Array(repeating: $0, count: (playlist.repeatCount ?? 30) + 1) }
      return Array(repeating: tracks[index], count: passes + 1) + later
    case .playlist: return Array(tracks[index...]) + (0..<passes).flatMap { _ in tracks }
    }
  }

  /// The tracks after the current one.
  var successors: [Track] { Array(rest(from: current.play.index, pass: current.play.pass).dropFirst()) }

  /// The session with the stage's music so far, then `music`.
  func written(playing music: [Track]) -> Programme {
    var written = session
    let past = plays.dropLast().map { tracks[$0.index] }
    written.stages[stage].playlist = PlaylistManager(past + music)
    return written
  }

  /// Compares what is heard, with the commands at run times in frames, with what is heard of `written`.
  ///
  /// - Parameters:
  ///   - ramps: the frames that are not compared.
  ///   - begin: the frame from which all is compared, if a command redirects a crossfade; nil for all frames.
  /// - Returns: false if `written` differs before the frame of the command, because something counts from an end.
  func compare(
    _ commands: [(Int, Command)], with written: Programme, except ramps: [Range<Int>] = [], from begin: Int? = nil,
    within tolerance: Float = 0
  ) async -> Bool {
    let planned = await TestSupport.perform(written, library)
    let past = [planned, whole].map { Self.heard(of: $0, in: 0..<frame, hasTracks: begin == nil) }
    let known = 0..<max(0, min(ramps.first?.lowerBound ?? frame, planned.frames.count))
    if past[0] != past[1] || begin == nil && planned.frames[known] != whole.frames[known] { return false }
    let edited = await perform(commands)
    compare(edited, planned.frames, commands, except: begin.map { [0..<$0] } ?? ramps, within: tolerance)
    let heard = [edited, planned].map { Self.heard(of: $0, in: (begin ?? frame)...) + ["end"] }
    let difference = zip(heard[0], heard[1]).first { $0 != $1 }
    #expect(difference == nil, "\(note(commands))")
    return true
  }

  /// What is heard with the commands, none of which may be rejected.
  func perform(_ commands: [(Int, Command)]) async -> RenderedProgramme {
    let log = CommandLog()
    let due = commands.map { (Double($0) / 8_000, [$1]) }
    let edited = await TestSupport.perform(session, library, doing: TimedCommands(due, log: log))
    #expect(log.outcomes == commands.map { _ in .done }, "\(note(commands))")
    return edited
  }

  func compare(
    _ edited: RenderedProgramme, _ expected: [Frame], _ commands: [(Int, Command)], except ramps: [Range<Int>] = [],
    within tolerance: Float = 0
  ) {
    #expect(edited.frames.count == expected.count, "\(note(commands))")
    var (begin, end) = (0, min(edited.frames.count, expected.count))
    for ramp in ramps + [end..<end] {
      let part = begin..<max(begin, min(end, ramp.lowerBound))
      begin = max(begin, min(end, ramp.upperBound))
      if edited.frames[part] == expected[part] { continue }
      guard let wrong = part.first(where: { tolerance < (edited.frames[$0] + expected[$0] * -1).peak }) else {
        continue
      }
      let (found, wanted) = (edited.frames[wrong].left, expected[wrong].left)
      Issue.record("\(note(commands)): frame \(wrong) is \(found) instead of \(wanted)")
      return
    }
  }

  private func note(_ commands: [(Int, Command)]) -> String {
    "seed \(seed), frame \(frame): " + commands.map { "\($1) at \($0)" }.joined(separator: ", ")
  }

  /// The beginnings and ends of sounds in a range of frames.
  private static func heard(
    of played: RenderedProgramme, in frames: some RangeExpression<Int>, hasTracks: Bool = true
  ) -> [String] {
    let names = ["stage.started", "overlay.started", "overlay.ended", "gong", "session.finished"]
    let heard = played.events.filter {
      frames.contains($0.frame) && (names.contains($0.event.name) || hasTracks && $0.event.name == "track")
    }
    return heard.map { ($0.frame, "\($0.event.name) \($0.event.title ?? "") at \($0.frame)") }.sorted(by: <).map(\.1)
  }
}

extension StampedEvent {
  var frame: Int { Int(testRate.frames(session)) }
}

extension Programme.Position {
  var isFromEnd: Bool { if case .beforeEnd = self { true } else { false } }
}

extension Programme.Gong {
  var places: [Programme.Position] { if case .at(let at) = pattern { at + positions } else { positions } }
}

extension Programme {
  /// Removes the session-wide cues that count from the end.
  mutating func removeCuesFromEnd() {
    overlays.removeAll { $0.at.contains(where: \.isFromEnd) }
    gongs.removeAll { $0.places.contains(where: \.isFromEnd) }
  }

  /// Changes all overlays.
  mutating func changeOverlays(_ change: (inout Overlay) -> Void) {
    for index in overlays.indices { change(&overlays[index]) }
    for stage in stages.indices {
      for index in stages[stage].overlays.indices { change(&stages[stage].overlays[index]) }
    }
  }

  /// Gives each overlay one position, one repeat and a title of its own.
  mutating func separateOverlays() {
    var number = 0
    changeOverlays { overlay in
      overlay.at = [overlay.at[0]]
      (overlay.times, overlay.following, overlay.interval) = (.times(1), [], nil)
      overlay.sound.title = "overlay \(number)"
      number += 1
    }
  }
}

extension TestLibrary.Sound {
  /// The sound up to `frame`, then `gap` frames of silence, then the sound from `next` on.
  func spliced(at frame: Int, gap: Int = 0, to next: Int) -> TestLibrary.Sound {
    let (frame, resumed) = (FrameTime(frame), FrameTime(frame + gap))
    return TestLibrary.Sound(length: resumed + length - FrameTime(next)) { [sample] in
      $0 < frame ? sample($0) : $0 < resumed ? .silence : sample($0 - resumed + FrameTime(next))
    }
  }

  /// The first frames of the sound.
  func cut(at frame: Int) -> TestLibrary.Sound { TestLibrary.Sound(length: FrameCount(frame), sample: sample) }
}
