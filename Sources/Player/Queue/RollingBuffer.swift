/// The last so many samples; older ones fall out.
struct RollingBuffer {
  let capacity: Int
  private var samples: [Int64] = []
  /// Where the next sample goes once the buffer is full: the oldest one stands there.
  private var oldest = 0

  init(capacity: Int) {
    self.capacity = max(1, capacity)
    samples.reserveCapacity(self.capacity)
  }

  var count: Int { samples.count }

  mutating func append(_ sample: Int64) {
    guard samples.count == capacity else { return samples.append(sample) }
    samples[oldest] = sample
    oldest = (oldest + 1) % capacity
  }

  /// In ascending order.
  var sorted: [Int64] { samples.sorted() }
}
