import Engine
import Foundation
import Glibc
import Signal
import Sounds
import Synchronization
import TestSupport
import Testing

@testable import Player

/// Loads that succeed, fail, hang, or finish too late. Alarms fire only when a test fires them.
struct LoaderTests {
  @Test func `a sound that opens is delivered with its loading time`() async throws {
    let clock = ManualClock()
    let loader = Loader(clock: { clock.now }, alarm: nil)
    let loaded = try await loader.load { () throws(SourceError) in
      clock.advance(milliseconds: 250)
      return "open"
    }
    #expect(loaded.value == "open" && loaded.seconds == 0.25)
  }

  @Test func `a failed load reports its reason and does not affect the timeout`() async {
    let loader = Loader(alarm: { _, _ in })
    let error = SourceError.missing(path: "gone.wav")
    await #expect(throws: LoadError.failed(error)) {
      try await loader.load { () throws(SourceError) -> Int in throw error }
    }
    #expect(loader.timeout == 5)
  }

  @Test func `a load from a FIFO that never responds times out and blocks no other load`() async throws {
    let pipe = try SilentPipe()
    let alarms = Alarms()
    let loader = Loader(alarm: alarms.set)
    async let hanging = failure { _ = try await loader.load { () throws(SourceError) in pipe.open() } }
    await until { !alarms.isEmpty }
    #expect(try await loader.load { () throws(SourceError) in 7 }.value == 7)
    alarms.ringAll()
    #expect(await hanging == .timedOut(seconds: 5))
    #expect(loader.hung == 1)
    pipe.answer()
    await until { loader.hung == 0 }
  }

  @Test func `a load from a FIFO that never responds times out on the system clock`() async throws {
    let pipe = try SilentPipe()
    let loader = Loader(expectation: 0.008, alarm: AlarmClock()?.set)
    let outcome = await failure { _ = try await loader.load { () throws(SourceError) in pipe.open() } }
    #expect(outcome == .timedOut(seconds: 0.02))
    pipe.answer()
  }

  /// The durations of earlier loads and the timeout of the next one, in seconds.
  @Test(
    arguments: [
      ([], 5.0), (Array(repeating: 0.05, count: 5), 4), (Array(repeating: 3.5, count: 5), 5.25),
      (Array(repeating: 5, count: 5), 7.5), (Array(repeating: 9, count: 5), 10),
      (Array(repeating: 9, count: 5) + Array(repeating: 0.05, count: 5), 4),
    ] as [([Double], Double)])
  func `the timeout grows with the durations of earlier loads`(_ earlier: [Double], _ timeout: Double) async throws {
    let clock = ManualClock()
    let pipe = try SilentPipe()
    let alarms = Alarms()
    let loader = Loader(clock: { clock.now }, alarm: alarms.set)
    for seconds in earlier {
      _ = try await loader.load { () throws(SourceError) in clock.advance(milliseconds: Int64(1_000 * seconds)) }
    }
    #expect(loader.timeout == timeout)
    async let hanging = failure { _ = try await loader.load { () throws(SourceError) in pipe.open() } }
    await until { alarms.count == earlier.count + 1 }
    alarms.ringAll()
    #expect(await hanging == .timedOut(seconds: timeout))
    pipe.answer()
  }

  @Test func `a disk that spins up times out once, and the next load waits long enough`() async throws {
    let clock = ManualClock()
    // The disk responds after seven seconds, so a shorter alarm fires first.
    let loader = Loader(clock: { clock.now }) { seconds, ring in if seconds < 7 { ring() } }
    let spinUp: @Sendable (SilentPipe) -> Void = { pipe in
      pipe.open()
      clock.advance(milliseconds: 7_000)
    }
    let first = try SilentPipe()
    let given = await failure { _ = try await loader.load { () throws(SourceError) in spinUp(first) } }
    #expect(given == .timedOut(seconds: 5))
    first.answer()
    await until { loader.hung == 0 }
    let second = try SilentPipe()
    async let loaded = loader.load { () throws(SourceError) in spinUp(second) }
    await second.reached()
    second.answer()
    #expect(try await loaded.seconds == 7)
  }

  @Test func `the number of hung threads is bounded`() async throws {
    let pipe = try SilentPipe()
    let alarms = Alarms()
    let loader = Loader(alarm: alarms.set)
    let errors = Mutex<[LoadError]>([])
    for _ in 0..<20 {
      loader.start({ () throws(SourceError) in pipe.open() }) { result in
        if case .failure(let error) = result { errors.withLock { $0.append(error) } }
      }
      alarms.ringAll()
    }
    let expected = Array(repeating: LoadError.timedOut(seconds: 5), count: 8)
    #expect(errors.withLock { $0 } == expected + Array(repeating: .exhausted(hung: 8), count: 12))
    #expect(loader.hung == 8)
    pipe.answer()
    await until { loader.hung == 0 }
    #expect(try await loader.load { () throws(SourceError) in 7 }.value == 7)
  }

  @Test func `a load for which the system has no thread reports this cause`() async {
    let loader = Loader(alarm: nil, on: { _ in false })
    let error = await failure { _ = try await loader.load { () throws(SourceError) in 7 } }
    let cause = "the system can't create another thread; end other programs"
    #expect(error?.outcome(loading: "a") == .rejected(.fileLoadFailed(.shortage(path: "a", cause: cause))))
    #expect(error?.sourceError(of: "a") == .shortage(path: "a", cause: cause))
    #expect(loader.hung == 0)
  }

  @Test func `an operation that is asked to stop does not wait for its sound`() async throws {
    let pipe = try SilentPipe()
    let loader = Loader(alarm: nil)
    let context = OperationContext(steps: 1)
    async let loading = failure { _ = try await loader.load(for: context) { () throws(SourceError) in pipe.open() } }
    await pipe.reached()
    context.askToStop(for: "pause")
    #expect(await loading == .stopped(by: "pause"))
    #expect(LoadError.stopped(by: "pause").outcome(loading: "a") == .cancelled(by: "pause"))
    pipe.answer()
  }

  @Test func `a sound that opens too late is released`() async throws {
    final class Witness: Sendable {}
    let pipe = try SilentPipe()
    let loader = Loader(alarm: nil)
    let last = Last<Witness>()
    let abandon = loader.start { () throws(SourceError) -> Witness in
      let witness = Witness()
      last.set(witness)
      pipe.open()
      return witness
    } deliver: { result in
      #expect(throws: LoadError.stopped(by: "stop")) { try result.get() }
    }
    await pipe.reached()
    abandon(.stopped(by: "stop"))
    pipe.answer()
    await until { loader.hung == 0 }
    await until { last.isGone }
  }

  private func failure(_ load: @Sendable () async throws -> Void) async -> LoadError? {
    do { try await load() } catch let error as LoadError { return error } catch {}
    return nil
  }
}

/// Observes an object without retaining it.
private final class Last<Object: AnyObject & Sendable>: Sendable {
  private struct Sight: Sendable { weak var object: Object? }

  private let sight = Mutex(Sight())

  var isGone: Bool { sight.withLock { $0.object == nil } }

  func set(_ object: Object) { sight.withLock { $0.object = object } }
}

/// Returns when the condition holds. Polls on a thread of its own, because other threads need the pool's to make it
/// true.
func until(_ condition: @escaping @Sendable () -> Bool) async {
  await withCheckedContinuation { continuation in
    OSThread.start {
      while !condition() { poll(nil, 0, 1) }
      continuation.resume()
    }
  }
}

/// Alarms that a test fires.
final class Alarms: Sendable {
  private let rings = Mutex<[@Sendable () -> Void]>([])

  var isEmpty: Bool { count == 0 }
  var count: Int { rings.withLock(\.count) }

  var set: Loader.Alarm { { [self] _, ring in rings.withLock { $0.append(ring) } } }

  func ringAll() {
    let due = rings.withLock { rings in
      defer { rings = [] }
      return rings
    }
    for ring in due { ring() }
  }
}

/// A FIFO without a writer: opening it for reading blocks until the test answers.
final class SilentPipe: Sendable {
  private let path: String
  private let entered = Atomic<Bool>(false)
  private let writer = Atomic<Int32>(-1)

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("prosper-fifo-\(UUID())").path
    guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  }

  deinit {
    close(writer.load(ordering: .acquiring))
    unlink(path)
  }

  /// Blocks until there is a writer.
  func open() {
    entered.store(true, ordering: .releasing)
    let descriptor = Glibc.open(path, O_RDONLY)
    close(descriptor)
  }

  func reached() async {
    await until { self.entered.load(ordering: .acquiring) }
  }

  /// Opens the FIFO for writing and keeps it open, so that waiting and later readers do not block.
  func answer() { writer.store(Glibc.open(path, O_RDWR), ordering: .releasing) }
}
