import Engine

/// Reads a part of a file as one or two channels. Frames that can't be decoded are replaced by silence of the same
/// length, with fades around it.
///
/// Used by one thread at a time.
final class PartReader {
  /// Channels of the output: 1 for a mono file, whose channel is doubled after the resampler; else 2.
  let width: Int
  /// The first damage that reading has found, and the frame of the part at which it begins.
  private(set) var damage: (error: SourceError, frame: Int64)?
  /// The first frame of the part that is delivered: a gap that ends before it is not reported.
  var heard: Int64 = 0

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
  /// Whether no more frames follow the lost ones.
  private var hasEnded = false
  /// Gaps so far.
  private var holes = 0
  /// Frames with all channels of the file.
  private var scratch: [Float] = []

  private static let scratchSize = 8_192
  /// More gaps than a real recording can have; searching for the next frame each time would take too long.
  private static let mostHoles = 1_000

  init(_ reader: any SampleReader, _ part: FilePart, path: String) {
    self.reader = reader
    self.part = part
    self.path = path
    width = min(2, reader.form.channels)
    concealment = Concealment(rate: reader.form.rate, width: width)
    downmix = reader.form.channels > 2 ? Downmix(reader.form.roles) : nil
    if downmix != nil { scratch = Array(repeating: 0, count: max(Self.scratchSize, reader.form.channels)) }
  }

  /// Frames of the part before the next one.
  var taken: Int64 { position - part.start }

  /// The frame after the part's last one.
  private var end: Int64 { part.end ?? .max }

  /// Moves to a frame of the part, at most to its end. Called once, before the first read.
  func seek(to frame: Int64) {
    let target = min(part.start + frame, end)
    position = target
    lost = target
    guard target > 0, target < end, !reader.seek(to: target) else { return }
    // If the file doesn't state its length, the target may be after its end.
    resume(from: target, orReport: reader.form.frames == nil ? nil : "it can't be decoded from there on")
  }

  /// Fills up to `frames` frames, interleaved; fewer only if the part ends or nothing more can be decoded.
  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let wanted = Int(min(Int64(frames), end - position))
    var done = 0
    while done < wanted {
      let target = samples + done * width
      let count: Int
      if position < lost {
        count = Int(min(Int64(wanted - done), lost - position))
        concealment.lose(target, frames: count, room: end - position)
      } else {
        if hasEnded { break }
        count = readSound(target, wanted - done)
      }
      position += Int64(count)
      done += count
    }
    return done
  }

  /// Reads frames that are not known to be lost; at the end of what can be decoded, it finds out how to continue.
  private func readSound(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) -> Int {
    let count = downmix.map { readDownmixed($0, samples, frames) } ?? reader.read(into: samples, frames: frames)
    if !reader.form.isFloatingPoint || isSound(samples, count) {
      concealment.pass(samples, frames: count)
    } else {
      passNumbers(samples, count)
    }
    guard count < frames else { return count }
    let isShort = part.end != nil || reader.form.isCut
    resume(from: position + Int64(count), orReport: isShort ? "the data end there or can't be decoded" : nil)
    return count
  }

  /// Moves to the next frame that can be decoded. If there is none, the sound fades out and ends.
  ///
  /// - Parameter cause: why the end is damage; nil if the sound may end here.
  private func resume(from frame: Int64, orReport cause: String?) {
    holes += 1
    let next = holes <= Self.mostHoles ? reader.resume(after: frame) : nil
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
    let piece = scratch.count / reader.form.channels
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

  /// The largest believable sample, 36 dB above full scale: no mix is that loud, but arbitrary bytes soon are.
  private static let mostPeak: Float = 64

  /// Whether every sample is finite and at most +36 dBFS.
  private func isSound(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) -> Bool {
    var largest: UInt32 = 0
    for index in 0..<frames * width { largest = max(largest, samples[index].bitPattern & 0x7FFF_FFFF) }
    return largest <= Self.mostPeak.bitPattern
  }

  /// Passes the frames with valid samples on, and treats the others as lost.
  private func passNumbers(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) {
    var start = 0
    while start < frames {
      let isSounding = isSound(samples + start * width, 1)
      var next = start + 1
      while next < frames, isSound(samples + next * width, 1) == isSounding { next += 1 }
      if isSounding {
        concealment.pass(samples + start * width, frames: next - start)
      } else {
        let frame = position + Int64(start)
        report("a sample is NaN, infinite or above +36 dBFS", frame..<frame + Int64(next - start))
        concealment.lose(samples + start * width, frames: next - start, room: end - frame)
      }
      start = next
    }
  }

  /// Records the first damage, if its frames are delivered.
  private func report(_ cause: String, _ hole: Range<Int64>) {
    guard damage == nil, !hole.isEmpty, part.start + heard < hole.upperBound else { return }
    let second = Double(hole.lowerBound) / Double(reader.form.rate)
    damage = (.damaged(path: path, atSecond: second, cause: cause), hole.lowerBound - part.start)
  }
}
