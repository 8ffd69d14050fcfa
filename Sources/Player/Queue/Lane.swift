/// The waiting operations of one priority, first in, first out. It keeps no references to operations that have left.
struct Lane {
  /// Slots before `head` are empty; they are removed once they make up more than half.
  private var slots: [WaitingOperation?] = []
  private var head = 0

  var first: WaitingOperation? { head < slots.count ? slots[head] : nil }

  var waiting: [WaitingOperation] { slots[head...].compactMap(\.self) }

  mutating func append(_ waiting: WaitingOperation) { slots.append(waiting) }

  mutating func prepend(_ waiting: WaitingOperation) {
    slots.replaceSubrange(..<head, with: [waiting])
    head = 0
  }

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

  /// Removes and returns the operations that `isMeant` selects, in order.
  mutating func remove(where isMeant: (WaitingOperation) -> Bool) -> [WaitingOperation] {
    let all = waiting
    head = 0
    slots = all.filter { !isMeant($0) }
    return all.filter(isMeant)
  }
}
