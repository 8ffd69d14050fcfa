import ArgumentParser
import Foundation
import Glibc
import Signal
import TestSupport
import Testing

@testable import prosper

/// Sessions that start while their sounds are still being downloaded, through the whole program.
@Suite struct ArrivingSoundLiveTests {
  private let server: WebServer
  private let scratch: Scratch
  init() throws {
    server = try WebServer()
    scratch = try Scratch()
  }

  /// A minute of sound at 32,000 bytes a second. The server sends the first twelve seconds at once.
  private static let wave = TestWave.stereo(TestSound.noise(480_000), rate: 8_000)
  private static let through = 400_000

  private func put(_ limit: TransferLimit?, tag: String = "\"a\"") {
    server.put(.init(Self.wave, etag: tag, limit: limit), at: "a.wav")
  }

  private func session(lasting duration: String) throws -> String {
    try scratch.write(
      "far.yaml",
      """
      prosper: 1
      title: Far
      sampleRate: 8000
      stages: [{name: A, duration: \(duration), tracks: ["\(server.url("a.wav"))"]}]
      """)
  }

  private func prosper(
    _ arguments: String..., whileRunning: @escaping @Sendable (Running) -> Void = { _ in }
  ) async throws -> Prosper {
    try await Prosper.run(
      arguments, environment: ["XDG_CACHE_HOME": scratch.path("cache")], in: scratch,
      whileRunning: whileRunning)
  }

  private var kept: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: scratch.path("cache/prosper/sounds"))
    return (names ?? []).sorted()
  }

  /// Whether a position was saved from which a session can be resumed.
  private var hasPlace: Bool {
    let folder = scratch.path(".local/state/prosper")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains { name in
      name.hasPrefix("place-") && FileManager.default.contents(atPath: folder + "/" + name)?.isEmpty == false
    }
  }

  @Test func `a session plays to its end while the rest of its sound is withheld, and the next run fetches the rest`()
    async throws
  {
    let (limit, hasEnded) = (TransferLimit(upTo: Self.through), Flag())
    put(limit)
    let far = try session(lasting: "2s")
    let run = try await prosper("play", far, "-o", "null") {
      $0.waitUntilItSays("session.finished")
      if ends($0, limit) { hasEnded.raise() }
    }
    // The only line warns about an address of this computer.
    #expect(run.status == 0 && run.err.split(separator: "\n").count == 1, "\(run.err)")
    let events = try run.events()
    #expect(events.contains { $0["event"] as? String == "track" })
    #expect(events.last?["reason"] as? String == "completed" && events.last?["damaged"] as? Int == 0)
    #expect(try await onOwnThread { eventually { hasEnded.isRaised } })
    let left = try #require(partSize(in: scratch.path("cache")))
    #expect(server.requests.count == 1 && Self.through <= left)
    put(nil)
    #expect(try await prosper("check", far).status == 0)
    #expect(server.requests.last?.fields["range"] == "bytes=\(left)-" && kept.count == 2)
  }

  /// Whether the program ends while its sound keeps arriving in small pieces: never completely, nor so slowly that the
  /// download is given up.
  private func ends(_ running: Running, _ limit: TransferLimit) -> Bool {
    var count = Self.through
    return eventually {
      count += 50
      limit.raise(to: count)
      return kill(running.pid, 0) != 0
    }
  }

  @Test func `Ctrl-C ends a session at once while its sound is still being downloaded`() async throws {
    let (limit, hasEnded) = (TransferLimit(upTo: Self.through), Flag())
    put(limit)
    let run = try await prosper("play", try session(lasting: "60s"), "-o", "null") {
      $0.waitUntilItSays(#""event":"position""#)
      $0.send(SIGINT)
      if ends($0, limit) { hasEnded.raise() }
    }
    #expect(run.status == 130)
    #expect(try run.events().last?["reason"] as? String == "interrupted")
    #expect(try await onOwnThread { eventually { hasEnded.isRaised } })
    #expect(server.bodyBytes < Self.wave.count && hasPlace)
  }

  @Test(arguments: [
    ([], true), (["-o", "pulse:Hall"], true), (["-o", "null"], true), (["-o", "pipe:a"], true),
    (["-o", "a.wav"], false), (["-o", "-"], false), (["-o", "null:fast"], false), (["--resume"], false),
    (["--from", "1s"], false), (["-o", "null", "--stage", "A"], false),
  ])
  func `only a live session from its beginning starts before its sounds are complete`(options: [String], begins: Bool)
    throws
  {
    #expect(try PlayCommand.parse(["far.yaml"] + options).options.playsWhileDownloading == begins)
  }

  @Test func `rendering and checking wait for the complete sound`() async throws {
    let far = try session(lasting: "2s")
    for words in [["play", far, "-o", scratch.path("a.wav")], ["check", far]] {
      let limit = TransferLimit(upTo: Self.through)
      put(limit)
      let cache = scratch.path("cache-\(UUID())")
      let run = try await Prosper.run(words, environment: ["XDG_CACHE_HOME": cache], in: scratch) { _ in
        _ = eventually { partSize(in: cache) == Self.through }
        limit.raise()
      }
      #expect(run.status == 0 && partSize(in: cache) == nil, "\(run.err)")
    }
    #expect(server.bodyBytes == 2 * Self.wave.count)
  }

  private func partSize(in cache: String) -> Int? {
    let folder = cache + "/prosper/sounds"
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    let facts = names?.first { $0.hasSuffix(".part") }.flatMap {
      try? FileManager.default.attributesOfItem(atPath: folder + "/" + $0)
    }
    return facts?[.size] as? Int
  }

  /// The contents of the files with saved positions.
  private var places: Data {
    let folder = scratch.path(".local/state/prosper")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasPrefix("place-") }.compactMap {
      FileManager.default.contents(atPath: folder + "/" + $0)
    }
    .reduce(Data(), +)
  }

  /// A position that was saved while the sound was incomplete can be resumed, whatever the sound is now. One that was
  /// saved after the sound was complete can't be resumed if the sound has changed.
  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
  func `a saved position depends on a sound only if the sound was complete when it was saved`(
    isWhole: Bool, isSame: Bool
  ) async throws {
    let limit = TransferLimit(upTo: Self.through)
    put(limit)
    let far = try session(lasting: "60s")
    let killed = try await prosper("play", far, "-o", "null") {
      $0.waitUntilItSays(#""session":2.0"#)
      if isWhole { limit.raise() }
      _ = eventually { isWhole == places.contains(Data(#""unknown":[]"#.utf8)) }
      $0.send(SIGKILL)
    }
    #expect(killed.status == -SIGKILL && !places.isEmpty)
    let other = TestWave.stereo(TestSound.noise(480_000, seed: 2), rate: 8_000)
    server.put(isSame ? .init(Self.wave, etag: "\"a\"") : .init(other, etag: "\"b\""), at: "a.wav")
    let resumed = try await prosper("play", "--resume", "-o", "null:fast")
    guard isSame || !isWhole else { return #expect(resumed.status == 65) }
    let first = try resumed.events().compactMap { $0["session"] as? Double }.first
    #expect(resumed.status == 0 && 1 <= first ?? 0, "\(resumed.err)")
  }

  @Test func `a new run that is killed in its first minute keeps the saved position of the run before it`() async throws
  {
    put(nil)
    let far = try session(lasting: "60s")
    let left = try await prosper("play", far, "-o", "null") {
      $0.waitUntilItSays(#""session":3.0"#)
      _ = eventually { hasPlace }
      $0.send(SIGKILL)
    }
    let before = places
    #expect(left.status == -SIGKILL && !before.isEmpty)
    let anew = try await prosper("play", far, "-o", "null") {
      $0.waitUntilItSays(#""session":1.0"#)
      $0.send(SIGKILL)
    }
    #expect(anew.status == -SIGKILL && places == before)
    let resumed = try await prosper("play", "--resume", "-o", "null:fast")
    let first = try resumed.events().compactMap { $0["session"] as? Double }.first
    #expect(resumed.status == 0 && 2 <= first ?? 0, "\(resumed.err)")
  }

  @Test func `a download that fails for good is played as far as it goes and reported`() async throws {
    let limit = TransferLimit(upTo: Self.through)
    server.put(
      .init(
        Self.wave, etag: "\"a\"", faults: [.dropped(after: 416_044), .status(404)], limit: limit), at: "a.wav")
    let run = try await prosper("play", try session(lasting: "15s"), "-o", "null") {
      $0.waitUntilItSays(#""event":"track""#)
      limit.raise()
    }
    #expect(run.status == 0)
    let line = "\(server.url("a.wav")): is damaged at 13.00 s: the rest is missing: the server answers 404; "
    // The first line warns about an address of this computer.
    let lines = run.err.split(separator: "\n")
    #expect(lines.count == 2 && lines.last?.hasPrefix("prosper: " + line) == true, "\(run.err)")
    #expect(try run.events().last?["damaged"] as? Int == 1)
    #expect(!hasPlace)
  }
}
