import Engine

/// Reads a part of a file as one or two channels, and sees to it that nothing but sound comes out.
final class PartReader {
  /// 1 for a mono file, whose channel is doubled behind the resampler; else 2.
  let width: Int
  /// What is wrong with the file, once the reading has come to it.
  private(set) var damage: SourceError?

  private let reader: any SampleReader
  private let part: FilePart
  private let path: String
  private var position: Int64
  private let fold: Fold?
  /// A file that does not say its length can be entered behind its end.
  private var isBehindEnd = false
  private var scratch: [Float] = []

  private static let scratchSize = 8_192

  init(_ reader: any SampleReader, _ part: FilePart, path: String) {
    self.reader = reader
    self.part = part
    self.path = path
    position = 0
    width = min(2, reader.form.channels)
    fold = reader.form.channels > 2 ? Fold(reader.form.roles) : nil
    if fold != nil { scratch = Array(repeating: 0, count: max(Self.scratchSize, reader.form.channels)) }
  }

  /// Frames of the part that have been passed.
  var taken: Int64 { position - part.start }

  /// Goes to a frame of the part, at most to its end.
  func seek(to frame: Int64) {
    let target = min(part.start + frame, part.end ?? .max)
    position = target
    guard target > 0, target < part.end ?? .max, !reader.seek(to: target) else { return }
    if reader.form.frames == nil { isBehindEnd = true } else { report("it can't be entered there") }
  }

  /// Fills up to `frames` frames; fewer only where the part ends or damage begins.
  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let wanted = Int(min(Int64(frames), (part.end ?? .max) - position))
    guard damage == nil, !isBehindEnd, wanted > 0 else { return 0 }
    var done = fold.map { readFolded($0, samples, wanted) } ?? reader.read(into: samples, frames: wanted)
    if reader.form.isFloatingPoint { done = countSound(samples, done) }
    position += Int64(done)
    if done < wanted, damage == nil, part.end != nil || reader.form.isCut {
      report("the data end there or make no sense")
    }
    return done
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

  /// The frames before the first that holds an infinity or no number.
  private func countSound(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) -> Int {
    var largest: UInt32 = 0
    for index in 0..<frames * width { largest = max(largest, samples[index].bitPattern & 0x7FFF_FFFF) }
    guard largest >= Float.infinity.bitPattern else { return frames }
    let bad = (0..<frames * width).first { !samples[$0].isFinite } ?? 0
    position += Int64(bad / width)
    report("a sample is no number")
    position -= Int64(bad / width)
    return bad / width
  }

  private func report(_ cause: String) {
    damage = .damaged(path: path, atSecond: Double(position) / Double(reader.form.rate), cause: cause)
  }
}
