/// The waiting operations of one priority, first in, first out. It keeps no references to removed operations.
struct Lane {
  /// Slots before `head` are empty. They are removed once they are more than half of all, so that removing the first
  /// operation is cheap on average.
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

  /// Removes and returns the operations that `isChosen` selects, in order.
  mutating func remove(where isChosen: (WaitingOperation) -> Bool) -> [WaitingOperation] {
    let all = waiting
    head = 0
    slots = all.filter { !isChosen($0) }
    return all.filter(isChosen)
  }
}
