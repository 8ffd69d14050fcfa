import Foundation
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Sounds whose server becomes unreachable while the bytes that have arrived are played.
@Suite struct DownloadRetryTests {
  let server: WebServer
  let folder: TemporaryFolder
  init() throws {
    server = try WebServer()
    folder = try TemporaryFolder()
  }

  private let sound = TestSound.noise(200_000)
  private var wave: [UInt8] { TestWave.stereo(sound, rate: 44_100) }

  private func sounds(_ limits: FetchLimits) -> RemoteSounds {
    RemoteSounds(cache: RemoteCache(folder: folder.path("c")), limits: limits, clock: { 0 })
  }

  private func open(_ name: String, of sounds: RemoteSounds) async throws -> any Decoder {
    let source = SoundSource(.remote(address: server.url(name)))
    return try await onOwnThread {
      try AudioFileLibrary(remote: sounds, playsWhileDownloading: true).open(source, at: .cd, from: 0)
    }
  }

  private var limits: FetchLimits {
    var limits = FetchLimits.tolerant
    limits.retryDelays = [0.01]
    return limits
  }

  /// Faults with which a request for the rest returns no bytes.
  private func faultsWithoutBytes() throws -> [WebServer.Fault] {
    let closed = try WebServer()
    closed.close()
    return [
      .status(503), .redirected(to: closed.url("a")), .dropped(after: 0), .status(500),
      .dropped(after: 0), .redirected(to: closed.url("a")),
    ]
  }

  @Test func `the rest is requested until the server sends it, whatever it answers at first`() async throws {
    server.put(.init(wave, etag: "\"a\"", limit: TransferLimit(upTo: 600_000)), at: "a")
    let sounds = sounds(limits)
    let decoder = try await open("a", of: sounds)
    #expect(try await onOwnThread { eventually { server.bodyBytes == 600_000 && size == 600_000 } })
    let reading = Background { Reading(decoder) }
    server.close()
    let faults = try faultsWithoutBytes()
    let successor = try await onOwnThread { try restarted(with: .init(wave, etag: "\"a\"", faults: faults)) }
    let heard = try await onOwnThread { try reading.value() }
    let isSame = heard.frames == sound
    #expect(isSame && heard.damage == nil)
    let ranges = Set(successor.requests.map { $0.fields["range"] })
    #expect(ranges == ["bytes=600000-"] && successor.requests.count == faults.count + 1)
  }

  /// How many bytes of the sound have arrived.
  private var size: Int? {
    let folder = folder.path("c")
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    guard let name = names.first(where: { $0.hasSuffix(".part") }) else { return nil }
    return try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int
  }

  /// Starts another server on the same port, as soon as the port is free.
  private func restarted(with page: WebServer.Page) throws -> WebServer {
    let deadline = Date(timeIntervalSinceNow: 60)
    while true {
      do { return try WebServer(port: server.port, pages: ["a": page]) } catch  where Date() < deadline {}
    }
  }

  @Test func `if the server stalls, the rest is requested again`() async throws {
    var limits = limits
    limits.lowSpeedTime = 4
    server.put(.init(wave, etag: "\"a\"", faults: [.stalled(after: 600_000)]), at: "a")
    let decoder = try await open("a", of: sounds(limits))
    let heard = try await onOwnThread { Reading(decoder) }
    let isSame = heard.frames == sound
    #expect(isSame && heard.damage == nil)
    #expect(server.requests.map { $0.fields["range"] } == [nil, "bytes=600000-"])
  }

  @Test func `a download fails if the server sends no new byte for too long`() async throws {
    var limits = limits
    limits.stallTimeout = 2
    let limit = TransferLimit(upTo: 500_000)
    let faults: [WebServer.Fault] = [.dropped(after: 600_000)] + Array(repeating: .status(503), count: 10_000)
    server.put(.init(wave, etag: "\"a\"", faults: faults, limit: limit), at: "a")
    let sounds = sounds(limits)
    let decoder = try await open("a", of: sounds)
    limit.raise()
    let heard = try await onOwnThread { Reading(decoder) }
    guard case .damaged(_, _, let cause) = heard.damage?.error else { return #expect(heard.error == nil) }
    #expect(cause == "the rest is missing: the server answers 503")
    // The download was retried several times, with delays in between.
    #expect((2...202).contains(server.requests.count))
  }

  @Test func `a download that pauses or ends reports this, so that another one can start`() throws {
    let download = Download()
    let (paused, ended) = (Flag(), Flag())
    download.whenPausedOrEnded { paused.raise() }
    #expect(!paused.isRaised)
    download.paused()
    #expect(paused.isRaised)
    download.whenPausedOrEnded { ended.raise() }
    download.end(.failure(.connectionLost))
    #expect(ended.isRaised)
  }
}
