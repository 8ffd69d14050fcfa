import Engine
import Foundation
import Signal
import TestSupport
import Testing

@testable import AudioFiles

/// Sounds whose transfer breaks off while they are decoded.
@Suite struct BrokenArrivalTests {
  let server: WebServer
  let folder: TemporaryFolder
  init() throws {
    server = try WebServer()
    folder = try TemporaryFolder()
  }

  /// - Parameter silence: The seconds without a byte after which a sound that is played is given up.
  private func sounds(silence: Double = 600) -> RemoteSounds {
    var limits = FetchLimits.patient
    (limits.silence, limits.pauses) = (silence, [0.01])
    return RemoteSounds(cache: RemoteCache(folder: folder.path("c")), limits: limits, clock: { 0 })
  }

  /// Decodes from the first frame, once the sound has begun to arrive.
  private func open(_ name: String, of sounds: RemoteSounds) async throws -> any Decoder {
    let source = SoundSource(.remote(address: server.url(name)))
    return try await onOwnThread {
      try AudioFileLibrary(remote: sounds, takesArriving: true).open(source, at: .cd, from: 0)
    }
  }

  private func whole(_ name: String) throws -> [Frame] {
    let library = AudioFileLibrary(remote: sounds())
    return Reading(try library.open(SoundSource(.remote(address: server.url(name))), at: .cd, from: 0)).frames
  }

  private func rest(of decoder: any Decoder) async throws -> Reading { try await onOwnThread { Reading(decoder) } }

  private func isAsked(_ count: Int) async throws -> Bool {
    try await onOwnThread { eventually { server.requests.count == count } }
  }

  private let sound = TestSound.noise(200_000)
  private var wave: [UInt8] { TestWave.stereo(sound, rate: 44_100) }

  @Test(arguments: [true, false])
  func `resuming a transfer is inaudible, even if the server sends everything again`(knowsParts: Bool) async throws {
    let gate = Gate(openUpTo: 600_000)
    var page = WebServer.Page(wave, etag: "\"a\"", mishaps: [.dropped(after: 600_000)], gate: gate)
    page.knowsParts = knowsParts
    server.put(page, at: "a")
    let decoder = try await open("a", of: sounds())
    #expect(try await isAsked(2))
    gate.open()
    let reading = try await rest(of: decoder)
    let isSame = reading.frames == sound
    #expect(reading.damage == nil)
    #expect(isSame)
    #expect(server.requests.map { $0.fields["range"] } == [nil, "bytes=600000-"])
    #expect(server.bodyBytes == (knowsParts ? wave.count : wave.count + 600_000))
    let isKept = try whole("a") == sound
    #expect(isKept)
  }

  @Test func `a transfer that fails for good counts as damage after the received frames, and the next run resumes it`()
    async throws
  {
    let gate = Gate(openUpTo: 500_000)
    server.put(.init(wave, etag: "\"a\"", mishaps: [.dropped(after: 600_044)], gate: gate), at: "a")
    let decoder = try await open("a", of: sounds(silence: 0))
    gate.open()
    let reading = try await rest(of: decoder)
    let isBeginning = reading.frames.prefix(150_000) == sound[..<150_000]
    // The sound fades out after them.
    #expect(isBeginning && reading.frames.count < 160_000)
    let cause = "the rest is missing: the connection was lost"
    let error = SourceError.damaged(path: server.url("a"), atSecond: 150_000 / 44_100, cause: cause)
    #expect(reading.damage == SoundDamage(error, atFrame: 150_000))
    let isSame = try whole("a") == sound
    #expect(isSame && server.requests.last?.fields["range"] == "bytes=600044-")
  }

  @Test func `a reader never receives frames of a sound that has replaced its own`() async throws {
    let gate = Gate(openUpTo: 500_000)
    server.put(.init(wave, etag: "\"a\"", mishaps: [.dropped(after: 600_000)], gate: gate), at: "a")
    let decoder = try await open("a", of: sounds())
    let next = TestSound.noise(200_000, seed: 2)
    server.put(.init(TestWave.stereo(next, rate: 44_100), etag: "\"b\""), at: "a")
    gate.open()
    #expect(try await isAsked(2))
    let reading = try await rest(of: decoder)
    let damage = try #require(reading.damage)
    let isBeginning = sound.starts(with: reading.frames.prefix(Int(damage.frame)))
    #expect(isBeginning && reading.frames.count < 200_000)
    guard case .damaged(_, _, let cause) = damage.error else { return #expect(reading.error == nil) }
    #expect(cause == "the rest is missing: it has changed on its server")
    let isNew = try whole("a") == next
    #expect(isNew)
  }

  @Test func `a part left by another process is played at once, and its rest is decoded while it arrives`() async throws
  {
    server.put(.init(wave, etag: "\"a\"", mishaps: [.dropped(after: 300_000), .dropped(after: 0)]), at: "a")
    #expect(throws: SourceError.self) { try whole("a") }
    let gate = Gate(openUpTo: 600_000)
    server.put(.init(wave, etag: "\"a\"", gate: gate), at: "a")
    let decoder = try await open("a", of: sounds())
    #expect(server.bodyBytes == 600_000 && server.requests.last?.fields["range"] == "bytes=300000-")
    gate.open()
    let isSame = try await rest(of: decoder).frames == sound
    #expect(isSame && server.bodyBytes == wave.count)
  }

  @Test func `damage found before the transfer broke off keeps its own cause`() {
    let arrival = Download()
    let file = DownloadingFile(arrival, 0, length: 100)
    let (early, late) = (DownloadingDecoder(Torn(), file), DownloadingDecoder(Torn(), file))
    #expect(read(early) == Torn.cause)
    arrival.end(.failure(.brokenOff))
    #expect(file.count(at: 10) == 0)
    #expect(read(early) == Torn.cause && read(late) == "the rest is missing: the connection was lost")
  }

  /// The cause of the decoder's damage, after a read.
  private func read(_ decoder: any Decoder) -> String? {
    _ = decoder.read(into: UnsafeMutableBufferPointer(start: nil, count: 0))
    guard case .damaged(_, _, let cause) = decoder.damage?.error else { return nil }
    return cause
  }

  private final class Torn: Decoder {
    static let cause = "it is torn"
    let damage: SoundDamage? = SoundDamage(.damaged(path: "a", atSecond: 1, cause: cause), atFrame: 44_100)

    func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int { 0 }
  }

  @Test func `four sounds are transferred at a time, and the fifth when one of them is complete`() async throws {
    let names = (0..<5).map { "\($0)" }
    let gates = names.map { _ in Gate(openUpTo: 500_000) }
    for (name, gate) in zip(names, gates) { server.put(.init(wave, etag: "\"a\"", gate: gate), at: name) }
    let sounds = sounds()
    let addresses = names.map { server.url($0) }
    let fetching = Background { sounds.fetch(addresses, takesArriving: true) }
    #expect(try await isAsked(4))
    #expect(server.requests.count == 4)
    for gate in zip(names, gates) where gate.0 == "0" { gate.1.open() }
    try await onOwnThread { try fetching.value() }
    #expect(server.requests.count == 5 && sounds.isFetching)
    #expect(sounds.content(of: addresses[0]) != nil && sounds.content(of: addresses[4]) == nil)
    for gate in gates { gate.open() }
    #expect(try await onOwnThread { eventually { !sounds.isFetching } })
    #expect(addresses.allSatisfy { sounds.content(of: $0) != nil })
  }
}
