import Foundation
import Signal
import Testing

/// Strikes of bells are distinguished from speech by their loudness over time.
@Suite struct EnvelopeTests {
  /// A tone of 200 Hz at 8 kHz, with a gain for each second.
  private func isStrike(_ seconds: Double, _ gain: (Double) -> Double) -> Bool {
    let frames = (0..<Int(seconds * 8_000)).map { index -> Frame in
      let time = Double(index) / 8_000
      return Frame(mono: Float(0.5 * gain(time) * sin(2 * .pi * 200 * time)))
    }
    var envelope = Envelope(rate: SampleRate(hertz: 8_000) ?? .cd)
    frames.withUnsafeBufferPointer { envelope.add($0) }
    return envelope.isStrike
  }

  private func decay(_ rate: Double) -> (Double) -> Double { { exp(-rate * $0) } }

  @Test(arguments: [0.3, 1, 4, 12, 29]) func `a sound that begins loud and decays is a strike`(seconds: Double) {
    #expect(isStrike(seconds, decay(4 / seconds)))
    // With silence around it, beats, and a fade-out.
    #expect(isStrike(seconds + 2) { $0 < 1 ? 0 : exp(-5 * ($0 - 1) / seconds) })
    #expect(isStrike(seconds) { exp(-4 * $0 / seconds) * (1 + 0.3 * sin(2 * .pi * 3 * $0)) * (1 - $0 / seconds) })
  }

  @Test(arguments: [0.5, 2, 4, 12, 29]) func `what swells or is as loud later is none, but a steady signal is one`(
    seconds: Double
  ) {
    #expect(!isStrike(seconds) { exp(-4 * (seconds - $0) / seconds) })
    #expect(isStrike(seconds) { _ in 1 })
    #expect(!isStrike(seconds) { sin(.pi * $0 / seconds) })
    // Words of different loudness, that get softer on the whole.
    let words = [0.8, 1, 0.4, 0.9, 0.3, 0.7, 0.5, 0.6]
    #expect(!isStrike(seconds) { words[min(7, Int(8 * $0 / seconds))] * abs(sin(8 * .pi * $0 / seconds)) })
    #expect(!isStrike(seconds) { _ in 0 })
  }
}
