import Foundation
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Sounds whose download is interrupted while they are decoded.
@Suite struct InterruptedDownloadTests {
  let server: WebServer
  let folder: TemporaryFolder
  init() throws {
    server = try WebServer()
    folder = try TemporaryFolder()
  }

  /// - Parameter silence: The seconds without a new byte after which a download fails.
  private func sounds(silence: Double = 600) -> RemoteSounds {
    var limits = FetchLimits.tolerant
    (limits.stallTimeout, limits.retryDelays) = (silence, [0.01])
    return RemoteSounds(cache: RemoteCache(folder: folder.path("c")), limits: limits, clock: { 0 })
  }

  /// Opens a decoder at the first frame, as soon as the sound can be read.
  private func open(_ name: String, of sounds: RemoteSounds) async throws -> any Decoder {
    let source = SoundSource(.remote(address: server.url(name)))
    return try await onOwnThread {
      try AudioFileLibrary(remote: sounds, playsWhileDownloading: true).open(source, at: .cd, from: 0)
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
  func `continuing a download is inaudible, even if the server sends everything again`(
    supportsRanges: Bool
  ) async throws {
    let limit = TransferLimit(upTo: 600_000)
    var page = WebServer.Page(wave, etag: "\"a\"", faults: [.dropped(after: 600_000)], limit: limit)
    page.supportsRanges = supportsRanges
    server.put(page, at: "a")
    let decoder = try await open("a", of: sounds())
    #expect(try await isAsked(2))
    limit.raise()
    let reading = try await rest(of: decoder)
    let isSame = reading.frames == sound
    #expect(reading.damage == nil)
    #expect(isSame)
    #expect(server.requests.map { $0.fields["range"] } == [nil, "bytes=600000-"])
    #expect(server.bodyBytes == (supportsRanges ? wave.count : wave.count + 600_000))
    let isKept = try whole("a") == sound
    #expect(isKept)
  }

  @Test func `a failed download is reported as damage after the received frames, and the next run continues it`()
    async throws
  {
    let limit = TransferLimit(upTo: 500_000)
    server.put(.init(wave, etag: "\"a\"", faults: [.dropped(after: 600_044)], limit: limit), at: "a")
    let decoder = try await open("a", of: sounds(silence: 0))
    limit.raise()
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

  @Test func `a reader never gets frames of the new content if the server's content changes`() async throws {
    let limit = TransferLimit(upTo: 500_000)
    server.put(.init(wave, etag: "\"a\"", faults: [.dropped(after: 600_000)], limit: limit), at: "a")
    let decoder = try await open("a", of: sounds())
    let next = TestSound.noise(200_000, seed: 2)
    server.put(.init(TestWave.stereo(next, rate: 44_100), etag: "\"b\""), at: "a")
    limit.raise()
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

  @Test func `a download of another process is continued, and played while it downloads`() async throws {
    server.put(.init(wave, etag: "\"a\"", faults: [.dropped(after: 300_000), .dropped(after: 0)]), at: "a")
    #expect(throws: SourceError.self) { try whole("a") }
    let limit = TransferLimit(upTo: 600_000)
    server.put(.init(wave, etag: "\"a\"", limit: limit), at: "a")
    let decoder = try await open("a", of: sounds())
    #expect(server.bodyBytes == 600_000 && server.requests.last?.fields["range"] == "bytes=300000-")
    limit.raise()
    let isSame = try await rest(of: decoder).frames == sound
    #expect(isSame && server.bodyBytes == wave.count)
  }

  @Test func `damage that was found before the download failed keeps its own cause`() {
    let download = Download()
    let file = DownloadingFile(download, 0, length: 100)
    let (early, late) = (DownloadingDecoder(DamagedDecoder(), file), DownloadingDecoder(DamagedDecoder(), file))
    #expect(read(early) == DamagedDecoder.cause)
    download.end(.failure(.connectionLost))
    #expect(file.count(at: 10) == 0)
    #expect(read(early) == DamagedDecoder.cause && read(late) == "the rest is missing: the connection was lost")
  }

  /// The cause of the decoder's damage, after a read.
  private func read(_ decoder: any Decoder) -> String? {
    _ = decoder.read(into: UnsafeMutableBufferPointer(start: nil, count: 0))
    guard case .damaged(_, _, let cause) = decoder.damage?.error else { return nil }
    return cause
  }

  private final class DamagedDecoder: Decoder {
    static let cause = "it is torn"
    let damage: SoundDamage? = SoundDamage(.damaged(path: "a", atSecond: 1, cause: cause), atFrame: 44_100)

    func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int { 0 }
  }

  @Test func `at most four sounds are downloaded at a time`() async throws {
    let names = (0..<5).map { "\($0)" }
    let limits = names.map { _ in TransferLimit(upTo: 500_000) }
    for (name, limit) in zip(names, limits) { server.put(.init(wave, etag: "\"a\"", limit: limit), at: name) }
    let sounds = sounds()
    let addresses = names.map { server.url($0) }
    let fetching = Background { sounds.fetch(addresses, playsWhileDownloading: true) }
    #expect(try await isAsked(4))
    #expect(server.requests.count == 4)
    for limit in zip(names, limits) where limit.0 == "0" { limit.1.raise() }
    try await onOwnThread { try fetching.value() }
    #expect(server.requests.count == 5 && sounds.isFetching)
    #expect(sounds.content(of: addresses[0]) != nil && sounds.content(of: addresses[4]) == nil)
    for limit in limits { limit.raise() }
    #expect(try await onOwnThread { eventually { !sounds.isFetching } })
    #expect(addresses.allSatisfy { sounds.content(of: $0) != nil })
  }
}
