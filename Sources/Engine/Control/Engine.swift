package import Signal
import Rings

/// Both halves of the engine, made together: the desk for control, and the loop on a thread of its own.
package enum Engine {
  /// How many voices each bus can sound at once.
  package struct Voices: Sendable, Hashable {
    package var music: Int
    package var overlays: Int
    package var effects: Int

    package init(music: Int, overlays: Int, effects: Int) {
      self.music = music
      self.overlays = overlays
      self.effects = effects
    }

    var total: Int { music + overlays + effects }
  }

  /// Starts rendering into `sink` from a session frame on, as soon as control has advanced the horizon.
  ///
  /// - blockLength: frames that the sink is handed at a time; no sample depends on it.
  /// - ended: called on the loop's thread when the sink has been finished, or has failed.
  package static func start(
    into sink: any Sink, at rate: SampleRate, from frame: FrameTime, voices counts: Voices, blockLength: Int,
    ended: @escaping @Sendable (SinkError?) -> Void
  ) -> Desk {
    let agendaCapacity = 4 * counts.total + 64
    let commands = Ring<RenderCommand>(capacity: agendaCapacity)
    let reports = Ring<RenderReport>(capacity: 8 * counts.total + 256)
    let voices = UnsafeMutablePointer<Voice>.allocate(capacity: counts.total)
    var slots: [Feed] = []
    for index in 0..<counts.total {
      let (capacity, held) = ringSize(isMusic: index < counts.music, pace: sink.pace, at: rate)
      let ring = Ring<Frame>(capacity: capacity, holding: held)
      (voices + index).initialize(to: Voice(ring: ring.reader))
      slots.append(Feed(writer: ring.writer))
    }
    let feeds = Feeds(slots: slots, threads: 2)
    let horizon = Horizon(from: frame)
    let mixer = Mixer(
      from: frame, commands: commands.reader, reports: reports.writer, agendaCapacity: agendaCapacity,
      voices: voices, voiceCount: counts.total, patience: rate.frames(0.5))
    let loop = RenderLoop(
      mixer: mixer, feeds: feeds, horizon: horizon, sink: sink, rate: rate, blockLength: blockLength)
    feeds.start()
    OSThread.start {
      var failure: SinkError?
      do throws(SinkError) {
        try loop.run()
      } catch {
        sink.abandon()
        failure = error
      }
      feeds.close()
      horizon.close()
      ended(failure)
    }
    return Desk(
      commands: commands.writer, reports: reports.reader, counts: counts, feeds: feeds, horizon: horizon,
      // The sound of a render doesn't depend on who is quick; a listener waits for nobody.
      patience: sink.pace == .players ? 5 : 0
    ) {
      sink.interrupt()
      feeds.interrupt()
    }
  }

  /// Frames of a voice's ring. Live it holds back what can be taken back: all that a sink has in hand.
  private static func ringSize(isMusic: Bool, pace: Pace, at rate: SampleRate) -> (capacity: Int, held: Int) {
    guard pace == .listener else { return (isMusic ? 131_072 : 16_384, 0) }
    let held = Int(rate.frames(secondsInHand))
    return (held + (isMusic ? 131_072 : 16_384), held)
  }

  /// The most that a live sink has written and not yet let the listener hear, and some to spare.
  private static let secondsInHand = 7.0
}
