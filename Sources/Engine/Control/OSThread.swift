import Glibc

/// Threads of the operating system, for work that may block: decoding, the render loop, printing.
///
/// Such work must not run in Swift's tasks. They share a pool with as many threads as the machine has cores, and a task
/// that blocks one of these threads delays all other tasks.
package enum OSThread {
  /// A closure as an object, to pass it through the C interface.
  private final class Body {
    let run: () -> Void
    init(run: sending @escaping () -> Void) { self.run = run }
  }

  /// Runs `body` on a new, detached thread.
  ///
  /// - Returns: false if the system can't create a thread; `body` is then never called.
  @discardableResult
  package static func start(_ body: sending @escaping () -> Void) -> Bool {
    spawn(Unmanaged.passRetained(Body(run: body)).toOpaque())
  }

  private static func spawn(_ raw: UnsafeMutableRawPointer) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { pthread_attr_destroy(&attributes) }
    var thread: pthread_t = 0
    let result = pthread_create(&thread, &attributes, enter, raw)
    if result != 0 { Unmanaged<Body>.fromOpaque(raw).release() }
    return result == 0
  }

  private static let enter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { raw in
    if let raw { Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run() }
    return nil
  }
}
