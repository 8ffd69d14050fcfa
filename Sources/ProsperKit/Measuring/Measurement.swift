import Engine
import Files
import Glibc
package import Levels
import Player
import Signal
package import Sounds
import Synchronization
import Timelines

/// The levels of a sound file, or of a session as it is rendered.
package struct Measurement: Sendable {
  /// The levels of the whole.
  package private(set) var levels: SoundLevels
  /// The levels of each stage of a session, up to the beginning of the next one; none for a sound file.
  package private(set) var stages: [(name: String, levels: SoundLevels)] = []
  /// The sample rate in hertz.
  package private(set) var sampleRate: Int
  /// The sounds that were damaged.
  package private(set) var damage: [SourceError] = []

  /// Measures a sound file to its end; waits for that. A file with one channel is measured in mono, one with more than
  /// two as it is mixed down.
  ///
  /// - Parameter progress: called with the part that has been measured, 0 to 1.
  package init(ofFile path: String, progress: (Double) -> Void = { _ in }) throws(MeasuringError) {
    let (library, source) = (Sounds(), SoundSource(.file(path: path)))
    do {
      let rate = try library.probe(source, at: .studio).rate.flatMap(SampleRate.init(hertz:)) ?? .studio
      let facts = try library.probe(source, at: rate)
      let decoder = try library.open(source, at: rate, from: 0)
      levels = try SoundLevels(of: decoder, rate: rate.hertz, channels: min(2, facts.channels), findsPeak: true) {
        progress(Double($0) / Double(max(1, facts.length)))
      }
      sampleRate = rate.hertz
      damage = [decoder.damage?.error].compactMap(\.self)
    } catch let error as SourceError { throw .sound(error) } catch { throw .library("\(error)") }
  }

  /// Renders a session, and measures what is heard.
  ///
  /// - Parameters:
  ///   - isMono: whether both channels are mixed before, each with half of its amplitude.
  ///   - progress: called with the part that has been measured, 0 to 1; on any thread.
  package init(
    of plan: SessionPlan, isMono: Bool = false, progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws(MeasuringError) {
    guard let timeline = plan.timeline, let programme = plan.programme else { throw .unplayable }
    let sink = try MeterSink(timeline, isMono: isMono, progress: progress)
    let setup = PlaybackSetup(programme: programme, library: plan.library, output: .sink(sink))
    if let stage = setup.endlessStage { throw .open(stage: stage) }
    let player: SessionPlayer
    do { player = try SessionPlayer(setup) } catch { throw .library(error.description) }
    let result = await player.perform()
    if let failure = result.failure { throw .library(failure.description) }
    (levels, stages) = sink.levels
    (sampleRate, damage) = (timeline.rate.hertz, result.damage)
  }
}

extension Measurement {
  /// The bits per second of a file, from its size without tags; nil if it has no length.
  package func bitRate(ofFile path: String) -> Double? {
    guard let size = AudioFileLibrary.soundSize(ofFile: path), 0 < levels.seconds else { return nil }
    return Double(size) * 8 / levels.seconds
  }
}

/// Why nothing can be measured.
package enum MeasuringError: Error, CustomStringConvertible {
  /// The sound can't be opened.
  case sound(SourceError)
  /// The session has problems, which its plan describes.
  case unplayable
  /// Only a listener ends this stage.
  case open(stage: String)
  /// What a library or the system reports, with a fix.
  case library(String)

  package var description: String {
    switch self {
    case .sound(let error): error.description
    case .unplayable: "the session can't be played; correct its file"
    case .open(let stage): "stage '\(stage)' is open, so the session has no end; give it a duration"
    case .library(let text): text
    }
  }
}

/// Measures a session while it is rendered.
private final class MeterSink: AudioSink {
  private struct State {
    var whole: SoundMeter
    var stages: [SoundMeter] = []
    /// The frame that comes next.
    var frame: FrameTime = 0
  }

  private let state: Mutex<State>
  private let names: [String]
  private let begins: [FrameTime]
  private let end: FrameTime
  private let isMono: Bool
  private let rate: Int
  private let progress: @Sendable (Double) -> Void

  init(
    _ timeline: Timelines.Timeline, isMono: Bool, progress: @escaping @Sendable (Double) -> Void
  ) throws(MeasuringError) {
    (self.isMono, self.progress, rate) = (isMono, progress, timeline.rate.hertz)
    (names, begins) = (timeline.stages.map(\.name), timeline.stages.map(\.begin))
    end = timeline.end ?? .endless
    do {
      state = Mutex(State(whole: try SoundMeter(rate: rate, channels: isMono ? 1 : 2, findsPeak: true)))
    } catch { throw .library("\(error)") }
  }

  /// The levels of the whole, and of each stage. Called after the render.
  var levels: (SoundLevels, [(name: String, levels: SoundLevels)]) {
    state.withLock { state in
      (state.whole.finish(), zip(names, state.stages.map { $0.finish() }).map { (name: $0, levels: $1) })
    }
  }

  func start(sampleRate: Int) {}
  func finish() {}
  func cancel() {}

  func write(_ frames: Span<StereoFrame>) throws {
    // A copy, because what is behind the lock must not keep a reference to the player's memory.
    let block = frames.withUnsafeBufferPointer { frames in
      frames.map { isMono ? Frame(mono: ($0.left + $0.right) / 2) : Frame(left: $0.left, right: $0.right) }
    }
    let frame = try state.withLock { state in
      state.whole.add(block[...])
      var rest = block[...]
      while !rest.isEmpty {
        while state.stages.count < begins.count, begins[state.stages.count] <= state.frame {
          state.stages.append(try SoundMeter(rate: rate, channels: isMono ? 1 : 2, findsPeak: true))
        }
        let next = state.stages.count < begins.count ? begins[state.stages.count] : .endless
        let part = rest.prefix(Int(min(FrameCount(rest.count), next - state.frame)))
        state.stages.last?.add(part)
        state.frame += FrameCount(part.count)
        rest = rest.dropFirst(part.count)
      }
      return state.frame
    }
    progress(end == .endless ? 0 : Double(frame) / Double(max(1, end)))
  }
}
