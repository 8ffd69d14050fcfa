import Signal

/// The commands that have come and are not yet due, in the order of their frames; those of one frame in that of their coming.
struct Agenda: ~Copyable {
  fileprivate let entries: UnsafeMutablePointer<RenderCommand>
  private let capacity: Int
  fileprivate var first = 0
  fileprivate var end = 0

  init(capacity: Int) {
    entries = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { entries.deallocate() }

  /// The frame of the earliest command; `.endless` when there is none.
  var nextFrame: FrameTime {
    @_noLocks get { first < end ? entries[first].at : .endless }
  }

  var isFull: Bool {
    @_noLocks get { end &- first == capacity }
  }

  /// Inserts a command. Control never has more under way than the agenda holds.
  @_noLocks mutating func insert(_ command: RenderCommand) {
    if end == capacity { moveToFront() }
    var place = end
    while first < place, command.at < entries[place &- 1].at {
      entries[place] = entries[place &- 1]
      place &-= 1
    }
    entries[place] = command
    end &+= 1
  }

  @_noLocks mutating func removeAll() { (first, end) = (0, 0) }

  /// Takes the earliest command, if it is due at `frame`.
  @_noLocks mutating func take(dueAt frame: FrameTime) -> RenderCommand? {
    if frame < nextFrame || first == end { return nil }
    first &+= 1
    return entries[first &- 1]
  }

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

extension Agenda {
  /// Whether every voice that is to start before `frame` can play up to there without waiting.
  @_noLocks borrowing func holdsStarts(within frame: FrameTime, of voices: UnsafeMutablePointer<Voice>) -> Bool {
    var index = first
    while index < end, entries[index].at < frame {
      if case .start(let part) = entries[index].action {
        let wanted = frame &- entries[index].at
        let frames = wanted < part.length ? wanted : part.length
        if !voices[Int(part.voice)].isFed(Int(frames), isUnderWay: part.isUnderWay) { return false }
      }
      index &+= 1
    }
    return true
  }
}
