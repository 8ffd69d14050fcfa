import Signal

/// What each bus adds to the mix. Only the thread that renders uses it; the mixer allocates and frees it.
struct BusSums: BitwiseCopyable {
  private let frames: UnsafeMutablePointer<Frame>
  private let voice: UnsafeMutablePointer<Frame>
  private let capacity: Int

  /// - Parameter capacity: the most frames of a render.
  init(capacity: Int) {
    self.capacity = capacity
    frames = .allocate(capacity: 3 * capacity)
    frames.initialize(repeating: Frame(left: 0, right: 0), count: 3 * capacity)
    voice = .allocate(capacity: capacity)
    voice.initialize(repeating: Frame(left: 0, right: 0), count: capacity)
  }

  func deallocate() {
    frames.deallocate()
    voice.deallocate()
  }

  /// The frames of a bus.
  @_noLocks func sum(of bus: Bus) -> UnsafeMutablePointer<Frame> {
    switch bus {
    case .music: frames
    case .overlays: frames + capacity
    case .effects: frames + (capacity &+ capacity)
    }
  }

  /// Begins a segment, from frame `offset` of the render on, with silence on all buses.
  @_noLocks func clear(from offset: Int, count: Int) {
    silence(sum(of: .music) + offset, count: count)
    silence(sum(of: .overlays) + offset, count: count)
    silence(sum(of: .effects) + offset, count: count)
  }

  /// Silence to which one voice is added.
  @_noLocks func begin(count: Int) -> UnsafeMutablePointer<Frame> {
    silence(voice, count: count)
    return voice
  }

  /// Adds the voice to its bus, from frame `offset` on, and to the mix.
  @_noLocks func add(to bus: Bus, from offset: Int, and mix: UnsafeMutablePointer<Frame>, count: Int) {
    let sum = sum(of: bus) + offset
    var index = 0
    while index < count {
      sum[index] = sum[index] + voice[index]
      mix[index] = mix[index] + voice[index]
      index &+= 1
    }
  }

  @_noLocks private func silence(_ frames: UnsafeMutablePointer<Frame>, count: Int) {
    var index = 0
    while index < count {
      frames[index] = Frame(left: 0, right: 0)
      index &+= 1
    }
  }
}
