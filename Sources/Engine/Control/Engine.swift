package import Signal
import Rings

/// Creates both halves of the engine: a `MixerControl` for the control thread, and the render loop on a thread of its
/// own.
package enum Engine {
  /// The number of voices of each bus.
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

  /// Starts a render into `sink` from session frame `frame` on. Nothing is rendered before `RenderSync.advance` is
  /// called.
  ///
  /// - Parameters:
  ///   - blockLength: the maximum number of frames per write to the sink. It has no effect on the samples.
  ///   - leadIn: frames of silence that precede the session in the output.
  ///   - start: runs a closure on a new thread; returns false if the system can't create one.
  ///   - ended: called once, on the loop's thread, after the sink has been finished (nil) or has failed. If that thread
  ///     can't be created, it is called before this function returns.
  /// - Returns: the control half.
  package static func start(
    into sink: any Sink, at rate: SampleRate, from frame: FrameTime, voices counts: Voices, blockLength: Int,
    leadIn: FrameCount = 0,
    on start: (sending @escaping () -> Void) -> Bool = OSThread.start,
    ended: @escaping @Sendable (SinkError?) -> Void
  ) -> MixerControl {
    let agendaCapacity = 4 * counts.total + 64
    let commands = Ring<RenderCommand>(capacity: agendaCapacity)
    let reports = Ring<RenderReport>(capacity: 8 * counts.total + 256)
    let voices = UnsafeMutablePointer<Voice>.allocate(capacity: counts.total)
    var slots: [VoiceFeed] = []
    for index in 0..<counts.total {
      let (capacity, held) = ringSize(isMusic: index < counts.music, pace: sink.pace, at: rate)
      let ring = Ring<Frame>(capacity: capacity, holding: held)
      (voices + index).initialize(to: Voice(ring: ring.reader))
      slots.append(VoiceFeed(writer: ring.writer))
    }
    let feeds = DecodingThreads(slots: slots, threads: 2)
    let renderSync = RenderSync(from: frame)
    let mixer = Mixer(
      from: frame, commands: commands.reader, reports: reports.writer, agendaCapacity: agendaCapacity,
      voices: voices, voiceCount: counts.total, patience: rate.frames(0.5))
    let loop = RenderLoop(
      mixer: mixer, feeds: feeds, renderSync: renderSync, sink: sink, rate: rate, blockLength: blockLength,
      leadIn: leadIn)
    let end = { @Sendable (failure: SinkError?) in
      if failure != nil { sink.abandon() }
      feeds.close()
      renderSync.close()
      ended(failure)
    }
    let isRunning = feeds.start() ? start { run(loop, then: end) } : false
    if !isRunning { end(.noThread) }
    return MixerControl(
      commands: commands.writer, reports: reports.reader, counts: counts, feeds: feeds, renderSync: renderSync,
      // A released slot affects which voices can start. In a render to a file, control therefore waits for the decoder,
      // so that the result doesn't depend on its speed. Live playback must not wait.
      patience: sink.pace == .players ? 5 : 0
    ) {
      sink.interrupt()
      feeds.interrupt()
    }
  }

  private static func run(_ loop: RenderLoop, then end: (SinkError?) -> Void) {
    do throws(SinkError) {
      try loop.run()
      end(nil)
    } catch { end(error) }
  }

  /// The size of a voice's ring in frames. A live output can be rewound, so its rings also keep as many frames as a
  /// sink may have buffered.
  private static func ringSize(isMusic: Bool, pace: Pace, at rate: SampleRate) -> (capacity: Int, held: Int) {
    guard pace == .listener else { return (isMusic ? 131_072 : 16_384, 0) }
    let held = Int(rate.frames(secondsInHand))
    return (held + (isMusic ? 131_072 : 16_384), held)
  }

  /// More seconds than any live sink buffers.
  private static let secondsInHand = 7.0
}
