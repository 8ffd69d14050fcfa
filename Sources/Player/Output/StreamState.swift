import Engine

/// The stream of a live output as its changes describe it: its connection and its device. Decides what the output does.
struct StreamState {
  private enum Link {
    case open
    case lost(Outage)
  }

  /// Seconds for which a stream must be open before it counts as working.
  private static let stable = 1.0

  let isManaged: Bool
  /// Seconds that the session waits for a lost output, and for one that has never been open.
  private let giveUpAfter, waitForServer: Double
  private var hasOpened = false
  /// The last outage, whether it was the wait for the first connection, and when it ended.
  private var lastOutage: (outage: Outage, isFirst: Bool, end: Double)?
  private var link = Link.open
  private(set) var isCorked = false
  private var suspendedSince: Double?
  private var device: AudioDevice?
  private var ports: [UInt32: PortMonitor] = [:]

  init(isManaged: Bool, giveUpAfter: Double, waitForServer: Double) {
    (self.isManaged, self.giveUpAfter, self.waitForServer) = (isManaged, giveUpAfter, waitForServer)
  }

  mutating func handle(_ change: StreamChange, at now: Double) -> [StreamAction] {
    switch change {
    case .opened(let isSuspended): opened(isSuspended: isSuspended, at: now)
    case .failed(let error): failed(error, at: now)
    case .suspended(let isSuspended): suspended(isSuspended, at: now)
    case .corkRequested(let begins): corkRequested(begins)
    case .device(let device): reported(device)
    case .moved(let device): moved(to: device)
    case .left(let device): left(device)
    }
  }

  func recovery(at now: Double) -> StreamRecovery? {
    guard case .lost(let outage) = link else { return nil }
    if outage.deadline <= now { return .giveUp(outage.error) }
    return outage.nextTry <= now ? .retry : .wait(seconds: min(outage.nextTry, outage.deadline) - now)
  }

  private mutating func opened(isSuspended: Bool, at now: Double) -> [StreamAction] {
    var actions: [StreamAction] = []
    // If silence is still requested, the server requests it again for the new stream.
    if isCorked { actions.append(.send(.corked(false))) }
    (isCorked, device) = (false, nil)
    // An outage continues while the device of the new stream is suspended.
    if case .lost(let outage) = link { (suspendedSince, lastOutage) = (outage.since, (outage, !hasOpened, now)) }
    (link, hasOpened) = (.open, true)
    return actions + suspended(isSuspended, at: now)
  }

  private mutating func failed(_ error: SinkError, at now: Double) -> [StreamAction] {
    if case .lost(var outage) = link {
      outage.failed(now: now)
      link = .lost(outage)
      return []
    }
    let timeout = hasOpened || waitForServer <= 0 ? giveUpAfter : waitForServer
    var outage = Outage(since: now, timeout: timeout, error: error)
    // If a stream fails as soon as it is open, the attempts become rarer all the same, and the session gives up in time.
    if let last = lastOutage, now < last.end + Self.stable {
      outage.follow(last.outage, sharesDeadline: !last.isFirst, now: now)
    }
    link = .lost(outage)
    guard 0 < timeout else { return [.disconnect] }
    let ofDevice = if case .deviceLost = error { true } else { false }
    return [.disconnect, .send(.lost(cause: error.cause, ofDevice: ofDevice))]
  }

  private mutating func suspended(_ isSuspended: Bool, at now: Double) -> [StreamAction] {
    if isSuspended {
      // The server suspends the idle device of a corked stream, and resumes it after the cork.
      if isCorked || suspendedSince != nil { return [] }
      suspendedSince = now
      return [.send(.lost(cause: "the output is suspended"))]
    }
    return suspendedSince.take().map { [.send(.restored(seconds: now - $0))] } ?? []
  }

  /// A managed stream is corked in answer, because the server reports the end of the request only to corked streams. It
  /// mutes all others, so each request to an external session begins another interruption.
  private mutating func corkRequested(_ begins: Bool) -> [StreamAction] {
    guard isManaged else { return [.send(.corked(begins))] }
    guard begins != isCorked else { return [] }
    isCorked = begins
    return [.cork(begins), .send(.corked(begins))]
  }

  private mutating func reported(_ device: AudioDevice) -> [StreamAction] {
    self.device = device
    return isUnplugged(device) ? [.send(.unplugged(to: device.name))] : []
  }

  private mutating func moved(to next: AudioDevice) -> [StreamAction] {
    let isSame = device == nil || device?.index == next.index
    device = next
    return isSame ? [.send(.moved(to: next.name))] : []
  }

  /// Distinguishes a move that somebody has chosen from one that is due to an unplugged device or port.
  private mutating func left(_ old: AudioDevice?) -> [StreamAction] {
    let name = device?.name ?? ""
    let isGone = old.map { isUnplugged($0) } ?? true
    return [.send(isGone ? .unplugged(to: name) : .moved(to: name))]
  }

  private mutating func isUnplugged(_ device: AudioDevice) -> Bool {
    ports[device.index, default: PortMonitor()].update(device)
  }
}
