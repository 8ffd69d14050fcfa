import Signal

/// How far the music steps back: one fade for each who asks, of which the deepest counts at each frame.
struct Ducks: ~Copyable {
  /// Whose voices have ended, while the music still comes forward.
  static var leaving: Int { 64 }

  private let fades: UnsafeMutablePointer<Fade>
  private let owners: UnsafeMutablePointer<Int>
  private let capacity: Int
  private var count = 0

  init(capacity: Int) {
    fades = .allocate(capacity: capacity)
    owners = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit {
    fades.deallocate()
    owners.deallocate()
  }

  /// From `frame` on the owner's gain moves from where it is to the fade's end; a fade that began before goes on as it was.
  /// Where there is no room, it takes that of whom is missed least.
  @_noLocks mutating func set(_ fade: Fade, of owner: Int, at frame: FrameTime) {
    var fade = fade
    var index = 0
    while index < count, owners[index] != owner { index &+= 1 }
    let isNew = index == count
    if isNew, count == capacity { index = mostForward(at: frame) }
    if index == capacity { return }
    if frame <= fade.start { fade.from = isNew ? 1 : fades[index].gain(at: frame) }
    fades[index] = fade
    owners[index] = owner
    if index == count { count &+= 1 }
  }

  /// Of those that come forward the one that has come farthest; the capacity where none does.
  @_noLocks private func mostForward(at frame: FrameTime) -> Int {
    var (best, gain) = (capacity, Float(-1))
    var index = 0
    while index < count {
      if fades[index].to == 1, gain < fades[index].gain(at: frame) {
        (best, gain) = (index, fades[index].gain(at: frame))
      }
      index &+= 1
    }
    return best
  }

  @_noLocks mutating func removeAll() { count = 0 }

  /// Forgets those that have come back to 1.
  @_noLocks mutating func prune(before frame: FrameTime) {
    var kept = 0
    var index = 0
    while index < count {
      if fades[index].to != 1 || frame < fades[index].end {
        fades[kept] = fades[index]
        owners[kept] = owners[index]
        kept &+= 1
      }
      index &+= 1
    }
    count = kept
  }

  @_noLocks func multiply(_ gains: inout GainBuffer, from frame: FrameTime) {
    if count == 0 { return }
    gains.multiply(byLeastOf: fades, count: count, from: frame)
  }
}
