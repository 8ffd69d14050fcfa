import Engine
import Signal

/// Carries a programme out on the desk: placement by placement, ahead of the render, and back again from its reports.
struct ScorePlayer: ~Copyable {
  var narrator: Narrator
  private(set) var damage: [SourceError] = []

  private let programme: Programme
  private let library: any SoundLibrary
  private let start: FrameTime
  /// Offline a load takes no time of the virtual clock.
  private let isVirtual: Bool
  private let step: FrameCount
  private let lookahead: FrameCount
  private var desk: Desk
  private var upcoming: Upcoming
  /// The session frame before which everything has been commanded.
  private var planned: FrameTime
  private var playing: [Int32: Placement] = [:]
  /// Names for ducks whose voices were never leased, above all slots.
  private var bygone: Int32 = 1 << 20
  private let clock = ContinuousClock()

  init(programme: Programme, library: any SoundLibrary, desk: consuming Desk, from start: FrameTime, pace: Pace) {
    self.programme = programme
    self.library = library
    self.start = start
    isVirtual = pace == .players
    self.desk = desk
    step = programme.rate.frames(Conductor.step)
    lookahead = programme.rate.frames(Conductor.lookahead)
    planned = start
    upcoming = Upcoming(programme)
    narrator = Narrator(programme, from: start)
    _ = self.desk.master(Fade(from: 1, to: programme.master.linear, start: start, length: 0, curve: .linear))
    for skipped in programme.skipped { skip(skipped.title, because: skipped.reason) }
    if let end = programme.end { self.desk.horizon.end(at: max(start, end)) }
  }

  var horizon: Horizon { desk.horizon }

  /// Commands everything that begins within the lookahead of `mixed`.
  mutating func plan(beyond mixed: FrameTime) {
    while planned < mixed + lookahead {
      let next = planned + step
      while let placement = upcoming.head, placement.at < next {
        if placement.end <= start {
          upcoming.drop()
          commandRelease(of: placement)
        } else if desk.hasFree(placement.layer.bus) || placement.at < desk.horizon.mixedFrame {
          upcoming.drop()
          command(placement)
        } else {
          // The loop may go on up to here, where voices end; if none does, the placement must do without.
          desk.horizon.advance(to: placement.at)
          return
        }
      }
      planned = next
      desk.horizon.advance(to: planned)
    }
  }

  /// The stamp of what happens while a step is planned: the same in every run, however the threads take turns.
  private var planningFrame: FrameTime { max(start, planned - lookahead + 1) }

  private mutating func command(_ placement: Placement) {
    narrator.note(.loadStarted(placement), at: planningFrame)
    let begin = max(start, placement.at)
    let skipped = begin - placement.at
    let loading = clock.now
    do throws(SourceError) {
      let decoder = try library.open(placement.source, at: programme.rate, from: placement.offset + skipped)
      let taken = isVirtual ? 0 : 1_000 * (clock.now - loading).inSeconds
      narrator.note(.loadCompleted(placement, milliseconds: taken), at: planningFrame)
      cue(placement, at: begin, length: placement.length == .endless ? .endless : placement.length - skipped, decoder)
    } catch {
      narrator.note(.told(.loadFailed(title: placement.title, error)), at: planningFrame)
      skip(placement.title, because: error)
    }
  }

  private mutating func cue(_ placement: Placement, at frame: FrameTime, length: FrameCount, _ decoder: any Decoder) {
    collectReports()
    let fades = VoiceFades(fadeIn: placement.fadeIn, fadeOut: placement.fadeOut, leave: placement.leave)
    guard let voice = desk.lease(placement.layer.bus),
      desk.start(voice, at: frame, length: length, gain: placement.gain, fades: fades, from: decoder)
    else {
      skip(placement.title, because: .unsupported(path: placement.title, what: "too many sounds at once; use fewer"))
      return
    }
    playing[voice] = placement
    if let duck = placement.duck { command(duck, of: placement, voice: voice) }
  }

  private mutating func command(_ duck: Duck, of placement: Placement, voice: Int32) {
    let attack = Fade(from: 1, to: duck.depth.linear, start: placement.at, length: duck.attack, curve: .sCurve)
    _ = desk.duck(for: voice, by: attack, at: max(start, placement.at))
    if placement.end != .endless { release(duck, for: voice, at: placement.end) }
  }

  private mutating func release(_ duck: Duck, for voice: Int32, at frame: FrameTime) {
    let fade = Fade(from: duck.depth.linear, to: 1, start: frame, length: duck.release, curve: .sCurve)
    _ = desk.duck(for: voice, by: fade, at: max(start, frame))
  }

  /// An overlay that ended before the session's beginning may still hold the music down.
  private mutating func commandRelease(of placement: Placement) {
    guard let duck = placement.duck, placement.end != .endless, start < placement.end + duck.release else { return }
    bygone += 1
    release(duck, for: bygone, at: placement.end)
  }

  private mutating func skip(_ title: String, because error: SourceError) {
    damage.append(error)
    narrator.count(damaged: 1)
    narrator.note(.told(.trackSkipped(title: title, reason: error)), at: planningFrame)
    narrator.note(.told(.error(PlayerProblem(error))), at: planningFrame)
  }

  /// Reads what the mixer says and takes ended voices back.
  mutating func collectReports() {
    while let report = desk.nextReport() {
      switch report {
      case .started(let voice, let frame):
        if let placement = playing[voice] { narrator.note(.started(placement), at: frame) }
      case .ended(let voice, let frame, let missing): end(voice, at: frame, missing: missing)
      case .starved(let voice, let frame, let frames): tellStarved(voice, at: frame, frames: frames)
      case .late(let frame, let by):
        let text = "a command for \(programme.rate.seconds(frame)) s came \(programme.rate.seconds(by)) s late"
        narrator.note(.told(.warning(text)), at: frame + by)
      }
    }
  }

  private mutating func end(_ voice: Int32, at frame: FrameTime, missing: FrameCount) {
    let failure = desk.giveBack(voice)
    guard let placement = playing.removeValue(forKey: voice) else { return }
    narrator.note(.ended(placement), at: frame)
    guard 0 < missing, placement.length != .endless else { return }
    let error =
      failure
      ?? .damaged(
        path: placement.source.label, atSecond: programme.rate.seconds(placement.length - missing),
        cause: "its data end early")
    damage.append(error)
    narrator.count(damaged: 1)
    narrator.note(.told(.error(PlayerProblem(error))), at: frame)
    if let duck = placement.duck { release(duck, for: voice, at: horizon.mixedFrame) }
  }

  private mutating func tellStarved(_ voice: Int32, at frame: FrameTime, frames: FrameCount) {
    narrator.count(underruns: 1)
    let title = playing[voice]?.title ?? "a voice"
    narrator.note(.told(.underrun(title: title, milliseconds: 1_000 * programme.rate.seconds(frames))), at: frame)
  }

  /// Fades everything out from the next frame that can still be changed, and ends there.
  mutating func fadeOut(over ramp: FrameCount, margin: FrameCount) {
    // Offline the loop is faster than any margin, but it can't pass what is planned.
    let from = isVirtual ? planned : horizon.mixedFrame + margin
    _ = desk.master(Fade(from: 1, to: 0, start: from, length: ramp, curve: .sCurve))
    desk.horizon.end(at: min(from + ramp, horizon.endFrame))
    desk.horizon.advance(to: .endless)
  }
}

extension Layer {
  var bus: Bus {
    switch self {
    case .music: .music
    case .overlay: .overlays
    case .effect: .effects
    }
  }
}
