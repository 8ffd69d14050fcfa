package import Engine
import Glibc
package import Signal
package import Sounds

/// Measures all levels of a sound. Used by one thread at a time.
package final class SoundMeter {
  private let loudness: LoudnessMeter
  private let findsPeak: Bool
  private let rate: Int
  private let channels: Int
  private var levels = SoundLevels()
  /// Frames so far.
  private(set) package var count: FrameCount = 0
  /// The largest magnitude so far.
  private var peak: Float = 0
  /// The sum of the squares of all samples so far, without those of the current step.
  private var energy = 0.0
  /// The same of the last five complete steps.
  private var lastSteps: [Double] = []
  private var gated = GatedLoudness()
  /// The smallest energy of half a second.
  private var quietest = Double.infinity
  /// Frames since the last sample above the threshold of silence.
  private var silence: FrameCount = 0
  private var longestSilence: FrameCount = 0
  /// The frames after the loudest sample, and after the longest silence.
  private var (peakEnd, silenceEnd): (FrameCount, FrameCount) = (0, 0)
  /// The momentary loudness in LUFS after each 0.1 s.
  package var trace: [Float] { gated.trace }

  /// The frames of 0.1 s, after which momentary and short-term loudness are read.
  private let step: Int
  private var left: Int

  /// −60 dBFS.
  private static let silenceThreshold: Float = 0.001
  /// 32,767 of 32,768.
  private static let fullScale: Float = 32_767 / 32_768
  /// The frames that are added at once where nothing in them stands out.
  private static let block = 64
  /// The steps of 0.4 s. A shorter sound is measured as if silence followed.
  private static let leastSteps = 4

  /// - Parameters:
  ///   - channels: 1 measures the left channel only.
  ///   - findsPeak: whether the true peak is measured, which takes several times as long as everything else.
  package init(rate: Int, channels: Int = 2, findsPeak: Bool = false) throws(LibraryFailure) {
    loudness = try LoudnessMeter(rate: rate, channels: channels, findsPeak: findsPeak)
    (self.rate, self.channels, self.findsPeak) = (rate, channels, findsPeak)
    step = max(1, (rate + 5) / 10)
    left = step
  }

  package func add(_ frames: ArraySlice<Frame>) { frames.withUnsafeBufferPointer { add($0) } }

  package func add(_ frames: UnsafeBufferPointer<Frame>) {
    var rest = frames
    while !rest.isEmpty {
      let part = UnsafeBufferPointer(rebasing: rest.prefix(left))
      rest = UnsafeBufferPointer(rebasing: rest[part.count...])
      addWithinStep(part)
      left -= part.count
      if left == 0 { endStep() }
    }
  }

  private func addWithinStep(_ frames: UnsafeBufferPointer<Frame>) {
    loudness.add(frames)
    var rest = frames
    while !rest.isEmpty {
      let block = UnsafeBufferPointer(rebasing: rest.prefix(Self.block))
      rest = UnsafeBufferPointer(rebasing: rest[block.count...])
      if channels == 1 || !addQuickly(block) { addSingly(block) }
    }
  }

  /// Adds a block without looking at each of its frames.
  ///
  /// - Returns: false if the block may contain a new peak, a sample at full scale or the longest silence; nothing has been
  ///   added then.
  private func addQuickly(_ frames: UnsafeBufferPointer<Frame>) -> Bool {
    let level = BlockLevel(of: frames)
    guard level.peak <= peak, level.peak < Self.fullScale else { return false }
    let isHeard = { (frame: Frame) in Self.silenceThreshold < max(abs(frame.left), abs(frame.right)) }
    let first = level.peak <= Self.silenceThreshold ? nil : frames.firstIndex(where: isHeard)
    let before = silence + FrameCount(first ?? frames.count)
    guard before <= surpassed else { return false }
    silence = first == nil ? before : FrameCount(frames.reversed().prefix { !isHeard($0) }.count)
    count += FrameCount(frames.count)
    return true
  }

  /// The length that a silence must surpass to be the longest one. Within a block none counts: a wave that crosses zero is
  /// not silent.
  private var surpassed: FrameCount { max(longestSilence, FrameCount(Self.block)) }

  private func addSingly(_ frames: UnsafeBufferPointer<Frame>) {
    var position = count
    for frame in frames {
      position += 1
      let (left, right) = (abs(frame.left), channels == 1 ? 0 : abs(frame.right))
      let magnitude = max(left, right)
      if peak < magnitude { (peak, peakEnd) = (magnitude, position) }
      if Self.fullScale <= left { levels.fullScaleSamples += 1 }
      if Self.fullScale <= right { levels.fullScaleSamples += 1 }
      silence = magnitude <= Self.silenceThreshold ? silence + 1 : 0
      if surpassed < silence { (longestSilence, silenceEnd) = (silence, position) }
    }
    count += FrameCount(frames.count)
  }

  private func endStep() {
    let step = loudness.endStep()
    gated.append(step.power)
    note(momentary: gated.momentary, shortTerm: gated.shortTerm)
    energy += step.energy
    lastSteps.append(step.energy)
    if lastSteps.count == 5 {
      quietest = min(quietest, lastSteps.reduce(0, +))
      lastSteps.removeFirst()
    }
    left = self.step
  }

  private func note(momentary: Double, shortTerm: Double) {
    if levels.momentary < momentary {
      (levels.momentary, levels.momentaryAt) = (momentary, Double(count) / Double(rate))
    }
    levels.shortTerm = max(levels.shortTerm, shortTerm)
  }

  /// The levels of everything so far. Nothing can be added afterwards.
  package func finish() -> SoundLevels {
    var levels = levels
    (levels.seconds, levels.channels) = (Double(count) / Double(rate), channels)
    levels.samplePeak = Self.decibels(power: Double(peak) * Double(peak))
    levels.longestSilence = Double(longestSilence) / Double(rate)
    pad()
    let samples = Double(count) * Double(channels)
    levels.rms = Self.decibels(power: samples == 0 ? 0 : energy / samples)
    levels.noiseFloor =
      quietest.isFinite ? Self.decibels(power: quietest / Double(5 * step * channels)) : levels.rms
    note(momentary: gated.momentary, shortTerm: gated.shortTerm)
    (levels.momentary, levels.momentaryAt) = (self.levels.momentary, self.levels.momentaryAt)
    levels.shortTerm = self.levels.shortTerm
    levels.samplePeakAt = Double(max(0, peakEnd - 1)) / Double(rate)
    levels.longestSilenceAt = Double(silenceEnd - longestSilence) / Double(rate)
    (levels.integrated, levels.range) = (gated.integrated, gated.range)
    if findsPeak {
      // Oversampling is exact to less than a hundredth of a decibel, and the sample itself is known.
      levels.truePeak = max(levels.samplePeak, 20 * log10(loudness.truePeak))
    }
    return levels
  }

  /// Adds silence up to the shortest length that can be measured, and the energy of the last, incomplete step.
  private func pad() {
    while gated.steps.count < Self.leastSteps {
      let silence = [Frame](repeating: .silence, count: left)
      silence.withUnsafeBufferPointer { loudness.add($0) }
      let step = loudness.endStep()
      gated.append(step.power)
      energy += step.energy
      left = self.step
    }
    energy += loudness.endStep().energy
  }

  private static func decibels(power: Double) -> Double { 10 * log10(power) }
}

extension SoundLevels {
  /// Measures a sound to its end. Waits for the disk or the network.
  ///
  /// - Parameters:
  ///   - rate: that of the decoder.
  ///   - channels: 1 measures the left channel only.
  ///   - limit: the number of frames after which a sound without an end is no longer read.
  ///   - progress: called after each piece with the number of frames so far.
  package init(
    of decoder: any Decoder, rate: Int, channels: Int = 2, findsPeak: Bool = false,
    limit: FrameCount = .endless, progress: (FrameCount) -> Void = { _ in }
  ) throws(LibraryFailure) {
    let meter = try SoundMeter(rate: rate, channels: channels, findsPeak: findsPeak)
    var frames = [Frame](repeating: .silence, count: 16_384)
    while meter.count < limit {
      let wanted = Int(min(FrameCount(frames.count), limit - meter.count))
      let read = frames.withUnsafeMutableBufferPointer { buffer in
        let read = decoder.read(into: UnsafeMutableBufferPointer(rebasing: buffer[..<wanted]))
        meter.add(UnsafeBufferPointer(rebasing: buffer[..<read]))
        return read
      }
      if read < wanted { break }
      progress(meter.count)
    }
    self = meter.finish()
  }
}
