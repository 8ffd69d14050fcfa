import Engine
import Signal

/// The range of a file's frames that is played, at the file's own rate.
struct FilePart {
  /// The first frame.
  var start: Int64
  /// The frame after the last one; nil if only decoding shows where the data end.
  var end: Int64?

  /// - Throws: `empty` for a file without frames, `emptyPart` if the part contains no frame.
  init(of source: SoundSource, _ form: SampleForm, path: String) throws(SourceError) {
    start = frame(source.start, form.rate)
    end = form.frames
    if let cut = source.end { end = min(frame(cut, form.rate), end ?? .max) }
    if form.frames == 0 { throw .empty(path: path) }
    if let end, end <= start {
      let length = Double(form.frames ?? end) / Double(form.rate)
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

/// The number of frames that `count` frames become when their rate is converted, rounded to nearest, ties up.
func resampledLength(_ count: Int64, from source: Int, to target: Int) -> FrameCount {
  if source == target { return count }
  return FrameCount((Int128(count) * Int128(target) + Int128(source / 2)) / Int128(source))
}
