import Rings
package import Signal
package import Sounds

/// The control half of the engine: leases voices, starts their feeds and sends commands to the mixer.
///
/// It has one owner, the control thread. Only `halt` waits for the render loop.
package struct MixerControl: ~Copyable {
  /// Up to which frame the render may proceed, and has proceeded.
  package let renderSync: RenderSync

  private var commands: RingWriter<RenderCommand>
  /// Commands for which the ring had no room, in order.
  private var unsent: [RenderCommand] = []
  private var reports: RingReader<RenderReport>
  private let decoders: DecodingThreads
  /// The render of an output without a listener; nil if a thread of its own renders.
  private let offline: RenderLoop?
  /// The free slots of each bus. The last one is leased next.
  private var free: [Bus: [Int32]]
  /// Slots that were released, and can't be leased again yet because a piece is being decoded for them.
  private var releasing: [Int32] = []
  /// Seconds to wait, when a slot is released, for the piece that is being decoded for it.
  private let releaseTimeout: Double
  /// The bus of each slot: music first, then overlays, then effects.
  private let busOfSlot: [Bus]
  /// The ordinal of each slot's current sound, for `restart`.
  private var ordinals: [UInt128]
  /// Interrupts the render loop if it waits for the sink, so that it checks for requests of control.
  private let interrupt: @Sendable () -> Void

  init(
    _ commands: consuming RingWriter<RenderCommand>, _ reports: consuming RingReader<RenderReport>,
    _ counts: Engine.Voices, _ decoders: DecodingThreads, _ renderSync: RenderSync, offline: sending RenderLoop?,
    releaseTimeout: Double,
    interrupt: @escaping @Sendable () -> Void
  ) {
    self.commands = commands
    self.reports = reports
    self.decoders = decoders
    self.renderSync = renderSync
    self.offline = offline
    self.releaseTimeout = releaseTimeout
    busOfSlot =
      Array(repeating: .music, count: counts.music) + Array(repeating: .overlays, count: counts.overlays)
      + Array(repeating: .effects, count: counts.effects)
    ordinals = Array(repeating: 0, count: busOfSlot.count)
    self.interrupt = interrupt
    free = [:]
    for (slot, bus) in busOfSlot.enumerated().reversed() { free[bus, default: []].append(Int32(slot)) }
  }

  /// Leases a voice of the bus until `release`; nil if all of them are in use.
  package mutating func lease(_ bus: Bus) -> Int32? { free[bus]?.popLast() }

  /// How many voices of the bus can be leased now.
  package func freeCount(_ bus: Bus) -> Int { free[bus]?.count ?? 0 }

  /// The first damage that the decoder of a voice has found.
  package func damage(of voice: Int32) -> SoundDamage? { decoders.damage(in: Int(voice)) }

  /// Releases a leased voice that has ended. If a piece is still being decoded for it after `releaseTimeout`, its slot
  /// becomes free only with a later `reclaim`.
  package mutating func release(_ voice: Int32) {
    releasing.append(voice)
    decoders.end(Int(voice), within: releaseTimeout)
    reclaim()
  }

  /// Frees the released slots for which no piece is being decoded any more.
  package mutating func reclaim() {
    for voice in releasing where decoders.endAtOnce(Int(voice)) {
      free[busOfSlot[Int(voice)], default: []].append(voice)
      releasing.removeAll { $0 == voice }
    }
  }

  /// Starts to decode for a leased voice, and sends the command that starts it.
  ///
  /// - Parameter ordinal: voices are summed in this order, so that a mix has the same bits every time.
  package mutating func start(_ voice: Int32, _ part: VoicePart, ordinal: UInt128, from sound: PrimedSound) {
    decoders.begin(sound, in: Int(voice), length: needed(part))
    ordinals[Int(voice)] = ordinal
    command(voice, part, at: part.begin)
  }

  /// Sends the command that starts a voice again, after a halt at `frame`. The feed of the voice continues.
  package mutating func restart(_ voice: Int32, _ part: VoicePart, at frame: FrameTime) {
    decoders.extend(Int(voice), to: needed(part))
    command(voice, part, at: max(frame, part.begin))
  }

  /// How many frames of a voice's sound are decoded. In live playback all, even if the voice is planned to end earlier,
  /// because an edit may make it play longer.
  private func needed(_ part: VoicePart) -> FrameCount { offline == nil ? .endless : part.length }

  private mutating func command(_ voice: Int32, _ part: VoicePart, at frame: FrameTime) {
    let start = VoiceStart(
      voice: voice, ordinal: ordinals[Int(voice)], bus: busOfSlot[Int(voice)], begin: part.begin, length: part.length,
      isUnderWay: part.begin < frame, gain: part.gain.linear, fadeIn: part.fadeIn ?? .unity,
      fadeOut: part.fadeOut ?? .unity, leave: part.leave ?? .unity,
      ramp: part.ramp ?? .unity)
    send(.start(start), at: frame)
  }

  /// Ducks the music on behalf of an owner, the ordinal of a clip, or ends that. A fade that starts at `frame` or later
  /// starts from the owner's current gain; a fade that starts earlier is used unchanged.
  package mutating func duck(for owner: UInt128, by fade: Fade, at frame: FrameTime) {
    send(.duck(owner: owner, fade), at: frame)
  }

  /// Fades the master volume. The fade's start is treated as in `duck`.
  package mutating func master(_ fade: Fade, at frame: FrameTime) {
    send(.master(fade), at: frame)
  }

  /// Fades the volume of one bus. The fade's start is treated as in `duck`.
  package mutating func volume(of bus: Bus, _ fade: Fade, at frame: FrameTime) {
    send(.volume(bus, fade), at: frame)
  }

  /// Fades everything out before a pause, or in after it. The fade's start is treated as in `duck`.
  package mutating func transportFade(_ fade: Fade, at frame: FrameTime) {
    send(.transportFade(fade), at: frame)
  }

  /// Fades everything out when a command ends the session. The fade's start is treated as in `duck`.
  package mutating func closingFade(_ fade: Fade, at frame: FrameTime) {
    send(.closingFade(fade), at: frame)
  }

  /// Sends a command. If earlier ones are still queued because the ring was full, queues it after them, because
  /// commands of one frame are executed in order.
  private mutating func send(_ action: RenderCommand.Action, at frame: FrameTime) {
    let command = RenderCommand(at: frame, action: action)
    if unsent.isEmpty, commands.push(command) { return }
    unsent.append(command)
  }

  /// Sends the queued commands as far as the ring has room now.
  ///
  /// - Returns: the earliest frame of the commands that are still queued; nothing may be rendered from there on.
  ///   `.endless` if none are queued.
  package mutating func sendRest() -> FrameTime {
    let sent = unsent.prefix { commands.push($0) }.count
    unsent.removeFirst(sent)
    return unsent.map(\.at).min() ?? .endless
  }

  /// Renders into an output without a listener, as far as was planned and decoded.
  ///
  /// - Returns: for how many seconds control may sleep unless it is woken, see `RenderLoop.advance`; without limit
  ///   if a thread of its own renders.
  package func advance() -> Double { offline?.advance() ?? .infinity }

  /// Ends the render after the current piece, whatever is planned. Doesn't wait.
  package func stop() {
    renderSync.stop()
    interrupt()
  }

  /// Halts the render loop, and rewinds it to the first frame that the output can still replace. Waits until that is
  /// done. All commands from this frame on are dropped, and must be sent again.
  ///
  /// - Returns: the session frame from which the render continues; nil if the render has ended.
  package mutating func halt() -> FrameTime? {
    unsent = []
    return renderSync.halt { if let offline { offline.halt() } else { interrupt() } }
  }

  /// The oldest report of the mixer that has not been read yet.
  package mutating func nextReport() -> RenderReport? { reports.pop() }
}

/// What a voice plays and when. Its gain is the product of `gain` and the fades, each a closed form of the frame; a
/// fade of nil has the gain 1.
package struct VoicePart: Sendable, Hashable {
  /// The session frame of the sound's first frame.
  package var begin: FrameTime
  /// Frames from `begin` to the end; `.endless` if only the sound's own end ends it.
  package var length: FrameCount
  package var gain: Gain
  /// The fade at the clip's beginning.
  package var fadeIn: Fade?
  /// The fade into the clip that follows it.
  package var fadeOut: Fade?
  /// The fade-out when the clip's stage ends, or when another clip replaces it.
  package var leave: Fade?
  /// The short fade that avoids a click where the sound starts in its middle.
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
