import Signal
import Sounds
import Synchronization

/// What directly precedes and follows a part of a file whose rate is converted, see `SoundJoin`.
///
/// The conversion of the part begins in the sound before it, at a point where a frame of the source and a frame of the
/// session coincide. All decoders of the part share the samples around it, which are read when the first one needs
/// them. Any thread may call the methods; they may wait for the disk.
final class SoundSeam: Sendable {
  /// The frames at the source's rate from the beginning of the conversion to the first one of the part.
  let lead: Int64
  /// The frames at the session's rate from the beginning of the conversion to the first one that is delivered.
  let skip: Int64
  private let join: SoundJoin
  private let read: Reading
  private let before = Mutex<[Float]?>(nil)
  private let after = Mutex<[Float]?>(nil)
  private let width: Int
  /// How many frames of the sound after the filter of the resampler can reach, at the source's rate.
  private let reach: Int

  /// Reads interleaved frames of a sound, all that it has from a frame on.
  typealias Reading = @Sendable (SoundSource, _ frame: Int64, _ count: Int) -> [Float]

  /// - Parameter width: the number of channels of the samples.
  init(_ join: SoundJoin, _ rates: Conversion.Rates, width: Int, read: @escaping Reading) {
    let (source, session) = rates.reduced
    let delay = join.delay.parts(source)
    // At frame `lead` before the part, a frame of the session is `skip` frames before the first delivered one, and
    // lead · session = skip · source + delay.
    var lead: Int64 = 0
    while lead * session < delay || (lead * session - delay) % source != 0 { lead += 1 }
    reach = rates.source / 10
    if join.before != nil, lead < reach { lead += (Int64(reach) - lead + source - 1) / source * source }
    (self.lead, skip) = (lead, (lead * session - delay) / source)
    (self.join, self.width, self.read) = (join, width, read)
  }

  /// The `lead` frames before the part. What the sound before does not fill is silent.
  var leading: [Float] {
    before.withLock { samples in
      if let samples { return samples }
      let end = join.before.map { sound in
        let count = min(lead, sound.length.frames)
        return read(sound.source, sound.length.frames - count, Int(count))
      }
      let silence = [Float](repeating: 0, count: Int(lead) * width - (end?.count ?? 0))
      samples = silence + (end ?? [])
      return silence + (end ?? [])
    }
  }

  /// The first frames after the part.
  var following: [Float] {
    after.withLock { samples in
      let found = samples ?? join.after.map { read($0, 0, reach) } ?? []
      samples = found
      return found
    }
  }
}

extension PartReader {
  /// Reads `count` frames from a frame on as samples of `width` channels; fewer if the part ends.
  func samples(from frame: Int64, count: Int, width target: Int) -> [Float] {
    seek(to: frame)
    var samples = [Float](repeating: 0, count: count * width)
    let read = samples.withUnsafeMutableBufferPointer { samples in
      samples.baseAddress.map { self.read(into: $0, frames: count) } ?? 0
    }
    samples.removeLast((count - read) * width)
    if width == target { return samples }
    if width == 1 { return samples.flatMap { [$0, $0] } }
    return stride(from: 0, to: samples.count, by: 2).map { (samples[$0] + samples[$0 + 1]) / 2 }
  }
}
