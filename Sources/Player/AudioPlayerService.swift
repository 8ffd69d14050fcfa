public import Engine
public import Signal

/// The embeddable player: plays a programme from a library of sounds into a sink, does what a listener asks for, and
/// tells what happens.
public final class AudioPlayerService: Sendable {
  private let conductor: Conductor
  private let carrier: CommandCarrier
  private let queue: AsyncOperationQueue
  private let script: ScriptDesk?

  /// - Parameters:
  ///   - stage: the one to begin with, or one that comes before `start`; sounds of stages before its run are left out.
  ///   - start: the session frame at which to begin; what sounds there begins in its middle.
  ///   - blockLength: frames that the sink is handed at a time; no sample depends on it.
  ///   - script: commands that come by themselves.
  ///   - tell: called on the player's own thread with one event after the other; it should not wait.
  public init(
    playing programme: Programme, from library: any SoundLibrary, into sink: any Sink, stage: Int = 0,
    at start: FrameTime = 0, blockLength: Int = 4_096, script: (any Prompter)? = nil,
    tell: @escaping @Sendable (StampedEvent) -> Void
  ) {
    let queue = AsyncOperationQueue()
    let conductor = Conductor(
      Conductor.Assignment(
        programme: programme, stage: stage, start: start, library: library, sink: sink, blockLength: blockLength,
        tell: tell))
    let carrier = CommandCarrier(conductor: conductor, opener: Opener(library: library, rate: programme.rate))
    self.script = script.map { ScriptDesk($0) { await carrier.perform($0, in: queue) } }
    (self.queue, self.conductor, self.carrier) = (queue, conductor, carrier)
  }

  /// Plays to the end, or to what a command makes the end.
  public func play() async -> Performance {
    await withCheckedContinuation { continuation in
      OSThread.start { [conductor, script] in continuation.resume(returning: conductor.run(script: script)) }
    }
  }

  /// Carries commands of one instant out in order.
  ///
  /// - Returns: what became of each, in the same order.
  public func perform(_ commands: [Command]) async -> [CommandOutcome] { await carrier.perform(commands, in: queue) }

  public func perform(_ command: Command) async -> CommandOutcome {
    await perform([command]).first ?? .rejected(.ended)
  }

  /// Ends the session early under a fade of that many seconds, whatever waits; a second call ends it at once. From any
  /// thread.
  public func finish(fade seconds: Double, reason: FinishReason) {
    conductor.interrupt(Conductor.Interruption(reason: reason, fade: seconds))
  }

  /// How the queue of commands has done.
  public func queueMetrics() async -> QueueMetrics { await queue.metrics }
}
