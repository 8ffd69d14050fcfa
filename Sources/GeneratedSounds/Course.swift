import Signal

/// A value that changes linearly between points in time, with its integral in closed form. Before the first point and
/// after the last one it is constant.
struct Course: Sendable {
  /// The frames of the points in ascending order; two equal ones are a step.
  private let frames: [Double]
  private let values: [Double]
  /// The integral from frame 0 to each point.
  private let sums: [Double]

  /// Nil without points.
  ///
  /// - Parameter points: in the order of their frames, from 0 on.
  init?(_ points: [(frame: Double, value: Double)]) {
    guard let first = points.first else { return nil }
    var sums = [first.frame * first.value]
    for (point, next) in zip(points, points.dropFirst()) {
      sums.append((sums.last ?? 0) + (point.value + next.value) / 2 * (next.frame - point.frame))
    }
    (frames, values, self.sums) = (points.map(\.frame), points.map(\.value), sums)
  }

  /// The integral from frame 0 to a frame.
  func integral(to frame: FrameTime) -> Double {
    let n = Double(frame)
    guard let index = index(at: n) else { return values[0] * n }
    let elapsed = n - frames[index]
    return sums[index] + elapsed * (values[index] + slope(after: index) * elapsed / 2)
  }

  /// Multiplies each frame of the block that begins at `start` by the value.
  func scale(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    // The number of points that are not after the frame.
    var passed = index(at: Double(start)).map { $0 + 1 } ?? 0
    for offset in block.indices {
      let n = Double(start) + Double(offset)
      while passed < frames.count, frames[passed] <= n { passed += 1 }
      let last = passed - 1
      let value = passed == 0 ? values[0] : values[last] + slope(after: last) * (n - frames[last])
      block[offset] = block[offset] * Float(value)
    }
  }

  /// The index of the last point that is not after a frame; nil before the first one.
  private func index(at frame: Double) -> Int? {
    var (low, high) = (0, frames.count)
    while low < high {
      let middle = (low + high) / 2
      if frames[middle] <= frame { low = middle + 1 } else { high = middle }
    }
    return 0 < low ? low - 1 : nil
  }

  /// The change per frame between a point and the next one; 0 after the last one.
  private func slope(after index: Int) -> Double {
    guard index + 1 < frames.count, frames[index] < frames[index + 1] else { return 0 }
    return (values[index + 1] - values[index]) / (frames[index + 1] - frames[index])
  }
}

/// Another sound whose volume follows a course.
struct Shaped: Generator {
  private let sound: any Generator
  private let volume: Course

  var blockLength: Int { sound.blockLength }
  var envelope: Envelope { sound.envelope }

  init(_ sound: any Generator, volume: Course) { (self.sound, self.volume) = (sound, volume) }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    sound.fill(block, at: start)
    volume.scale(block, at: start)
  }
}
