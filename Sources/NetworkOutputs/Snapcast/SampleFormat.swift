import Signal

/// The format of a source of a Snapcast server: interleaved signed integers, little-endian.
package struct SampleFormat: Hashable, Sendable, CustomStringConvertible {
  /// Hertz.
  package var rate: Int
  /// 16, 24 or 32. 24 bits are the lowest ones of 32.
  package var bits: Int
  package var channels: Int

  /// - Parameter text: as in `snapserver.conf`: `RATE:BITS:CHANNELS`.
  init?(_ text: String) {
    let numbers = text.split(separator: ":").map { Int($0) }
    guard numbers.count == 3, let rate = numbers[0], let bits = numbers[1], let channels = numbers[2],
      SampleRate.range ~= rate, [16, 24, 32].contains(bits), 1...32 ~= channels
    else { return nil }
    (self.rate, self.bits, self.channels) = (rate, bits, channels)
  }

  package var description: String { "\(rate) Hz, \(bits) bits, \(channels) channel\(channels == 1 ? "" : "s")" }

  var bytesPerFrame: Int { channels * (bits == 16 ? 2 : 4) }

  /// The frames as bytes. A single channel gets both, mixed; of more than two, the first two get the sound.
  func bytes(_ frames: some Collection<Frame>) -> [UInt8] {
    var samples: [Float] = []
    samples.reserveCapacity(frames.count * channels)
    for frame in frames {
      if channels == 1 {
        samples.append((frame.left + frame.right) / 2)
      } else {
        samples += [frame.left, frame.right]
        samples += repeatElement(0, count: channels - 2)
      }
    }
    return samples.withUnsafeBufferPointer { samples in
      if bits == 16 { return bytes(of: samples) { Quantising.to16(samples, $0) } }
      return bytes(of: samples) { steps in
        Quantising.to24(samples, steps)
        if bits == 24 { for index in steps.indices { steps[index] >>= 8 } }
      }
    }
  }

  private func bytes<Step: FixedWidthInteger>(
    of samples: UnsafeBufferPointer<Float>, _ fill: (UnsafeMutableBufferPointer<Step>) -> Void
  ) -> [UInt8] {
    var steps = [Step](repeating: 0, count: samples.count)
    steps.withUnsafeMutableBufferPointer { steps in
      fill(steps)
      for index in steps.indices { steps[index] = steps[index].littleEndian }
    }
    return steps.withUnsafeBytes { Array($0) }
  }
}
