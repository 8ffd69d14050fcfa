import Signal

/// The way of a part from its own rate to the session's: exactly as many frames come out as the lengths' ratio says.
final class Conversion {
  private let rates: Rates
  private let width: Int
  private let resampler: Resampler
  private var input: [Float]
  private var unused = 0..<0
  private var hasEnded = false
  /// Frames at the session's rate that came out of the resampler since the part's beginning, and those still to be dropped.
  private var position: FrameCount
  private var skip: FrameCount

  struct Rates: Hashable {
    var source: Int
    var session: Int
  }

  private static let inputFrames = 4_096

  /// Nil when memory is short.
  ///
  /// Enters `source` early, at a place of the grid, so that the frame at `offset` is what it would be had all been read
  /// before: the filter has seen a tenth of a second, and its phase is the same.
  init?(_ rates: Rates, of source: PartReader, from offset: FrameCount) {
    guard let resampler = Resampler(from: rates.source, to: rates.session, channels: source.width) else { return nil }
    self.rates = rates
    self.resampler = resampler
    width = source.width
    input = Array(repeating: 0, count: Self.inputFrames * source.width)
    let grid = ConversionGrid.between(rates)
    let steps = max(0, offset - Int64(rates.session / 10)) / grid.session
    position = steps * grid.session
    skip = offset - position
    source.seek(to: steps * grid.source)
  }

  /// Fills up to `frames` frames; fewer only at the end of the part.
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

  /// At least one frame unless the part has ended.
  private func convert(_ source: PartReader, _ output: UnsafeMutablePointer<Float>, _ capacity: Int) -> Int {
    while true {
      if unused.isEmpty { refill(source) }
      let room = hasEnded ? Int(min(FrameCount(capacity), length(of: source) - position)) : capacity
      if room <= 0 { return 0 }
      let before = unused.count
      let made = process(output, room)
      // A resampler that neither takes nor makes has failed: waiting for it would take for ever.
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

  /// Behind the end comes silence, so that the last frames do not depend on where the reading began.
  private func refill(_ source: PartReader) {
    let count = input.withUnsafeMutableBufferPointer { input in
      input.baseAddress.map { source.read(into: $0, frames: Self.inputFrames) } ?? 0
    }
    unused = 0..<count
    guard count == 0 else { return }
    hasEnded = true
    unused = 0..<Self.inputFrames
    input = Array(repeating: 0, count: input.count)
  }

  /// Of all that has been read: the part's, once it has ended.
  private func length(of source: PartReader) -> FrameCount {
    resampledLength(source.taken, from: rates.source, to: rates.session)
  }
}
