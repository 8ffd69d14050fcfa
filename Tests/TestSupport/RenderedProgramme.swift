import Engine
package import Logging
package import Player
package import Schedule
package import Signal
package import Sounds
import Synchronization

/// The result of rendering a programme into memory.
package struct RenderedProgramme {
  package let frames: [Frame]
  package let events: [StampedEvent]
  package let performance: PlaybackResult
  /// The levels of the left channel.
  package let left: [Float]

  init(frames: [Frame], events: [StampedEvent], performance: PlaybackResult) {
    (self.frames, self.events, self.performance) = (frames, events, performance)
    left = frames.map(\.left)
  }

  /// The events as lines of JSON.
  package var lines: [String] { events.enumerated().map { $0.element.json(sequence: $0.offset + 1) } }
}

/// Renders a programme into memory, as fast as possible, with the same player that the command uses.
///
/// - Parameters:
///   - start: The session frame at which the render begins.
///   - journal: The edits of an earlier run.
///   - commands: Commands that the player receives at run times.
package func perform(
  _ programme: Programme, _ library: any SoundLibrary, from start: FrameTime = 0, after journal: Journal? = nil,
  blockLength: Int = 480, doing commands: TimedCommands? = nil, log: Logger = .dropping,
  reloading reload: ReloadedSession.Reading? = nil
) async -> RenderedProgramme {
  let sink = CollectingSink()
  let events = Mutex<[StampedEvent]>([])
  let player = AudioPlayerService(
    playing: programme, from: library, into: sink, at: start, after: journal,
    options: RenderOptions(blockLength: blockLength),
    script: commands,
    log: log, reloading: reload
  ) { event in events.withLock { $0.append(event) } }
  let performance = await player.play()
  return RenderedProgramme(frames: sink.frames, events: events.withLock { $0 }, performance: performance)
}
