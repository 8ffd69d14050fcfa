import Sounds

/// Reads a part of a file as one or two channels. Frames that can't be decoded are replaced by the same number of
/// silent frames, with fades around them.
///
/// Used by one thread at a time.
final class PartReader {
  /// Channels of the output: 1 for a mono file, whose channel is copied to both sides after the resampler; otherwise 2.
  let width: Int
  /// The first damage that was found, and the frame of the part at which it begins.
  private(set) var damage: (error: SourceError, frame: Int64)?
  /// The first frame of the part that is delivered to the listener. A gap that ends before it is not reported.
  var firstDelivered: Int64 = 0

  private let reader: any SampleReader
  private let part: FilePart
  private let path: String
  /// The next frame, at the file's rate, counted from the file's beginning.
  private var position: Int64 = 0
  /// nil for up to two channels.
  private let downmix: Downmix?
  private var concealment: Concealment
  /// Frames before this one are lost.
  private var lost: Int64 = 0
  /// Whether nothing after the lost frames can be decoded.
  private var hasEnded = false
  /// The number of gaps so far.
  private var gapCount = 0
  /// A buffer for frames with all channels of the file, before the downmix.
  private var scratch: [Float] = []

  private static let scratchSize = 8_192
  /// After this many gaps, nothing more is decoded, because the search after each gap takes time. No real recording has
  /// so many.
  private static let mostGaps = 1_000

  init(_ reader: any SampleReader, _ part: FilePart, path: String) {
    self.reader = reader
    self.part = part
    self.path = path
    width = Self.width(of: reader.format)
    concealment = Concealment(rate: reader.format.rate, width: width)
    downmix = reader.format.channels > 2 ? Downmix(reader.format.roles) : nil
    if downmix != nil { scratch = Array(repeating: 0, count: max(Self.scratchSize, reader.format.channels)) }
  }

  static func width(of format: SampleFormat) -> Int { min(2, format.channels) }

  /// How many frames of the part have been read, including those before the start.
  var taken: Int64 { position - part.start }

  /// The frame after the part's last one.
  private var end: Int64 { part.end ?? .max }

  /// Moves to a frame of the part, at most to its end. Called once, before the first read.
  func seek(to frame: Int64) {
    let target = min(part.start + frame, end)
    position = target
    lost = target
    guard target > 0, target < end, !reader.seek(to: target) else { return }
    // If the file doesn't state its length, the target may be after its end, which is no damage.
    resume(from: target, orReport: reader.format.frames == nil ? nil : "it can't be decoded from there on")
  }

  /// Reads up to `frames` interleaved frames; fewer only if the part ends, or if nothing more can be decoded.
  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let wanted = Int(min(Int64(frames), end - position))
    var done = 0
    while done < wanted {
      let target = samples + done * width
      let count: Int
      if position < lost {
        count = Int(min(Int64(wanted - done), lost - position))
        concealment.conceal(target, frames: count, room: end - position)
      } else {
        if hasEnded { break }
        count = readSound(target, wanted - done)
      }
      position += Int64(count)
      done += count
    }
    return done
  }

  /// Reads frames that are not known to be lost. Where decoding ends, finds the next frame that can be decoded.
  private func readSound(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) -> Int {
    let count = downmix.map { readDownmixed($0, samples, frames) } ?? reader.read(into: samples, frames: frames)
    if !reader.format.isFloatingPoint || isValid(samples, count) {
      concealment.process(samples, frames: count)
    } else {
      separateInvalid(samples, count)
    }
    guard count < frames else { return count }
    let isShort = part.end != nil || reader.format.isTruncated
    resume(from: position + Int64(count), orReport: isShort ? "the data end there or can't be decoded" : nil)
    return count
  }

  /// Moves to the next frame that can be decoded. If there is none, the sound fades out and ends.
  ///
  /// - Parameter cause: why the end is damage; nil if the sound may end here.
  private func resume(from frame: Int64, orReport cause: String?) {
    gapCount += 1
    let next = gapCount <= Self.mostGaps ? reader.resume(after: frame) : nil
    if let next, next < end {
      lost = next
      report("the data can't be decoded there", frame..<next)
    } else {
      hasEnded = true
      guard let cause else { return }
      lost = min(end, frame + Int64(concealment.ramp))
      report(cause, frame..<Int64.max)
    }
  }

  /// Reads frames and mixes them down to stereo.
  private func readDownmixed(_ downmix: Downmix, _ samples: UnsafeMutablePointer<Float>, _ frames: Int) -> Int {
    let piece = scratch.count / reader.format.channels
    return scratch.withUnsafeMutableBufferPointer { scratch in
      guard let base = scratch.baseAddress else { return 0 }
      var done = 0
      while done < frames {
        let count = reader.read(into: base, frames: min(piece, frames - done))
        downmix.apply(base, to: samples + 2 * done, frames: count)
        done += count
        if count < min(piece, frames - done + count) { break }
      }
      return done
    }
  }

  /// The largest valid sample, 36 dB above full scale. No mix is louder, but arbitrary bytes read as floats usually
  /// are.
  private static let mostPeak: Float = 64

  /// Whether every sample is finite and at most +36 dBFS.
  private func isValid(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) -> Bool {
    var largest: UInt32 = 0
    for index in 0..<frames * width { largest = max(largest, samples[index].bitPattern & 0x7FFF_FFFF) }
    return largest <= Self.mostPeak.bitPattern
  }

  /// Delivers the frames whose samples are valid, and treats the others as lost.
  private func separateInvalid(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) {
    var start = 0
    while start < frames {
      let areValid = isValid(samples + start * width, 1)
      var next = start + 1
      while next < frames, isValid(samples + next * width, 1) == areValid { next += 1 }
      if areValid {
        concealment.process(samples + start * width, frames: next - start)
      } else {
        let frame = position + Int64(start)
        report("a sample is NaN, infinite or above +36 dBFS", frame..<frame + Int64(next - start))
        concealment.conceal(samples + start * width, frames: next - start, room: end - frame)
      }
      start = next
    }
  }

  /// Records damage, if it is the first one and concerns delivered frames.
  private func report(_ cause: String, _ gap: Range<Int64>) {
    guard damage == nil, !gap.isEmpty, part.start + firstDelivered < gap.upperBound else { return }
    let second = Double(gap.lowerBound) / Double(reader.format.rate)
    damage = (.damaged(path: path, atSecond: second, cause: cause), gap.lowerBound - part.start)
  }
}
