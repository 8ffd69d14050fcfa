package import Signal
import Rings

/// The control half of the engine: leases voices, has them fed, and commands the mixer. One owner at a time.
package struct Desk: ~Copyable, Sendable {
  package let horizon: Horizon

  private var commands: RingWriter<RenderCommand>
  /// Commands that found no room, in their order.
  private var unsent: [RenderCommand] = []
  private var reports: RingReader<RenderReport>
  private let feeds: Feeds
  /// Free slots of each bus, the one to be leased next at the end.
  private var free: [Bus: [Int32]]
  /// Slots that were given back while something was being decoded for them.
  private var leaving: [Int32] = []
  /// Seconds that a decoder which doesn't let go may keep others waiting.
  private let patience: Double
  private let busOfSlot: [Bus]
  private var ordinals: [Int64]
  private let poke: @Sendable () -> Void

  init(
    commands: consuming RingWriter<RenderCommand>, reports: consuming RingReader<RenderReport>, counts: Engine.Voices,
    feeds: Feeds, horizon: Horizon, patience: Double, poke: @escaping @Sendable () -> Void
  ) {
    self.commands = commands
    self.reports = reports
    self.feeds = feeds
    self.horizon = horizon
    self.patience = patience
    busOfSlot =
      Array(repeating: .music, count: counts.music) + Array(repeating: .overlays, count: counts.overlays)
      + Array(repeating: .effects, count: counts.effects)
    ordinals = Array(repeating: 0, count: busOfSlot.count)
    self.poke = poke
    free = [:]
    for (slot, bus) in busOfSlot.enumerated().reversed() { free[bus, default: []].append(Int32(slot)) }
  }

  /// A voice of the bus, until `giveBack`; nil when all sound.
  package mutating func lease(_ bus: Bus) -> Int32? { free[bus]?.popLast() }

  package func freeCount(_ bus: Bus) -> Int { free[bus]?.count ?? 0 }

  /// The first damage that has been come upon of what feeds a voice.
  package func damage(of voice: Int32) -> SoundDamage? { feeds.slots[Int(voice)].damage }

  /// Ends the voice's feed and frees the slot, which has ended: at once, or live as soon as its decoder lets go.
  package mutating func giveBack(_ voice: Int32) {
    leaving.append(voice)
    feeds.end(Int(voice), within: patience)
    reclaim()
  }

  /// Frees the slots whose decoders have let go.
  package mutating func reclaim() {
    for voice in leaving where feeds.slots[Int(voice)].endAtOnce() {
      free[busOfSlot[Int(voice)], default: []].append(voice)
      leaving.removeAll { $0 == voice }
    }
  }

  /// Has a leased voice fed, and starts its part.
  ///
  /// - Parameter ordinal: voices are summed in this order, so that a mix has the same bits every time.
  package mutating func start(_ voice: Int32, _ part: VoicePart, ordinal: Int, from sound: PrimedSound) {
    feeds.slots[Int(voice)].begin(sound)
    feeds.kick()
    ordinals[Int(voice)] = Int64(ordinal)
    command(voice, part, at: part.begin)
  }

  /// Commands the part of a voice that is fed already, after a halt at `frame`.
  package mutating func restart(_ voice: Int32, _ part: VoicePart, at frame: FrameTime) {
    command(voice, part, at: max(frame, part.begin))
  }

  private mutating func command(_ voice: Int32, _ part: VoicePart, at frame: FrameTime) {
    let start = VoiceStart(
      voice: voice, ordinal: ordinals[Int(voice)], bus: busOfSlot[Int(voice)], begin: part.begin, length: part.length,
      isUnderWay: part.begin < frame, gain: part.gain.linear, fadeIn: part.fadeIn ?? .unity,
      fadeOut: part.fadeOut ?? .unity, leave: part.leave ?? .unity,
      ramp: part.ramp ?? .unity)
    send(.start(start), at: frame)
  }

  /// The music steps back for an owner, or comes forward again: from where it is when the fade begins at `frame` or
  /// later, as the fade says when it began before.
  package mutating func duck(for owner: Int32, by fade: Fade, at frame: FrameTime) {
    send(.duck(owner: owner, fade), at: frame)
  }

  /// Moves the master volume, as `duck` does.
  package mutating func master(_ fade: Fade, at frame: FrameTime) {
    send(.master(fade), at: frame)
  }

  /// Moves the volume of one bus, as `duck` does.
  package mutating func volume(of bus: Bus, _ fade: Fade, at frame: FrameTime) {
    send(.volume(bus, fade), at: frame)
  }

  /// Closes or opens everything for a pause, as `duck` does.
  package mutating func gate(_ fade: Fade, at frame: FrameTime) {
    send(.gate(fade), at: frame)
  }

  /// The mixer takes commands in their order: behind one that waits, all wait.
  private mutating func send(_ action: RenderCommand.Action, at frame: FrameTime) {
    let command = RenderCommand(at: frame, action: action)
    if unsent.isEmpty, commands.push(command) { return }
    unsent.append(command)
  }

  /// Sends what found no room, as far as there is some now.
  ///
  /// - Returns: the first frame of what still waits, beyond which nothing may be rendered; `.endless` when nothing does.
  package mutating func sendRest() -> FrameTime {
    let sent = unsent.prefix { commands.push($0) }.count
    unsent.removeFirst(sent)
    return unsent.map(\.at).min() ?? .endless
  }

  /// Ends the render after the piece under way, whatever is planned.
  package func stop() {
    horizon.stop()
    poke()
  }

  /// Has the render stand still, and takes back what nobody has heard: everything is to be commanded anew.
  ///
  /// - Returns: the session frame from which on; nil when the render has ended.
  package mutating func halt() -> FrameTime? {
    unsent = []
    return horizon.halt(poke: poke)
  }

  /// What the mixer has reported since the last call, in its order.
  package mutating func nextReport() -> RenderReport? { reports.pop() }
}

/// What a voice plays: from which session frame on, how long, and the closed forms whose product is its gain; nil is 1.
package struct VoicePart: Sendable, Hashable {
  package var begin: FrameTime
  package var length: FrameCount
  package var gain: Gain
  package var fadeIn: Fade?
  package var fadeOut: Fade?
  package var leave: Fade?
  package var ramp: Fade?

  package init(
    begin: FrameTime, length: FrameCount, gain: Gain, fadeIn: Fade? = nil, fadeOut: Fade? = nil, leave: Fade? = nil,
    ramp: Fade? = nil
  ) {
    self.begin = begin
    self.length = length
    self.gain = gain
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.leave = leave
    self.ramp = ramp
  }
}
