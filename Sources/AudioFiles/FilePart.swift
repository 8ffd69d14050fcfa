import Engine
import Signal

/// The frames of a source that are played, in the source's own rate.
struct FilePart {
  /// The first frame.
  var start: Int64
  /// The frame behind the last; nil where only the data tell.
  var end: Int64?

  /// - Throws: `empty` for a file without a frame, `emptyPart` where nothing lies between the two cuts.
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

/// The nearest frame to a second, bounded.
private func frame(_ seconds: Double, _ rate: Int) -> Int64 {
  let frame = (seconds * Double(rate)).rounded()
  guard frame > 0 else { return 0 }
  return frame < 1e15 ? Int64(frame) : 1_000_000_000_000_000
}

/// How many frames `count` frames become: the nearest number, halves rounded up.
func resampledLength(_ count: Int64, from source: Int, to target: Int) -> FrameCount {
  if source == target { return count }
  return FrameCount((Int128(count) * Int128(target) + Int128(source / 2)) / Int128(source))
}
