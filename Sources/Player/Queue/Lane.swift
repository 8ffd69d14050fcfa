/// The waiting operations of one priority, first come, first served. Holds nothing of what has left it.
struct Lane {
  private var slots: [WaitingOperation?] = []
  private var head = 0

  var first: WaitingOperation? { head < slots.count ? slots[head] : nil }

  mutating func append(_ waiting: WaitingOperation) { slots.append(waiting) }

  mutating func popFirst() -> WaitingOperation? {
    guard let first else { return nil }
    slots[head] = nil
    head += 1
    if slots.count < 2 * head {
      slots.removeFirst(head)
      head = 0
    }
    return first
  }

  /// Takes out those that `isMeant` chooses, in their order.
  mutating func remove(where isMeant: (WaitingOperation) -> Bool) -> [WaitingOperation] {
    let all = slots[head...].compactMap(\.self)
    head = 0
    slots = all.filter { !isMeant($0) }
    return all.filter(isMeant)
  }
}
