import Engine
import Foundation
import Levels
import Signal
import TestSupport
import Testing

/// What is measured on its way to the output.
struct SessionMeterTests {
  private static let rate = SampleRate.studio
  private static let block = 4_096

  private static func noise(seconds: Double, gain: Float) -> [Frame] {
    TestSound.noise(Int(seconds * 48_000)).map { $0 * gain }
  }

  /// Passes frames as a render does: the bus first, then the output.
  private static func pass(_ frames: [Frame], from frame: FrameTime, to observer: any FrameObserver) {
    for begin in stride(from: 0, to: frames.count, by: block) {
      let part = Array(frames[begin..<min(begin + block, frames.count)])
      part.withUnsafeBufferPointer {
        observer.mixed($0, of: .overlays, at: frame + FrameCount(begin))
        observer.heard($0, at: frame + FrameCount(begin))
      }
    }
  }

  private static func levels(of frames: [Frame]) throws -> SoundLevels {
    let meter = try SoundMeter(rate: 48_000)
    meter.add(frames[...])
    return meter.finish()
  }

  @Test func `a render is measured completely, and each span by itself`() throws {
    let (soft, loud) = (Self.noise(seconds: 20, gain: 0.05), Self.noise(seconds: 10, gain: 0.5))
    let meter = try SessionMeter(at: Self.rate, from: 0, waits: true, holding: 0)
    let observer = try #require(meter.observer)
    #expect(meter.observer == nil, "there is one thread that renders")
    Self.pass(soft + loud, from: 0, to: observer)
    let sound = try #require(meter.finish())
    let whole = try Self.levels(of: soft + loud)
    #expect(sound.levels.integrated == whole.integrated && sound.levels.seconds == 30)
    #expect(abs(sound.loudness(from: 0, to: 20) - (try Self.levels(of: soft).integrated)) < 0.01)
    #expect(abs(sound.loudness(from: 20, to: 30) - (try Self.levels(of: loud).integrated)) < 0.01)
    #expect(sound.loudness(from: 30, to: 40) == -.infinity)
    let trace = try #require(sound.traces[.overlays])
    #expect(trace.peaks.max() == loud.map(\.peak).max())
    let ratio =
      try #require(sound.power(of: .overlays, from: 22, to: 28)) / #require(
        sound.power(of: .overlays, from: 5, to: 15))
    #expect(abs(10 * log10(ratio) - 20) < 0.1)
    #expect(sound.power(of: .music, from: 0, to: 30) == nil)
  }

  @Test func `what a command replaces is not measured`() throws {
    let (first, second) = (Self.noise(seconds: 12, gain: 0.5), Self.noise(seconds: 9, gain: 0.02))
    // Within a block, and less than what an output holds ago.
    let cut = 8 * 48_000 + 1_234
    let meter = try SessionMeter(at: Self.rate, from: 0, waits: true, holding: 6)
    let observer = try #require(meter.observer)
    Self.pass(first, from: 0, to: observer)
    observer.rewound(to: FrameTime(cut))
    Self.pass(second, from: FrameTime(cut), to: observer)
    let sound = try #require(meter.finish())
    let heard = try Self.levels(of: first[..<cut] + second)
    #expect(sound.levels.integrated == heard.integrated && sound.levels.seconds == heard.seconds)
    let late = try #require(sound.power(of: .overlays, from: 9, to: 16))
    let early = try #require(sound.power(of: .overlays, from: 1, to: 7))
    #expect(abs(10 * log10(early / late) - 27.96) < 0.1)
  }

  @Test func `layers that are mixed long before the output, as in a lead-in, are measured`() throws {
    let frames = Self.noise(seconds: 2, gain: 0.5)
    let meter = try SessionMeter(at: Self.rate, from: 0, waits: true, holding: 6)
    let observer = try #require(meter.observer)
    frames.withUnsafeBufferPointer { observer.mixed($0, of: .music, at: 0) }
    // The thread now reads the layer alone.
    let sound = try #require(meter.finish())
    #expect(sound.levels.seconds == 0 && sound.traces[.music]?.peaks.max() == frames.map(\.peak).max())
  }

  @Test func `a block may be longer than the ring, and what was lost is silence of its length`() throws {
    let frames = Self.noise(seconds: 45, gain: 0.5)
    let meter = try SessionMeter(at: Self.rate, from: 0, waits: true, holding: 0)
    let observer = try #require(meter.observer)
    frames.withUnsafeBufferPointer { observer.heard($0, at: 0) }
    // Five seconds are missing.
    frames.withUnsafeBufferPointer { observer.heard($0, at: 50 * 48_000) }
    let sound = try #require(meter.finish())
    let silence = [Frame](repeating: .silence, count: 5 * 48_000)
    #expect(sound.levels == (try Self.whole(frames + silence + frames)))
  }

  private static func whole(_ frames: [Frame]) throws -> SoundLevels {
    let meter = try SoundMeter(rate: 48_000)
    meter.add(frames[...])
    return meter.finish()
  }
}

extension SessionMeterTests {
  /// The thread that measures reads while the other one writes. Where it catches up, a piece may be there before its
  /// frames, if they are written in the wrong order.
  @Test func `no frame is lost where the measurement catches up with the render`() throws {
    let meter = try SessionMeter(at: Self.rate, from: 0, waits: true, holding: 0)
    let observer = try #require(meter.observer)
    let frames = Self.noise(seconds: Double(Self.block) / 48_000, gain: 0.25)
    // Slower than the measurement, which therefore catches up again and again.
    let work = try SoundMeter(rate: 48_000)
    let blocks = 3_600 * 48_000 / frames.count
    frames.withUnsafeBufferPointer { frames in
      for block in 0..<blocks {
        for _ in 0..<3 { work.add(frames) }
        observer.heard(frames, at: FrameTime(block * frames.count))
      }
    }
    let levels = try #require(meter.finish()).levels
    #expect(levels.seconds == Double(blocks * frames.count) / 48_000)
    // What is missed counts as silence.
    #expect(levels.longestSilence == 0)
  }
}
