package import Signal
import Rings

/// The control half of the engine: leases voices, has them fed, and commands the mixer. One owner at a time.
package struct Desk: ~Copyable, Sendable {
  package let horizon: Horizon

  private var commands: RingWriter<RenderCommand>
  private var reports: RingReader<RenderReport>
  private let feeds: Feeds
  /// Free slots of each bus, the one to be leased next at the end.
  private var free: [Bus: [Int32]]
  private let busOfSlot: [Bus]
  private var nextOrdinal: Int64 = 0

  init(
    commands: consuming RingWriter<RenderCommand>, reports: consuming RingReader<RenderReport>, counts: Engine.Voices,
    feeds: Feeds, horizon: Horizon
  ) {
    self.commands = commands
    self.reports = reports
    self.feeds = feeds
    self.horizon = horizon
    busOfSlot =
      Array(repeating: .music, count: counts.music) + Array(repeating: .overlays, count: counts.overlays)
      + Array(repeating: .effects, count: counts.effects)
    free = [:]
    for (slot, bus) in busOfSlot.enumerated().reversed() { free[bus, default: []].append(Int32(slot)) }
  }

  /// A voice of the bus, until `giveBack`; nil when all sound.
  package mutating func lease(_ bus: Bus) -> Int32? { free[bus]?.popLast() }

  package func hasFree(_ bus: Bus) -> Bool { free[bus]?.isEmpty == false }

  /// Ends the voice's feed and frees the slot, which has ended.
  ///
  /// - Returns: why its sound stopped before its end, if it did.
  package mutating func giveBack(_ voice: Int32) -> SourceError? {
    let failure = feeds.slots[Int(voice)].end()
    free[busOfSlot[Int(voice)], default: []].append(voice)
    return failure
  }

  /// Has a leased voice fed, and starts it at a session frame.
  ///
  /// - Returns: false when the mixer's agenda is full; then nothing has happened.
  package mutating func start(
    _ voice: Int32, at frame: FrameTime, length: FrameCount, gain: Gain, fades: VoiceFades, from decoder: any Decoder
  ) -> Bool {
    guard 0 < commands.free else { return false }
    feeds.slots[Int(voice)].begin(decoder, length: length)
    feeds.kick()
    nextOrdinal += 1
    let part = VoiceStart(
      voice: voice, ordinal: nextOrdinal, bus: busOfSlot[Int(voice)], length: length, gain: gain.linear,
      fadeIn: fades.fadeIn ?? .unity, fadeOut: fades.fadeOut ?? .unity, leave: fades.leave ?? .unity)
    return commands.push(RenderCommand(at: frame, action: .start(part)))
  }

  /// The music steps back for a voice, or comes forward again, from where it is.
  package mutating func duck(for voice: Int32, by fade: Fade, at frame: FrameTime) -> Bool {
    commands.push(RenderCommand(at: frame, action: .duck(voice: voice, fade)))
  }

  /// Moves the master volume from where it is.
  package mutating func master(_ fade: Fade) -> Bool {
    commands.push(RenderCommand(at: fade.start, action: .master(fade)))
  }

  /// What the mixer has reported since the last call, in its order.
  package mutating func nextReport() -> RenderReport? { reports.pop() }
}

/// The closed forms whose product is a voice's gain; nil is 1.
package struct VoiceFades: Sendable, Hashable {
  package var fadeIn: Fade?
  package var fadeOut: Fade?
  package var leave: Fade?

  package init(fadeIn: Fade?, fadeOut: Fade?, leave: Fade?) {
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.leave = leave
  }
}
