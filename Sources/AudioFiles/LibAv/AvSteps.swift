import CAv

/// Finds lost frames by the times of packets, which many containers round to milliseconds.
struct AvSteps {
  /// The time of the last packet, and its number of frames.
  private var last: (time: Int64, count: Int64)?
  /// The greatest number of frames of which all packets consist.
  private var grain: Int64 = 0
  /// The frames that are missing before the last packet.
  private(set) var lost: Int64 = 0

  /// The most that times of complete sound may differ, in seconds; less than a packet of most formats.
  private static let tolerance = 0.04

  mutating func take(_ frame: UnsafePointer<AVFrame>, _ count: Int64, _ line: AvLine, isUsed: Bool) {
    let (time, base, rate) = (frame.pointee.pts, line.input.stream.pointee.time_base, Double(frame.pointee.sample_rate))
    guard isUsed else { return }
    lost = line.lost
    if let last, time != prosper_av_no_time, 0 < base.num, 0 < base.den {
      let step = (Double(time) - Double(last.time)) * rate * Double(base.num) / Double(base.den) - Double(last.count)
      if Self.tolerance * rate < step, step < Double(mostFrames) { lost = whole(step) }
    }
    last = time == prosper_av_no_time ? nil : (time, count)
    grain = greatestCommonDivisor(grain, count)
  }

  /// A number of frames, as a number of packets if these are not very short.
  private func whole(_ frames: Double) -> Int64 {
    let unit = Double(64 <= grain ? grain : 1)
    return Int64((frames / unit).rounded() * unit)
  }
}
