import Glibc

/// The cost of one of many calls: the best of several rounds, because a busy machine only makes them slower.
struct Stopwatch {
  /// Calls per round.
  var calls: Int
  var rounds = 50

  /// - Returns: The nanoseconds per call.
  func measure(_ body: () -> Void) -> Double {
    var best = Double.infinity
    for _ in 0..<rounds {
      let began = Self.now
      for _ in 0..<calls { body() }
      best = min(best, Double(Self.now - began) / Double(calls))
    }
    return best
  }

  /// - Returns: The nanoseconds per call.
  func measure(_ body: () async -> Void) async -> Double {
    var best = Double.infinity
    for _ in 0..<rounds {
      let began = Self.now
      for _ in 0..<calls { await body() }
      best = min(best, Double(Self.now - began) / Double(calls))
    }
    return best
  }

  /// The monotonic clock in nanoseconds.
  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// Uses a value, so that the compiler can't remove the code that produced it.
@inline(never) @_optimize(none)
func keep<Value>(_ value: borrowing Value) {}

/// An input that the compiler can't know.
@inline(never) @_optimize(none)
func hide<Value>(_ value: Value) -> Value { value }
