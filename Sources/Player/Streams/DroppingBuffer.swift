/// A first-in, first-out buffer of fixed capacity. When it is full, a new element replaces the oldest one.
struct DroppingBuffer<Element> {
  private var slots: [Element?]
  private var head = 0
  private(set) var count = 0

  /// - Parameter capacity: at least 1.
  init(capacity: Int) { slots = Array(repeating: nil, count: max(1, capacity)) }

  /// - Returns: the element that was dropped, if the buffer was full.
  @discardableResult mutating func append(_ element: Element) -> Element? {
    let dropped = count == slots.count ? popFirst() : nil
    slots[(head + count) % slots.count] = element
    count += 1
    return dropped
  }

  mutating func popFirst() -> Element? {
    guard 0 < count else { return nil }
    defer {
      head = (head + 1) % slots.count
      count -= 1
    }
    return slots[head].take()
  }
}
