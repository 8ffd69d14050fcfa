import Signal

/// What was heard of a reference session: its silences, and its strikes, each as the number of sounding frames before
/// it.
struct LiveSound: Sendable {
  /// The frames of each silence, and the number of frames that sounded.
  private(set) var silences: [Int] = []
  private(set) var sounding = 0
  private(set) var strikes: [Int] = []
  private(set) var clicks: [Int] = []

  /// Shorter silences do not count.
  private static let shortest = 14_400

  init(_ frames: [Frame]) {
    var quiet = 0
    var last = Frame.silence
    for frame in frames {
      quiet = frame == .silence ? quiet + 1 : end(quiet)
      note(from: last, to: frame, at: sounding + quiet)
      if quiet == 0 { sounding += 1 }
      last = frame
    }
  }

  private mutating func end(_ quiet: Int) -> Int {
    if Self.shortest <= quiet { silences.append(quiet) } else { sounding += quiet }
    return 0
  }

  private mutating func note(from last: Frame, to frame: Frame, at index: Int) {
    if 0.04 < abs(frame.left - last.left) || frame.right - last.right < -0.04 { clicks.append(index) }
    if 0.04 < frame.right - last.right { strikes.append(index) }
  }

  /// Descriptions of everything that is not as expected.
  var faults: [String] {
    var faults: [String] = []
    // Six pauses, of which the first and the third are long.
    let shortest = [1.4, 0.6, 1.4, 0.6, 0.6, 0.6].map { Int($0 * 48_000) }
    if silences.count != shortest.count || zip(silences, shortest).contains(where: { $0 < $1 }) {
      faults.append("silences of \(silences) frames")
    }
    if !clicks.isEmpty { faults.append("clicks at \(clicks)") }
    let planned = ReferenceSession.strikes.map { Int($0 * 480) }
    // The silent frames of a ramp count as part of the silence.
    let late = zip(strikes, planned).map { $0 - $1 - ((strikes.first ?? 0) - planned[0]) }
    if strikes.count != planned.count || late.contains(where: { 12 < abs($0) }) {
      faults.append("strikes off by \(late) frames")
    }
    return faults
  }
}

extension [Frame] {
  /// The frame at which this sound is found in a render, ignoring the 20 ms of its fade-in; nil if it is not found.
  func place(in rendered: [Frame]) -> Range<Int>? {
    let ramp = 1_000
    guard ramp + 64 < count else { return nil }
    let probe = self[ramp]
    for start in rendered.indices where rendered[start] == probe {
      let begin = start - ramp
      guard 0 <= begin, begin + count <= rendered.count else { continue }
      if self[ramp...].elementsEqual(rendered[start..<begin + count]) { return begin..<begin + count }
    }
    return nil
  }
}
