import Signal

/// The commands that have arrived but are not yet due, sorted by frame. Commands of the same frame keep the order in
/// which they were sent.
///
/// Memory is allocated once, in `init`. Used by the render thread alone.
struct RenderCommandQueue: ~Copyable {
  /// The commands are at `first..<end`; `take` increases `first`.
  fileprivate let entries: UnsafeMutablePointer<RenderCommand>
  private let capacity: Int
  fileprivate var first = 0
  fileprivate var end = 0

  /// - Parameter capacity: the maximum number of commands in the queue.
  init(capacity: Int) {
    entries = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { entries.deallocate() }

  /// The frame of the earliest command; `.endless` if there is none.
  var nextFrame: FrameTime {
    @_noLocks get { first < end ? entries[first].at : .endless }
  }

  var isFull: Bool {
    @_noLocks get { end &- first == capacity }
  }

  /// Inserts a command after all commands of the same or an earlier frame.
  ///
  /// - Precondition: the queue is not full. `Mixer.collect` leaves commands in their ring while it is full.
  @_noLocks mutating func insert(_ command: RenderCommand) {
    if end == capacity { moveToFront() }
    var index = end
    while first < index, command.at < entries[index &- 1].at {
      entries[index] = entries[index &- 1]
      index &-= 1
    }
    entries[index] = command
    end &+= 1
  }

  /// Drops all commands after a rewind: control sends them again.
  @_noLocks mutating func removeAll() { (first, end) = (0, 0) }

  /// Removes and returns the earliest command if it is due at `frame` or earlier.
  @_noLocks mutating func take(dueAt frame: FrameTime) -> RenderCommand? {
    if frame < nextFrame || first == end { return nil }
    first &+= 1
    return entries[first &- 1]
  }

  /// Makes room at the end by moving the commands to the beginning.
  @_noLocks private mutating func moveToFront() {
    var index = first
    while index < end {
      entries[index &- first] = entries[index]
      index &+= 1
    }
    end &-= first
    first = 0
  }
}

extension RenderCommandQueue {
  /// Whether each voice that starts before `frame` has decoded all frames from its start to `frame`.
  @_noLocks borrowing func startsAreDecoded(before frame: FrameTime, of voices: UnsafeMutablePointer<Voice>) -> Bool {
    var index = first
    while index < end, entries[index].at < frame {
      if case .start(let part) = entries[index].action {
        let wanted = frame &- entries[index].at
        // A voice that continues has played a part of its length.
        let left = part.length &- (entries[index].at &- part.begin)
        let frames = wanted < left ? wanted : left
        if !voices[Int(part.voice)].isFed(Int(frames), for: part, at: entries[index].at) { return false }
      }
      index &+= 1
    }
    return true
  }
}
