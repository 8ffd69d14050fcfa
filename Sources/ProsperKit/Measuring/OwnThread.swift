import Engine

/// Runs work that may block, which must not run in a task.
enum OwnThread {
  /// Runs `body` on a thread of its own; the calling task is suspended meanwhile.
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(ComparisonError) -> Value
  ) async throws(ComparisonError) -> Value {
    let result: Result<Value, ComparisonError> = await withCheckedContinuation { continuation in
      let hasStarted = OSThread.start {
        continuation.resume(returning: Result { () throws(ComparisonError) in try body() })
      }
      if !hasStarted { continuation.resume(returning: .failure(.output(.noThread))) }
    }
    return try result.get()
  }
}
