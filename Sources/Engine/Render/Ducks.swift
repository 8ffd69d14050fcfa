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
  @_noLocks mutating func set(_ fade: Fade, of owner: Int, at frame: FrameTime) {
    var fade = fade
    var index = 0
    while index < count, owners[index] != owner { index &+= 1 }
    if index == capacity { return }
    if frame <= fade.start { fade.from = index < count ? fades[index].gain(at: frame) : 1 }
    fades[index] = fade
    owners[index] = owner
    if index == count { count &+= 1 }
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
