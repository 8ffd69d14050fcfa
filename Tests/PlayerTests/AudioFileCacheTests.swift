import Glibc
import Signal
import Sounds
import Synchronization
import Testing

@testable import Player

/// Preloading and taking opened sounds. Each opened sound has a serial number, which shows that none is handed out
/// twice.
struct AudioFileCacheTests {
  @Test func `a preloaded sound is delivered at once, but only to the first caller`() async throws {
    let sounds = Sounds()
    let cache = sounds.cache()
    cache.preload([Self.request("a")])
    await until { cache.figures.preloadSuccesses == 1 }
    #expect(try await cache.taken(Self.request("a")).value == "a 1")
    #expect(try await cache.taken(Self.request("a")).value == "a 2", "an open sound has one owner")
    #expect(cache.figures.hits == 1 && cache.figures.misses == 1 && cache.figures.preloadSuccesses == 1)
    #expect(cache.figures.hitRate == 0.5 && cache.figures.preloadSuccessRate == 1)
  }

  @Test func `a caller that asks during a preload waits for it`() async throws {
    let sounds = Sounds()
    let cache = sounds.cache()
    sounds.pause()
    cache.preload([Self.request("a")])
    async let taken = cache.taken(Self.request("a"))
    await until { cache.figures.hits == 1 }
    sounds.resume()
    #expect(try await taken.value == "a 1")
  }

  @Test func `preloading the same sound again has no effect`() async throws {
    let sounds = Sounds()
    let cache = sounds.cache()
    cache.preload([Self.request("a")])
    cache.preload([Self.request("a")])
    await sounds.opened(1)
    cache.preload([Self.request("a")])
    #expect(try await cache.taken(Self.request("a")).value == "a 1")
    #expect(sounds.count == 1)
  }

  @Test func `a later preload replaces an earlier one, even if the earlier one finishes last`() async throws {
    let sounds = Sounds()
    let cache = sounds.cache()
    sounds.pause()
    cache.preload([Self.request("a")])
    await until { sounds.waiting == 1 }
    cache.preload([Self.request("b")])
    await until { sounds.waiting == 2 }
    sounds.resume()
    await until { cache.figures.preloadSuccesses == 2 }
    #expect(try await cache.taken(Self.request("b")).value.hasPrefix("b "))
    #expect(cache.figures.hits == 1)
    #expect(try await cache.taken(Self.request("a")).value == "a 3")
  }

  @Test func `the same file from another offset is another sound`() async throws {
    let sounds = Sounds()
    let cache = sounds.cache()
    cache.preload([Self.request("a")])
    #expect(try await cache.taken(Self.request("a", offset: 480)).value.hasPrefix("a "))
    #expect(cache.figures.hits == 0 && cache.figures.misses == 1)
  }

  @Test func `several sounds are open in advance, and others replace only those that are not asked for again`()
    async throws
  {
    let sounds = Sounds()
    let cache = sounds.cache()
    cache.preload([Self.request("a"), Self.request("b"), Self.request("a")])
    await until { cache.figures.preloadSuccesses == 2 }
    cache.preload([Self.request("b"), Self.request("c")])
    await until { cache.figures.preloadSuccesses == 3 }
    #expect(!cache.isReady(Self.request("a")) && cache.isReady(Self.request("b")) && cache.isReady(Self.request("c")))
    _ = try await cache.taken(Self.request("b"))
    #expect(cache.figures.hits == 1 && sounds.count == 3 && !cache.isEmpty)
  }

  @Test func `sounds that are opened beside a requested one leave it as it is`() async throws {
    let sounds = Sounds()
    let cache = sounds.cache()
    cache.preload([Self.request("a")])
    await until { cache.isReady(Self.request("a")) }
    cache.preload([Self.request("a"), Self.request("b")], beside: Self.request("a"))
    await until { cache.isReady(Self.request("b")) }
    #expect(cache.isReady(Self.request("a")) && sounds.count == 2)
    cache.preload([Self.request("c"), Self.request("b")], beside: Self.request("c"))
    #expect(!cache.isReady(Self.request("a")) && cache.isReady(Self.request("b")) && sounds.count == 2)
  }

  @Test func `a failure that is kept is delivered once`() async throws {
    let sounds = Sounds()
    let cache = sounds.cache()
    sounds.break(times: 1)
    cache.preload([Self.request("a")], keepingFailures: true)
    await until { cache.figures.preloadFailures == 1 }
    #expect(!cache.isReady(Self.request("a")))
    await #expect(throws: LoadError.self) { try await cache.taken(Self.request("a")) }
    #expect(sounds.count == 1)
    #expect(try await cache.taken(Self.request("a")).value == "a 2")
  }

  @Test func `a failed preload is retried`() async throws {
    let sounds = Sounds()
    let cache = sounds.cache()
    sounds.break(times: 2)
    cache.preload([Self.request("a")])
    await until { cache.figures.preloadFailures == 1 }
    cache.preload([Self.request("a")])
    await until { cache.figures.preloadFailures == 2 }
    #expect(try await cache.taken(Self.request("a")).value == "a 3")
    #expect(cache.figures.hits == 0 && cache.figures.misses == 1)
    #expect(cache.figures.preloadSuccesses == 0 && cache.figures.preloadFailures == 2)
  }

  @Test func `a sound that can't be opened reports the reason to its caller`() async {
    let sounds = Sounds()
    let cache = sounds.cache()
    sounds.break(times: 1)
    await #expect(throws: LoadError.failed(.empty(path: "a"))) { try await cache.taken(Self.request("a")) }
  }

  @Test func `clearing the cache removes the preloaded sound`() async throws {
    let sounds = Sounds()
    let cache = sounds.cache()
    cache.preload([Self.request("a")])
    await sounds.opened(1)
    #expect(!cache.isEmpty)
    cache.clear()
    #expect(cache.isEmpty && cache.figures.clears == 1)
    #expect(try await cache.taken(Self.request("a")).value == "a 2")
    #expect(cache.figures.hitRate == 0)
  }

  @Test func `an operation that is asked to stop does not wait for a preload`() async throws {
    let sounds = Sounds()
    let cache = sounds.cache()
    let context = OperationContext(steps: 1)
    sounds.pause()
    cache.preload([Self.request("a")])
    context.askToStop(for: "pause")
    await #expect(throws: LoadError.stopped(by: "pause")) {
      try await cache.taken(Self.request("a"), for: context)
    }
    sounds.resume()
  }

  private static func request(_ name: String, offset: FrameCount = 0) -> PrimedSource.Need {
    PrimedSource.Need(source: SoundSource(.file(path: name)), offset: offset)
  }
}

/// Opens sounds when the test allows it, and numbers them in the order in which they are opened.
private final class Sounds: Sendable {
  private struct State {
    var count = 0
    var failures = 0
    var waiting = 0
    var isPaused = false
  }

  private let state = Mutex(State())

  var count: Int { state.withLock(\.count) }
  var waiting: Int { state.withLock(\.waiting) }

  func cache() -> AudioFileCache<String> {
    AudioFileCache(loader: Loader(alarm: nil)) { [self] request throws(SourceError) in try open(request.source.label) }
  }

  func pause() { state.withLock { $0.isPaused = true } }
  func resume() { state.withLock { $0.isPaused = false } }
  func `break`(times: Int) { state.withLock { $0.failures = times } }

  func opened(_ count: Int) async {
    await until { self.count == count }
  }

  private func open(_ name: String) throws(SourceError) -> String {
    state.withLock { $0.waiting += 1 }
    while state.withLock(\.isPaused) { poll(nil, 0, 1) }
    let (number, fails) = state.withLock { state in
      state.count += 1
      state.failures -= 1
      return (state.count, state.failures >= 0)
    }
    if fails { throw .empty(path: name) }
    return "\(name) \(number)"
  }
}

extension AudioFileCache {
  /// Takes the sound and waits until it is delivered.
  fileprivate func taken(_ request: PrimedSource.Need, for context: OperationContext? = nil) async throws -> Loaded<
    Sound
  > {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<LoadTicket<Sound>.Result, Never>) in
      take(
        request, for: context ?? OperationContext(steps: 0),
        deliver: { continuation.resume(returning: $0) })
    }
    return try result.get()
  }
}
