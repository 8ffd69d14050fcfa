package import Signal
import Rings

/// Creates both halves of the engine together: `MixerControl` for the control thread, and the render.
package enum Engine {
  /// How many voices each bus can play at once.
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

  /// The parameters of `start`.
  private struct Job {
    let sink: any Sink
    let rate: SampleRate
    let frame: FrameTime
    let counts: Voices
    let options: RenderOptions
    /// The maximum number of commands that wait for their frames.
    var commandCapacity: Int { 4 * counts.total + 64 }
    var reportCapacity: Int { 8 * counts.total + 256 }
  }

  /// Starts a render into `sink` from session frame `frame` on. Nothing is rendered until control has advanced
  /// `MixerControl.renderSync`. A render for a listener has a thread of its own; otherwise control renders, by calling
  /// `MixerControl.advance`.
  ///
  /// - Parameters:
  ///   - start: runs a closure on a new thread; returns false if the system can't create one.
  ///   - ended: called once, on the thread that renders, after the sink has been finished (nil) or has failed. If a
  ///     thread can't be created, it is called before this function returns.
  /// - Returns: the control half.
  package static func start(
    into sink: any Sink, at rate: SampleRate, from frame: FrameTime, voices counts: Voices, _ options: RenderOptions,
    on start: (sending @escaping () -> Void) -> Bool = OSThread.start,
    ended: @escaping @Sendable (SinkError?) -> Void
  ) -> MixerControl {
    let job = Job(sink: sink, rate: rate, frame: frame, counts: counts, options: options)
    return sink.pace == .listener
      ? startLive(job, on: start, ended: ended) : startOffline(job, on: start, ended: ended)
  }

  private static func startLive(
    _ job: Job, on start: (sending @escaping () -> Void) -> Bool, ended: @escaping @Sendable (SinkError?) -> Void
  ) -> MixerControl {
    let commands = Ring<RenderCommand>(capacity: job.commandCapacity)
    let reports = Ring<RenderReport>(capacity: job.reportCapacity)
    let (sink, counts) = (job.sink, job.counts)
    let voices = UnsafeMutablePointer<Voice>.allocate(capacity: counts.total)
    var slots: [VoiceFeed] = []
    // A live output can be rewound, so its rings also keep as many frames as a sink may have buffered.
    let held = Int(job.rate.frames(maximumBufferedSeconds))
    for index in 0..<counts.total {
      let size = index < counts.music ? held + 131_072 : ringSize(at: job.rate)
      let ring = Ring<Frame>(capacity: size, holding: held)
      (voices + index).initialize(to: Voice(ring: ring.reader))
      slots.append(VoiceFeed(writer: ring.writer))
    }
    let feeds = DecodingThreads(slots: slots, threads: 2)
    let renderSync = RenderSync(from: job.frame)
    let mixer = Mixer(
      from: job.frame, commands: commands.reader, reports: reports.writer, agendaCapacity: job.commandCapacity,
      voices: voices, voiceCount: counts.total, stallLimit: job.rate.frames(0.5))
    let loop = RenderLoop(
      mixer: mixer, feeds: feeds, renderSync: renderSync, sink: sink, rate: job.rate, options: job.options)
    let end = { @Sendable (failure: SinkError?) in
      if failure != nil { sink.abandon() }
      feeds.close()
      renderSync.close()
      ended(failure)
    }
    let isRunning = feeds.start() ? start { run(loop, then: end) } : false
    if !isRunning { end(.noThread) }
    // Live playback never waits for a decoder.
    return MixerControl(
      commands: commands.writer, reports: reports.reader, counts: counts, feeds: feeds, renderSync: renderSync,
      offline: nil, releaseTimeout: 0
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

  private static func startOffline(
    _ job: Job, on start: (sending @escaping () -> Void) -> Bool, ended: @escaping @Sendable (SinkError?) -> Void
  ) -> MixerControl {
    let commands = Ring<RenderCommand>(capacity: job.commandCapacity)
    let reports = Ring<RenderReport>(capacity: job.reportCapacity)
    let (counts, options) = (job.counts, job.options)
    let voices = UnsafeMutablePointer<Voice>.allocate(capacity: counts.total)
    var lanes: [PieceLane] = []
    for index in 0..<counts.total {
      let isMusic = index < counts.music
      let ring = Ring<Frame>(capacity: options.ringSize(isMusic: isMusic))
      (voices + index).initialize(to: Voice(ring: ring.reader))
      // The ring of an overlay is too small for long pieces, and opening a branch costs more than a short piece.
      let canBranch = isMusic && 1 < options.jobs
      lanes.append(PieceLane(ring: ring.writer, pieceLength: options.pieceLength, canBranch: canBranch))
    }
    let renderSync = RenderSync(from: job.frame)
    let decoders = PieceDecoders(lanes: lanes, threads: options.jobs, dataReady: renderSync.progress)
    let mixer = Mixer(
      from: job.frame, commands: commands.reader, reports: reports.writer, agendaCapacity: job.commandCapacity,
      voices: voices, voiceCount: counts.total, stallLimit: job.rate.frames(0.5))
    let render = OfflineRender(
      mixer: mixer, decoders: decoders, renderSync: renderSync, sink: job.sink, rate: job.rate,
      options: options, ended: ended)
    if !decoders.start(on: start) { render.close(.noThread) }
    // A released slot affects which voices can start. A render waits for its decoder, so that the result doesn't depend
    // on the decoder's speed.
    return MixerControl(
      commands: commands.writer, reports: reports.reader, counts: counts, feeds: decoders, renderSync: renderSync,
      offline: render, releaseTimeout: 5
    ) {}
  }

  /// The minimum size in frames of the ring of an overlay or an effect in live playback. In a render it is smaller.
  package static func ringSize(at rate: SampleRate) -> Int { Int(rate.frames(maximumBufferedSeconds)) + 16_384 }

  /// More seconds than any live sink buffers.
  private static let maximumBufferedSeconds = 7.0
}
