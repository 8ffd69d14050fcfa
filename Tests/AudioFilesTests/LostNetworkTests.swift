import Engine
import Foundation
import Signal
import TestSupport
import Testing

@testable import AudioFiles

/// Sounds whose server goes away while what has arrived of them is played.
@Suite struct LostNetworkTests {
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
      try AudioFileLibrary(remote: sounds, takesArriving: true).open(source, at: .cd, from: 0)
    }
  }

  private var limits: FetchLimits {
    var limits = FetchLimits.patient
    limits.pauses = [0.01]
    return limits
  }

  /// Ways in which a request for the rest can return nothing.
  private func vain() throws -> [WebServer.Mishap] {
    let closed = try WebServer()
    closed.close()
    return [
      .status(503), .redirected(to: closed.url("a")), .dropped(after: 0), .status(500),
      .dropped(after: 0), .redirected(to: closed.url("a")),
    ]
  }

  @Test func `a server that returns is asked for the rest, whatever it answers at first`() async throws {
    server.put(.init(wave, etag: "\"a\"", gate: Gate(openUpTo: 600_000)), at: "a")
    let sounds = sounds(limits)
    let decoder = try await open("a", of: sounds)
    #expect(try await onOwnThread { eventually { server.bodyBytes == 600_000 && size == 600_000 } })
    let reading = Background { Reading(decoder) }
    server.close()
    let mishaps = try vain()
    let back = try await onOwnThread { try revived(with: .init(wave, etag: "\"a\"", mishaps: mishaps)) }
    let heard = try await onOwnThread { try reading.value() }
    let isSame = heard.frames == sound
    #expect(isSame && heard.damage == nil)
    let wishes = Set(back.requests.map { $0.fields["range"] })
    #expect(wishes == ["bytes=600000-"] && back.requests.count == mishaps.count + 1)
  }

  /// How many bytes of the sound have arrived.
  private var size: Int? {
    let folder = folder.path("c")
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    guard let name = names.first(where: { $0.hasSuffix(".part") }) else { return nil }
    return try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int
  }

  /// Another server on the same port, as soon as the port is free.
  private func revived(with page: WebServer.Page) throws -> WebServer {
    let deadline = Date(timeIntervalSinceNow: 60)
    while true {
      do { return try WebServer(port: server.port, pages: ["a": page]) } catch  where Date() < deadline {}
    }
  }

  @Test func `a server that stalls is asked again for the rest`() async throws {
    var limits = limits
    limits.stalling = 4
    server.put(.init(wave, etag: "\"a\"", mishaps: [.stalled(after: 600_000)]), at: "a")
    let decoder = try await open("a", of: sounds(limits))
    let heard = try await onOwnThread { Reading(decoder) }
    let isSame = heard.frames == sound
    #expect(isSame && heard.damage == nil)
    #expect(server.requests.map { $0.fields["range"] } == [nil, "bytes=600000-"])
  }

  @Test func `a server that delivers nothing for too long is given up`() async throws {
    var limits = limits
    limits.silence = 2
    let gate = Gate(openUpTo: 500_000)
    let mishaps: [WebServer.Mishap] = [.dropped(after: 600_000)] + Array(repeating: .status(503), count: 10_000)
    server.put(.init(wave, etag: "\"a\"", mishaps: mishaps, gate: gate), at: "a")
    let sounds = sounds(limits)
    let decoder = try await open("a", of: sounds)
    gate.open()
    let heard = try await onOwnThread { Reading(decoder) }
    guard case .damaged(_, _, let cause) = heard.damage?.error else { return #expect(heard.error == nil) }
    #expect(cause == "the rest is missing: the server answers 503")
    // The server was asked again and again, and never without a pause.
    #expect((2...202).contains(server.requests.count))
  }

  @Test func `a transfer that pauses or ends makes room for others`() throws {
    let arrival = Download()
    let (rests, over) = (Flag(), Flag())
    arrival.whenAtRest { rests.raise() }
    #expect(!rests.isUp)
    arrival.rest()
    #expect(rests.isUp)
    arrival.whenAtRest { over.raise() }
    arrival.end(.failure(.brokenOff))
    #expect(over.isUp)
  }
}
