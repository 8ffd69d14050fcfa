import Glibc
import Signal

/// The amplitude of one frequency, in hertz, under a Hann window: 1 for a sine at full scale.
func tone(_ frequency: Double, in samples: [Float], at rate: SampleRate) -> Double {
  let rotation = 2 * Double.pi * frequency / Double(rate.hertz)
  let window = 2 * Double.pi / Double(samples.count)
  var (re, im) = (0.0, 0.0)
  samples.withUnsafeBufferPointer { samples in
    for index in 0..<samples.count {
      let value = Double(samples[index]) * (1 - cos(window * Double(index)))
      re += value * cos(rotation * Double(index))
      im += value * sin(rotation * Double(index))
    }
  }
  return 2 * hypot(re, im) / Double(samples.count)
}

/// The power around a frequency in decibels, added up over `pieces` of the sound and over a few frequencies within an
/// octave.
func density(_ frequency: Double, in samples: [Float], at rate: SampleRate, pieces: Int = 24) -> Double {
  let length = samples.count / pieces
  var power = 0.0
  for piece in 0..<pieces {
    let part = Array(samples[piece * length..<(piece + 1) * length])
    for share in [0.8, 0.9, 1, 1.11, 1.25] {
      let amplitude = tone(frequency * share, in: part, at: rate)
      power += amplitude * amplitude
    }
  }
  return 10 * log10(power)
}

func peak(_ frames: [Frame]) -> Float {
  frames.withUnsafeBufferPointer { frames in
    var peak: Float = 0
    for index in 0..<frames.count { peak = max(peak, frames[index].peak) }
    return peak
  }
}

/// The root mean square of both channels in dBFS.
func level(_ frames: [Frame]) -> Double {
  frames.withUnsafeBufferPointer { frames in
    var power = 0.0
    for index in 0..<frames.count {
      power += Double(frames[index].left * frames[index].left + frames[index].right * frames[index].right)
    }
    return 10 * log10(power / Double(2 * frames.count))
  }
}

/// The largest change of slope from one frame to the next, which reveals a click.
func roughness(_ samples: [Float]) -> Float {
  samples.withUnsafeBufferPointer { samples in
    var roughest: Float = 0
    for index in 1..<max(1, samples.count - 1) {
      roughest = max(roughest, abs(samples[index - 1] - 2 * samples[index] + samples[index + 1]))
    }
    return roughest
  }
}
