import Engine
import Schedule
import Signal

/// Carries a schedule out on the desk: clip by clip, ahead of the render, and back again from its reports. After an edit
/// it compares clips by their names: what stays is updated, what is gone is given back, what is new is opened.
struct Executor: ~Copyable {
  var timeline: EventTimeline
  private(set) var schedule: Schedule
  /// The frame at which everything is over; nil while an open stage decides.
  private(set) var end: FrameTime?
  private(set) var plannedTimes: PlannedTimes
  var settings: Settings
  /// The frame at which an offline render stands still until something has happened there.
  var limit: FrameTime = .endless
  /// The frame at which the listener has ended the session.
  var closing: FrameTime?
  var damage: [SourceError] = []
  /// A track whose turn was to come and that can't be opened; nothing behind it is planned before it is passed over.
  var unplayable: Clip?

  let rate: SampleRate
  /// Offline a load takes no time of the virtual clock.
  let isVirtual: Bool
  var desk: Desk
  var voices = VoiceTable()
  /// Voices whose sound is known to be damaged.
  var told: Set<Int32> = []
  /// What the mixer has said of frames that are yet to be heard.
  var reports: [RenderReport] = []
  var ducking = Ducking()
  private let opener: Opener
  var clips: ClipSequence
  /// The session frame before which everything has been commanded.
  var planned: FrameTime
  /// Where planning began, or began anew.
  var origin: FrameTime
  var primed: [PrimedSource] = []
  private var lastTicket = 0
  /// Opens live what is to come, so that no slow file holds anything up; nil in a render, which waits.
  private let load: Load?

  /// Has a sound opened on another thread, which then arrives under that ticket.
  typealias Load = @Sendable (PrimedSource.Need, _ ticket: Int) -> Void

  /// Control plans in steps of half a second, this far ahead: time enough to open a slow file.
  static let step = 0.5
  static let lookahead = 3.0

  init(
    _ replayed: Replayed, skipped: [Programme.Skipped], opener: Opener, load: Load?, desk: consuming Desk, pace: Pace
  ) {
    let start = replayed.journal.frame
    rate = replayed.schedule.rate
    (self.opener, self.load) = (opener, load)
    isVirtual = pace == .players
    self.desk = desk
    (schedule, settings) = (replayed.schedule, replayed.settings)
    plannedTimes = PlannedTimes(replayed.schedule.programme)
    (planned, origin) = (start, start)
    clips = schedule.clips(from: start)
    timeline = EventTimeline(schedule, from: start)
    // A file that begins in the middle is that part of the whole, to the sample; a listener is spared the click.
    if !isVirtual, let head = clips.head, head.begin < start {
      settings.gate = .rising(at: start, over: schedule.ramp.length, schedule.ramp.curve)
    }
    settings.command(&self.desk, at: start)
    for skipped in skipped { skip(skipped.title, because: skipped.reason) }
    end = schedule.end
    if let end { self.desk.horizon.end(at: max(start, end)) }
  }

  /// The schedule is another one from `origin` on.
  mutating func replace(by schedule: Schedule) {
    self.schedule = schedule
    plannedTimes = PlannedTimes(schedule.programme)
    end = schedule.end
    clips = schedule.clips(from: origin)
    horizon.end(at: closing ?? end ?? .endless)
  }

  var horizon: Horizon { desk.horizon }

  /// Whether the unplayable track can be passed over now: of a render at the frame up to which all is planned, whatever
  /// the threads do.
  var canPassOver: Bool { unplayable != nil && (!isVirtual || horizon.waitingFrame == planned) }

  /// Commands everything that begins within the lookahead of what is mixed.
  mutating func plan() {
    var isStuck = false
    while !isStuck, planned < horizon.mixedFrame + rate.frames(Self.lookahead) { isStuck = !planStep() }
    // It may go on to where one waits for a voice: there voices end; if none does, it must do without.
    let isWaiting = isStuck && unplayable == nil
    // The mixer takes commands only while it goes on.
    let sent = max(origin + 1, desk.sendRest())
    horizon.advance(to: min(edge, sent, isWaiting ? clips.head?.begin ?? planned : planned))
  }

  /// - Returns: false when something has to wait for a voice.
  mutating func planStep() -> Bool {
    let next = planned + rate.frames(Self.step)
    // What would begin behind the end is not even opened: a render may be there before anyone looks.
    let end = min(next, horizon.endFrame)
    while unplayable == nil, let clip = clips.head, clip.begin < end {
      guard carryOut(clip) else { return false }
      clips.drop()
    }
    if unplayable != nil { return false }
    planned = next
    return true
  }

  /// How far the render may go with what is planned, but for what is being opened: it waits for that as long as it can.
  private var edge: FrameTime { min(limit, voices.awaited.values.map(\.begin).min() ?? .endless) }

  /// Whether there is a voice for one more, those counted that are for what is being opened.
  private func hasFree(_ bus: Bus) -> Bool {
    voices.awaited.values.count { $0.layer.bus == bus } < desk.freeCount(bus)
  }

  /// - Returns: false when it has to wait for a voice.
  private mutating func carryOut(_ clip: Clip) -> Bool {
    switch voices.step(for: clip, from: origin) {
    case .nothing: break
    case .release: ducking.command(clip, from: origin, on: &desk)
    case .resume(let voice, let clip):
      desk.restart(voice, clip.part, at: origin)
      ducking.command(clip, from: origin, on: &desk)
    case .open(let entered):
      guard hasFree(clip.layer.bus) || isLost(clip) else { return false }
      begin(entered)
    }
    return true
  }

  /// The render has come to its beginning, and no voice has become free on the way.
  private mutating func isLost(_ clip: Clip) -> Bool {
    if horizon.mixedFrame < clip.begin { return false }
    let isWaiting = horizon.waitingFrame == clip.begin
    if isVirtual, isWaiting { collectReports() }
    return isWaiting || clip.begin < horizon.mixedFrame
  }

  /// The stamp of what happens while a step is planned: the same in every run, however the threads take turns.
  private var planningFrame: FrameTime { max(origin, planned - rate.frames(Self.lookahead) + 1) }

  private mutating func begin(_ clip: Clip) {
    timeline.note(.loadStarted(clip), at: planningFrame)
    let need = PrimedSource.Need(clip)
    if let place = primed.firstIndex(where: { $0.need == need }) {
      let source = primed.remove(at: place)
      return take(.success(source.sound), for: clip, milliseconds: isVirtual ? 0 : 1_000 * source.seconds)
    }
    if let load {
      lastTicket += 1
      voices.awaited[lastTicket] = clip
      load(need, lastTicket)
    } else {
      let sound = Result { () throws(SourceError) in try opener.open(need) }
      take(sound.mapError { .failed($0) }, for: clip, milliseconds: 0)
    }
  }

  /// A sound has been opened on another thread, or could not be.
  mutating func arrive(_ result: LoadTicket<PrimedSound>.Result, for ticket: Int) {
    guard let clip = voices.awaited.removeValue(forKey: ticket) else { return }
    take(result.map(\.value), for: clip, milliseconds: 1_000 * ((try? result.get().seconds) ?? 0))
  }

  private mutating func take(_ sound: Result<PrimedSound, LoadError>, for clip: Clip, milliseconds: Double) {
    switch sound {
    case .success(let sound):
      timeline.note(.loadCompleted(clip, milliseconds: milliseconds), at: planningFrame)
      cue(clip, sound)
    case .failure(let failure):
      let (error, event) = failure.report(of: clip.title)
      timeline.note(.told(event), at: planningFrame)
      voices.over.insert(clip.id)
      skip(clip.title, because: error)
      if clip.entry != nil { unplayable = clip }
    }
  }

  private mutating func cue(_ clip: Clip, _ sound: PrimedSound) {
    guard let voice = desk.lease(clip.layer.bus) else {
      voices.over.insert(clip.id)
      skip(clip.title, because: .unsupported(path: clip.title, what: "too many sounds at once; use fewer"))
      return
    }
    desk.start(voice, clip.part, ordinal: clip.id.ordinal, from: sound)
    voices.playing[voice] = clip
    ducking.command(clip, from: origin, on: &desk)
  }

  private mutating func skip(_ title: String, because error: SourceError) {
    timeline.note(.told(.trackSkipped(title: title, reason: error)), at: planningFrame)
    tell(error, at: planningFrame)
  }
}

extension Clip {
  fileprivate var part: VoicePart {
    VoicePart(
      begin: begin, length: length == .endless ? .endless : end - begin, gain: gain, fadeIn: fadeIn, fadeOut: fadeOut,
      leave: leave, ramp: ramp)
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
