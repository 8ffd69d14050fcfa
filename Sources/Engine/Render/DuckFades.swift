import Signal

/// The fades that duck the music, that is, lower it while other clips play. Each clip that ducks owns one fade; at each
/// frame, the lowest of their gains applies.
///
/// The owner is the clip's ordinal. Memory is allocated once, in `init`. Used by the render thread alone.
struct DuckFades: ~Copyable {
  /// Room in addition to one fade per voice, for owners whose voices have ended while their fades still return to 1.
  static var spare: Int { 64 }

  private let fades: UnsafeMutablePointer<Fade>
  /// The owner of the fade with the same index.
  private let owners: UnsafeMutablePointer<UInt128>
  private let capacity: Int
  private var count = 0

  /// - Parameter capacity: the most fades it can hold.
  init(capacity: Int) {
    fades = .allocate(capacity: capacity)
    owners = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit {
    fades.deallocate()
    owners.deallocate()
  }

  /// Sets the fade of an owner from `frame` on. If it starts at `frame` or later, it starts from the owner's gain at
  /// `frame`, so that the gain has no step. If it starts earlier, it is used unchanged: control sends it again after a
  /// rewind.
  ///
  /// If there is no room, the new fade replaces the one that has recovered most; if none is recovering, the new fade is
  /// dropped.
  @_noLocks mutating func set(_ fade: Fade, of owner: UInt128, at frame: FrameTime) {
    var fade = fade
    var index = 0
    while index < count, owners[index] != owner { index &+= 1 }
    let isNew = index == count
    if isNew, count == capacity { index = mostRecovered(at: frame) }
    if index == capacity { return }
    if frame <= fade.start { fade.from = isNew ? 1 : fades[index].gain(at: frame) }
    fades[index] = fade
    owners[index] = owner
    if index == count { count &+= 1 }
  }

  /// The index of the highest gain among the fades that return to 1; `capacity` if there are none.
  @_noLocks private func mostRecovered(at frame: FrameTime) -> Int {
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

  /// Drops all fades after a rewind: control sends them again.
  @_noLocks mutating func removeAll() { count = 0 }

  /// Drops the fades that have returned to 1 at `frame`.
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

  /// Multiplies the gains of a segment that begins at `frame` by the lowest gain of all fades.
  @_noLocks func multiply(_ gains: inout GainBuffer, from frame: FrameTime) {
    if count == 0 { return }
    gains.multiply(byLeastOf: fades, count: count, from: frame)
  }
}
