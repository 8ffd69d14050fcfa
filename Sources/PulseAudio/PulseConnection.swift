internal import CPulse
internal import Engine
internal import Glibc

/// The connection to a sound server: libpulse's thread and its context.
///
/// `@unchecked Sendable` holds because libpulse's objects are accessed only in `locked`, under the lock of libpulse's
/// thread, and the pointer to the thread never changes. The pointer of `changed` is passed to C: libpulse's thread,
/// which uses it, ends in `deinit`, before `changed` is freed.
final class PulseConnection: @unchecked Sendable {
  private let loop: OpaquePointer
  /// Called by every callback, so that all waiting threads check their conditions again.
  let changed = Broadcast()
  /// Under the lock.
  private(set) var context: OpaquePointer
  private let server: String?

  /// Seconds that a server may take to answer a request.
  static let answerTimeout = 5.0

  /// Starts the thread, without a connection.
  ///
  /// - Parameter server: the server to which `connect` connects; nil for the one that `PULSE_SERVER` or the client's
  ///   configuration names.
  init(server: String?) throws(SinkError) {
    if let failure = LibraryFailure(prosper_pulse_failure(), of: "libpulse", in: "the package libpulse0") {
      throw failure.isShortage
        ? .cannotCreate(path: "the output", cause: failure.description) : .noServer(cause: failure.description)
    }
    guard let loop = pa_threaded_mainloop_new() else {
      throw .tooManyFiles ?? .noServer(cause: "out of memory")
    }
    guard let context = makeContext(on: loop) else {
      pa_threaded_mainloop_free(loop)
      throw .noServer(cause: "out of memory")
    }
    (self.loop, self.context, self.server) = (loop, context, server)
    guard pa_threaded_mainloop_start(loop) >= 0 else { throw .noThread }
  }

  deinit {
    locked { disconnect() }
    pa_threaded_mainloop_stop(loop)
    pa_context_unref(context)
    pa_threaded_mainloop_free(loop)
  }

  /// Under the lock.
  func disconnect() { pa_context_disconnect(context) }

  /// Connects again; returns early, without a connection, when `isWanted` is no longer true. Under the lock.
  func reconnect(while isWanted: () -> Bool) throws(SinkError) {
    guard let next = makeContext(on: loop) else { throw .noServer(cause: "out of memory") }
    pa_context_set_state_callback(context, nil, nil)
    disconnect()
    pa_context_unref(context)
    context = next
    try connect(while: isWanted)
  }

  /// Connects for the first time, or again. Never starts a server. Under the lock.
  ///
  /// - Parameter isWanted: called several times a second on this thread while the server does not answer; returns false
  ///   to cancel.
  func connect(while isWanted: () -> Bool = { true }) throws(SinkError) {
    pa_context_set_state_callback(context, { _, changed in Broadcast.at(changed)?.call() }, changed.userdata)
    let isStarted = pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0
    if isStarted { waitForAnswer(while: isWanted) { isConnecting } }
    if isReady { return }
    // libpulse calls it a refused connection.
    throw .tooManyFiles ?? .noServer(cause: isConnecting ? "no answer within \(Int(Self.answerTimeout)) s" : lastError)
  }

  /// Runs `body` under the lock of libpulse's thread. Must not be called from a callback, which has the lock already.
  func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    pa_threaded_mainloop_lock(loop)
    defer { pa_threaded_mainloop_unlock(loop) }
    return try body()
  }

  /// Makes all waiting threads check their conditions. Under the lock.
  func wakeAll() { changed.call() }

  /// Waits while `condition` is true, for at most `seconds`. Called under the lock, which is released while waiting.
  func wait(upTo seconds: Double, while condition: () -> Bool) {
    let deadline = pa_rtclock_now() + UInt64(max(0, seconds) * 1e6)
    var calls = changed.count
    while condition(), pa_rtclock_now() < deadline {
      pa_threaded_mainloop_unlock(loop)
      changed.wait(after: calls, until: deadline)
      pa_threaded_mainloop_lock(loop)
      calls = changed.count
    }
  }

  /// Waits while `condition` and `isWanted` are true, for at most `seconds`. Under the lock.
  func waitForAnswer(
    upTo seconds: Double = answerTimeout, while isWanted: () -> Bool, and condition: () -> Bool
  ) {
    let deadline = pa_rtclock_now() + UInt64(seconds * 1e6)
    while condition(), isWanted(), pa_rtclock_now() < deadline { wait(upTo: min(seconds, 0.05), while: condition) }
  }

  /// Waits for the answer to a request; false if there was none. Under the lock.
  func answered(
    _ operation: OpaquePointer?, within seconds: Double, while isWanted: () -> Bool = { true }
  ) -> Bool {
    guard let operation else { return false }
    defer { pa_operation_unref(operation) }
    waitForAnswer(upTo: seconds, while: isWanted) { pa_operation_get_state(operation) == PA_OPERATION_RUNNING }
    if pa_operation_get_state(operation) == PA_OPERATION_DONE { return true }
    pa_operation_cancel(operation)
    return false
  }

  /// libpulse's description of the last error. Under the lock.
  var lastError: String { String(cString: pa_strerror(pa_context_errno(context))) }

  /// Under the lock.
  var isReady: Bool { pa_context_get_state(context) == PA_CONTEXT_READY }

  private var isConnecting: Bool {
    let state = pa_context_get_state(context)
    return state != PA_CONTEXT_READY && state != PA_CONTEXT_FAILED && state != PA_CONTEXT_TERMINATED
  }
}

private func makeContext(on loop: OpaquePointer) -> OpaquePointer? {
  let properties = applicationProperties()
  defer { pa_proplist_free(properties) }
  return pa_context_new_with_proplist(pa_threaded_mainloop_get_api(loop), "prosper", properties)
}

/// The name and icon in the desktop's mixer.
private func applicationProperties() -> OpaquePointer? {
  let properties = pa_proplist_new()
  pa_proplist_sets(properties, PA_PROP_APPLICATION_NAME, "prosper")
  pa_proplist_sets(properties, PA_PROP_APPLICATION_ID, "prosper")
  pa_proplist_sets(properties, PA_PROP_APPLICATION_ICON_NAME, "audio-x-generic")
  return properties
}
