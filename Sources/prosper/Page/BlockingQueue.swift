import Dispatch

/// Runs `body` where it may wait for the disk, and suspends the caller meanwhile.
func onBlockingQueue<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(returning: body()) }
  }
}
