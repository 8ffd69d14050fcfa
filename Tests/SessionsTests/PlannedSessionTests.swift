import AudioFiles
import Encoding
import Engine
import Foundation
import GeneratedSounds
import Player
import Signal
import Sounds
import Synchronization
import TestSupport
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// Whole sessions, each frame of which is the planned one.
@Suite struct PlannedSessionTests {
  @Test(arguments: ["first-sit.yaml", "three-stages.json", "zazen.json", "body-scan.yaml", "sleep.yaml"])
  func `a packaged session sounds as planned`(name: String) async throws {
    let path = URL(fileURLWithPath: #filePath + "/../../../sessions/\(name)").standardized.path
    let reading = try SessionReader(catalogue: GeneratorDescription.builtIn).read(path: path)
    var session = try #require(reading.session)
    session.sampleRate = SampleRate(hertz: 8_000)
    let heard = try await hear(session)
    #expect(heard.firstWrong == nil)
  }

  /// Recordings of instruments and rooms from Debian's sonic-pi-samples, half of them as MP3 files at another rate.
  private static let recordings = """
    prosper: 1
    title: Half an hour of recordings
    sampleRate: 24000
    volume: 0.8
    fadeIn: 2s
    fadeOut: 5s
    crossfade: {duration: 1500ms, curve: equalPower}
    stages:
      - name: Arrive
        duration: 10m
        tracks: [FOLDER/ambi_glass_hum.flac, guit_em9.mp3, FOLDER/guit_e_slide.flac]
        gongs: [{sound: guit_harmonics.mp3, every: 1m}]
      - name: Practice
        duration: 12m
        crossfade: {duration: 6s, curve: sCurve}
        volume: -3dB
        tracks: [loop_safari.mp3, FOLDER/loop_tabla.flac]
        overlays:
          - {sound: FOLDER/ambi_swoosh.flac, at: 30s, fadeIn: 500ms, fadeOut: 500ms, repeat: {times: 20, delay: 20s}}
      - name: Return
        duration: 8m
        crossfade: {duration: 6s, curve: logarithmic}
        tracks: [guit_em9.mp3, FOLDER/ambi_glass_hum.flac]
        gongs: [{sound: FOLDER/guit_e_fifths.flac, at: [start, end], volume: 0.3}]
    """

  @Test func `half an hour of real recordings has no gap, no click and no sample above full scale`() async throws {
    let folder = "/usr/share/sonic-pi/samples"
    let scratch = URL(fileURLWithPath: NSTemporaryDirectory() + UUID().uuidString)
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    for name in ["guit_em9", "guit_harmonics", "loop_safari"] {
      try convert("\(folder)/\(name).flac", to: scratch.appendingPathComponent("\(name).mp3").path)
    }
    let text = Self.recordings.replacing("FOLDER", with: folder)
    let reading = SessionReader(catalogue: GeneratorDescription.builtIn)
      .read(text: text, path: "recordings.yaml", folder: scratch.path)
    #expect(reading.diagnostics.isEmpty)
    let heard = try await hear(try #require(reading.session))
    // A frame that differs from the plan would be a click.
    #expect(heard.firstWrong == nil)
    #expect(heard.peak <= 1)
    #expect(heard.count >= 1_800 * 24_000)
    // There is music up to the final fade.
    #expect(heard.quietest[20..<17_940].min() ?? 0 > 0.001)
  }

  private func convert(_ path: String, to target: String) throws {
    let rate = try #require(SampleRate(hertz: 48_000))
    let sound = try AudioFileLibrary().open(SoundSource(.file(path: path)), at: rate, from: 0)
    let sink = try FileSink(path: target)
    try sink.start(at: rate)
    var frames = [Frame](repeating: .silence, count: 48_000)
    while case let count = frames.withUnsafeMutableBufferPointer({ sound.read(into: $0) }), 0 < count {
      try frames.prefix(count).withUnsafeBufferPointer { try sink.write($0) }
    }
    try sink.finish()
  }

  private func hear(_ session: Session) async throws -> PlannedSink.Heard {
    let timeline = try Timeline.compile(session, library: AllSounds()).timeline
    let sink = PlannedSink(PlannedMix(of: timeline, from: AllSounds()), window: Int(timeline.rate.frames(0.1)))
    let player = AudioPlayerService(playing: timeline.programme, from: AllSounds(), into: sink) { _ in }
    let performance = await player.play()
    #expect(performance.reason == .completed && performance.damage.isEmpty)
    #expect(sink.result.count == Int(try #require(timeline.end)))
    return sink.result
  }
}

/// Recordings and built-in sounds.
private struct AllSounds: SoundLibrary {
  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    try library(of: source).probe(source, at: rate)
  }

  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
    try library(of: source).open(source, at: rate, from: offset)
  }

  private func library(of source: SoundSource) -> any SoundLibrary {
    if case .generated = source.origin { return GeneratedSoundLibrary() }
    return AudioFileLibrary()
  }
}

/// Compares the sound with the plan, frame by frame, without keeping it.
private final class PlannedSink: Sink {
  struct Heard {
    var count = 0
    var peak: Float = 0
    /// The peak of each window.
    var quietest: [Float] = []
    /// The first frame that differs from the plan.
    var firstWrong: Int?
  }

  let pace = Pace.players
  private let window: Int
  private let state: Mutex<(mix: PlannedMix, heard: Heard, windowPeak: Float)>

  init(_ mix: PlannedMix, window: Int) {
    self.window = window
    state = Mutex((mix, Heard(), 0))
  }

  var result: Heard { state.withLock(\.heard) }
  var heard: FrameCount { FrameCount(state.withLock(\.heard.count)) }

  func start(at rate: SampleRate) throws(SinkError) {}

  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    state.withLock { state in
      let planned = try? state.mix.next(block.count)
      for (index, frame) in block.enumerated() {
        let wanted = planned?[index] ?? Frame(mono: .nan)
        let isRight = abs(frame.left - wanted.left) < 2e-6 && abs(frame.right - wanted.right) < 2e-6
        if !isRight, state.heard.firstWrong == nil { state.heard.firstWrong = state.heard.count }
        state.windowPeak = max(state.windowPeak, frame.peak)
        state.heard.count += 1
        if state.heard.count % window == 0 {
          state.heard.quietest.append(state.windowPeak)
          state.heard.peak = max(state.heard.peak, state.windowPeak)
          state.windowPeak = 0
        }
      }
    }
  }

  func finish() throws(SinkError) {}
  func abandon() {}
}
