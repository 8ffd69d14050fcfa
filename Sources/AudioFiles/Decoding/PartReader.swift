import Engine

/// Reads a part of a file as one or two channels, and sees to it that nothing but sound comes out: what is lost in the middle
/// is silence of the same length.
final class PartReader {
  /// 1 for a mono file, whose channel is doubled behind the resampler; else 2.
  let width: Int
  /// The first thing that is wrong with the file, of those that the reading has come upon, and the frame of the part before
  /// which it comes.
  private(set) var damage: (error: SourceError, frame: Int64)?
  /// A frame of the part before which nobody hears it: a hole that ends there is none.
  var heard: Int64 = 0

  private let reader: any SampleReader
  private let part: FilePart
  private let path: String
  private var position: Int64 = 0
  private let fold: Fold?
  private var mending: Mending
  /// Frames up to here are lost.
  private var lost: Int64 = 0
  /// Whether nothing more comes behind what is lost.
  private var hasEnded = false
  private var holes = 0
  private var scratch: [Float] = []

  private static let scratchSize = 8_192
  /// More than this, and it is no recording with scratches: looking on would be work without end.
  private static let mostHoles = 1_000

  init(_ reader: any SampleReader, _ part: FilePart, path: String) {
    self.reader = reader
    self.part = part
    self.path = path
    width = min(2, reader.form.channels)
    mending = Mending(rate: reader.form.rate, width: width)
    fold = reader.form.channels > 2 ? Fold(reader.form.roles) : nil
    if fold != nil { scratch = Array(repeating: 0, count: max(Self.scratchSize, reader.form.channels)) }
  }

  /// Frames of the part that have been passed.
  var taken: Int64 { position - part.start }

  private var end: Int64 { part.end ?? .max }

  /// Goes to a frame of the part, at most to its end. Made once, before all reading.
  func seek(to frame: Int64) {
    let target = min(part.start + frame, end)
    position = target
    lost = target
    guard target > 0, target < end, !reader.seek(to: target) else { return }
    // A file that does not say its length can be entered behind its end.
    goOn(from: target, orTell: reader.form.frames == nil ? nil : "it can't be entered there")
  }

  /// Fills up to `frames` frames; fewer only where the part ends or all the rest is lost.
  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let wanted = Int(min(Int64(frames), end - position))
    var done = 0
    while done < wanted {
      let target = samples + done * width
      let count: Int
      if position < lost {
        count = Int(min(Int64(wanted - done), lost - position))
        mending.lose(target, frames: count, room: end - position)
      } else {
        if hasEnded { break }
        count = readSound(target, wanted - done)
      }
      position += Int64(count)
      done += count
    }
    return done
  }

  private func readSound(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) -> Int {
    let count = fold.map { readFolded($0, samples, frames) } ?? reader.read(into: samples, frames: frames)
    if !reader.form.isFloatingPoint || isSound(samples, count) {
      mending.pass(samples, frames: count)
    } else {
      passNumbers(samples, count)
    }
    guard count < frames else { return count }
    let isShort = part.end != nil || reader.form.isCut
    goOn(from: position + Int64(count), orTell: isShort ? "the data end there or make no sense" : nil)
    return count
  }

  /// Finds the frame from which on there is sound again. Where there is none, the sound fades out and is over.
  private func goOn(from frame: Int64, orTell cause: String?) {
    holes += 1
    let next = holes <= Self.mostHoles ? reader.resume(behind: frame) : nil
    if let next, next < end {
      lost = next
      tell("the data make no sense there", frame..<next)
    } else {
      hasEnded = true
      guard let cause else { return }
      lost = min(end, frame + Int64(mending.ramp))
      tell(cause, frame..<Int64.max)
    }
  }

  private func readFolded(_ fold: Fold, _ samples: UnsafeMutablePointer<Float>, _ frames: Int) -> Int {
    let piece = scratch.count / reader.form.channels
    return scratch.withUnsafeMutableBufferPointer { scratch in
      guard let base = scratch.baseAddress else { return 0 }
      var done = 0
      while done < frames {
        let count = reader.read(into: base, frames: min(piece, frames - done))
        fold.apply(base, to: samples + 2 * done, frames: count)
        done += count
        if count < min(piece, frames - done + count) { break }
      }
      return done
    }
  }

  /// 36 dB above full scale: no mix has come that far, and bytes of something else are soon beyond it.
  private static let mostPeak: Float = 64

  /// Whether no sample is an infinity, no number or beyond all sound.
  private func isSound(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) -> Bool {
    var largest: UInt32 = 0
    for index in 0..<frames * width { largest = max(largest, samples[index].bitPattern & 0x7FFF_FFFF) }
    return largest <= Self.mostPeak.bitPattern
  }

  /// Takes the frames of numbers for sound and those between them for lost.
  private func passNumbers(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) {
    var start = 0
    while start < frames {
      let isSounding = isSound(samples + start * width, 1)
      var next = start + 1
      while next < frames, isSound(samples + next * width, 1) == isSounding { next += 1 }
      if isSounding {
        mending.pass(samples + start * width, frames: next - start)
      } else {
        let frame = position + Int64(start)
        tell("a sample is no number, or far above full scale", frame..<frame + Int64(next - start))
        mending.lose(samples + start * width, frames: next - start, room: end - frame)
      }
      start = next
    }
  }

  /// Only the first time, and only where somebody hears it.
  private func tell(_ cause: String, _ hole: Range<Int64>) {
    guard damage == nil, !hole.isEmpty, part.start + heard < hole.upperBound else { return }
    let second = Double(hole.lowerBound) / Double(reader.form.rate)
    damage = (.damaged(path: path, atSecond: second, cause: cause), hole.lowerBound - part.start)
  }
}
