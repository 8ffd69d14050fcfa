package import Signal
import Sounds

/// The range of a file's frames that is played, at the file's own rate.
struct FilePart {
  /// The first frame.
  var start: Int64
  /// The frame after the last one; nil if only decoding can show where the sound ends.
  var end: Int64?

  /// - Throws: `empty` for a file without frames, `emptyPart` if the part contains no frame.
  init(of source: SoundSource, _ format: SampleFormat, path: String) throws(SourceError) {
    start = frame(source.start, format.rate)
    end = format.frames
    if let cut = source.end { end = min(frame(cut, format.rate), end ?? .max) }
    if format.frames == 0 { throw .empty(path: path) }
    if let end, end <= start {
      let length = Double(format.frames ?? end) / Double(format.rate)
      throw .emptyPart(path: path, start: source.start, length: length)
    }
  }
}

/// The frame nearest to a time in seconds, limited to 0…10¹⁵.
private func frame(_ seconds: Double, _ rate: Int) -> Int64 {
  let frame = (seconds * Double(rate)).rounded()
  guard frame > 0 else { return 0 }
  return frame < 1e15 ? Int64(frame) : 1_000_000_000_000_000
}

/// The number of frames to which `count` frames are resampled: rounded to nearest, ties up.
package func resampledLength(_ count: Int64, from source: Int, to target: Int) -> FrameCount {
  ExactFrames(count, from: source, to: target).rounded
}
