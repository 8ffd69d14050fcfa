import Signal

/// Converts a part of a file from the file's sample rate to the session's. The number of output frames is exactly the
/// number of input frames times the ratio of the rates, rounded. A part that joins others is converted together with
/// what directly precedes and follows it.
///
/// Used by one thread at a time.
final class Conversion {
  private let rates: Rates
  /// The number of channels.
  private let width: Int
  private let resampler: Resampler
  /// nil if the part is converted on its own.
  private let seam: SoundSeam?
  /// Samples around the part that come before what the part delivers next.
  private var around: ArraySlice<Float> = []
  /// Input of the resampler, interleaved.
  private var input: [Float]
  /// The frames of `input` that the resampler has not consumed yet.
  private var unused = 0..<0
  private var hasEnded = false
  /// The position of the resampler's next output frame, from the beginning of the conversion, at the session's rate.
  private var position: FrameCount
  /// Output frames that are still to be dropped before `offset` is reached.
  private var skip: FrameCount

  /// Both rates in hertz.
  struct Rates: Hashable {
    var source: Int
    var session: Int

    /// The smallest numbers with the same ratio.
    var reduced: (source: Int64, session: Int64) {
      let divisor = greatestCommonDivisor(Int64(source), Int64(session))
      return (Int64(source) / divisor, Int64(session) / divisor)
    }
  }

  private static let inputFrames = 4_096

  /// Starts to convert at `offset`, in frames at the session's rate. Returns nil if there is not enough memory.
  ///
  /// Decoding starts at least a tenth of a second earlier, at a point of `ConversionGrid`. The resampler's filter is
  /// then filled and has the right phase, so the frames are the same as if everything before them had been read.
  init?(_ rates: Rates, of source: PartReader, _ seam: SoundSeam?, from offset: FrameCount) {
    guard let resampler = Resampler(from: rates.source, to: rates.session, channels: source.width) else { return nil }
    self.rates = rates
    self.resampler = resampler
    self.seam = seam
    width = source.width
    input = Array(repeating: 0, count: Self.inputFrames * source.width)
    let grid = ConversionGrid.between(rates)
    let first = offset + (seam?.skip ?? 0)
    let steps = max(0, first - Self.filterLength(rates)) / grid.session
    position = steps * grid.session
    skip = first - position
    let start = steps * grid.source - (seam?.lead ?? 0)
    if start < 0, let seam { around = seam.leading.suffix(Int(-start) * width) }
    source.seek(to: max(0, start))
  }

  /// The number of frames, at the session's rate, that fill the resampler's filter.
  private static func filterLength(_ rates: Rates) -> FrameCount { FrameCount(rates.session / 10) }

  /// The first offset from `offset` on before which a conversion decodes little more than the filter needs, in frames at
  /// the session's rate; nil if its frames would not be the same, bit for bit.
  ///
  /// - Parameter entry: the first frame of the part, from a frame on, to which a seek decodes little before it.
  static func entry(
    from offset: FrameCount, _ rates: Rates, _ seam: SoundSeam?, in entry: (Int64) -> Int64
  ) -> FrameCount? {
    let grid = ConversionGrid.between(rates)
    guard grid.isExact else { return nil }
    let (lead, skip) = (seam?.lead ?? 0, seam?.skip ?? 0)
    let filter = filterLength(rates)
    let wanted = max(0, offset + skip - filter + grid.session - 1) / grid.session * grid.source
    let source = lead + entry(max(0, wanted - lead))
    return (source + grid.source - 1) / grid.source * grid.session + filter - skip
  }

  /// Reads up to `frames` frames at the session's rate; fewer only at the end of the part.
  func read(from source: PartReader, into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    var done = 0
    while done < frames {
      let wanted = min(frames - done, skip > 0 ? Int(min(skip, FrameCount.max)) : frames)
      let made = convert(source, samples + done * width, wanted)
      if made == 0 { break }
      position += FrameCount(made)
      if skip > 0 { skip -= FrameCount(made) } else { done += made }
    }
    return done
  }

  /// Converts at least one frame, unless the part has ended.
  private func convert(_ source: PartReader, _ output: UnsafeMutablePointer<Float>, _ capacity: Int) -> Int {
    while true {
      if unused.isEmpty { refill(source) }
      let room = hasEnded ? Int(min(FrameCount(capacity), length(of: source) - position)) : capacity
      if room <= 0 { return 0 }
      let before = unused.count
      let made = process(output, room)
      // A resampler that neither consumes input nor produces output has failed, and would fail again.
      if made > 0 || unused.count == before { return made }
    }
  }

  private func process(_ output: UnsafeMutablePointer<Float>, _ capacity: Int) -> Int {
    input.withUnsafeBufferPointer { input in
      let next = input.baseAddress.map { $0 + unused.lowerBound * width }
      let progress = resampler.process(next, frames: unused.count, into: output, capacity: capacity)
      unused = unused.lowerBound + progress.used..<unused.upperBound
      return progress.made
    }
  }

  /// Reads more input. After the end of the part, the input is the sound after it, and then silence, so that the last
  /// frames don't depend on where reading started.
  private func refill(_ source: PartReader) {
    if refillFromAround() { return }
    if !hasEnded {
      let count = input.withUnsafeMutableBufferPointer { input in
        input.baseAddress.map { source.read(into: $0, frames: Self.inputFrames) } ?? 0
      }
      unused = 0..<count
      if 0 < count { return }
      hasEnded = true
      around = seam?.following[...] ?? []
      if refillFromAround() { return }
    }
    unused = 0..<Self.inputFrames
    input = Array(repeating: 0, count: input.count)
  }

  /// Takes input from `around`; false if nothing is left there.
  private func refillFromAround() -> Bool {
    let samples = around.prefix(input.count)
    if samples.isEmpty { return false }
    input.replaceSubrange(..<samples.count, with: samples)
    around = around.dropFirst(samples.count)
    unused = 0..<samples.count / width
    return true
  }

  /// The length in frames at the session's rate of everything that has been read from the part and before it. A part
  /// that joins others can end within a frame, which is delivered whole.
  private func length(of source: PartReader) -> FrameCount {
    guard let seam else { return resampledLength(source.taken, from: rates.source, to: rates.session) }
    return resampledLength(seam.lead + source.taken, from: rates.source, to: rates.session) + 1
  }
}
