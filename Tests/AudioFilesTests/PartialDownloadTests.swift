import CSndFile
import Foundation
import Signal
import Sounds
import Synchronization
import TestSupport
import Testing

@testable import AudioFiles

extension FetchLimits {
  /// Limits for a server that withholds data for as long as a test takes on a slow machine.
  static var tolerant: FetchLimits {
    var limits = FetchLimits()
    limits.lowSpeedTime = 600
    return limits
  }
}

/// Sounds that are decoded while they download. The server withholds the rest of them until the test permits it.
@Suite struct PartialDownloadTests {
  let server: WebServer
  let folder: TemporaryFolder
  init() throws {
    server = try WebServer()
    folder = try TemporaryFolder()
  }

  /// A clock that never advances, so that all bytes seem to arrive at once.
  private static let soundState: @Sendable () -> Int64 = { 0 }

  private func sounds(clock: @escaping @Sendable () -> Int64 = soundState, in cache: String = "c") -> RemoteSounds {
    RemoteSounds(cache: RemoteCache(folder: folder.path(cache)), limits: .tolerant, clock: clock)
  }

  private func open(_ name: String, of sounds: RemoteSounds) async throws -> any Decoder {
    let source = SoundSource(.remote(address: server.url(name)))
    return try await onOwnThread {
      try AudioFileLibrary(remote: sounds, playsWhileDownloading: true).open(source, at: .cd, from: 0)
    }
  }

  /// Whether the sound was still downloading when its file was opened.
  private func isDownloading(_ name: String, of sounds: RemoteSounds) throws -> Bool {
    try sounds.file(of: server.url(name), playsWhileDownloading: true).download != nil
  }

  private func whole(_ name: String) throws -> [Frame] {
    let library = AudioFileLibrary(remote: sounds())
    return Reading(try library.open(SoundSource(.remote(address: server.url(name))), at: .cd, from: 0)).frames
  }

  private func first(_ count: Int, of decoder: any Decoder) async throws -> [Frame] {
    try await onOwnThread {
      var frames = [Frame](repeating: .silence, count: count)
      let filled = frames.withUnsafeMutableBufferPointer { decoder.read(into: $0) }
      return Array(frames[..<filled])
    }
  }

  private func rest(of decoder: any Decoder) async throws -> Reading { try await onOwnThread { Reading(decoder) } }

  private var kept: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path("c"))) ?? []).sorted()
  }

  /// Four and a half seconds; 800,044 bytes as a WAV file.
  private let sound = TestSound.noise(200_000)
  private var wave: [UInt8] { TestWave.stereo(sound, rate: 44_100) }

  @Test(arguments: [
    SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_RF64 | SF_FORMAT_PCM_24, SF_FORMAT_AIFF | SF_FORMAT_PCM_16,
    SF_FORMAT_CAF | SF_FORMAT_FLOAT, SF_FORMAT_FLAC | SF_FORMAT_PCM_16,
  ])
  func `a sound is decoded while the rest of it is withheld, and all frames equal those of the file`(format: Int)
    async throws
  {
    let path = try write(sound, to: folder.path("a"), format: format, rate: 44_100)
    let bytes = try folder.bytes(of: "a")
    let limit = TransferLimit(upTo: bytes.count * 3 / 4)
    server.put(.init(bytes, etag: "\"a\"", limit: limit), at: "a")
    let sounds = sounds()
    let decoder = try await open("a", of: sounds)
    let first = try await first(40_000, of: decoder)
    #expect(first.count == 40_000 && server.bodyBytes == bytes.count * 3 / 4)
    #expect(sounds.isFetching && sounds.content(of: server.url("a")) == nil)
    limit.raise()
    let rest = try await rest(of: decoder)
    let isSame = try first + rest.frames == read(path).frames
    #expect(isSame && rest.damage == nil)
    #expect(server.requests.count == 1 && server.bodyBytes == bytes.count)
    let address = server.url("a")
    #expect(try await onOwnThread { eventually { sounds.content(of: address) != nil } })
    // From the cache: the server is asked only whether the sound has changed.
    let isKept = try whole("a") == read(path).frames
    #expect(isKept && server.requests.count == 2 && server.bodyBytes == bytes.count && kept.count == 2)
  }

  @Test func `concurrent readers at different offsets share one download`() async throws {
    let limit = TransferLimit(upTo: 500_000)
    server.put(.init(wave, etag: "\"a\"", limit: limit), at: "a.wav")
    let (sounds, source) = (sounds(), SoundSource(.remote(address: server.url("a.wav"))))
    _ = try await open("a.wav", of: sounds)
    let library = AudioFileLibrary(remote: sounds, playsWhileDownloading: true)
    let late = Background { Reading(try library.open(source, at: .cd, from: 190_000)).frames }
    let early = try await open("a.wav", of: sounds)
    let start = try await first(10_000, of: early)
    #expect(start == Array(sound[..<10_000]))
    limit.raise()
    let end = try await onOwnThread { try late.value() }
    #expect(end == Array(sound[190_000...]))
    let isSame = try await start + rest(of: early).frames == sound
    #expect(isSame && server.requests.count == 1)
  }

  @Test func `a sound that another process is downloading is downloaded to a separate file`() async throws {
    let limit = TransferLimit(upTo: 500_000)
    server.put(.init(wave, etag: "\"a\"", limit: limit), at: "a")
    let cache = RemoteCache(folder: folder.path("c"))
    try cache.prepare()
    let other = try cache.part(of: server.url("a"), limit: 1 << 20)
    let decoder = try await open("a", of: sounds())
    #expect(kept.filter { $0.hasSuffix(".part") }.count == 2)
    limit.raise()
    let isSame = try await rest(of: decoder).frames == sound && whole("a") == sound
    #expect(isSame && other.count == 0 && kept.filter { $0.hasSuffix(".part") }.count == 1)
  }

  /// The first bytes of these formats do not state the length, so the whole file is needed.
  @Test(arguments: [vorbis, opus, mp3, SF_FORMAT_VOC | SF_FORMAT_PCM_16])
  func `a format that does not state its length at the beginning is read only when it is complete`(
    format: Int
  ) async throws {
    _ = try write(sound, to: folder.path("a"), format: format, rate: 48_000)
    try await expectWait(for: folder.bytes(of: "a"))
  }

  @Test func `a file that does not state its length is read only when it is complete`() async throws {
    _ = try write(sound, to: folder.path("a"), format: flac, rate: 44_100)
    var bytes = try folder.bytes(of: "a")
    bytes[21] &= 0xF0
    bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    try await expectWait(for: bytes)
    bytes = wave
    bytes.replaceSubrange(40..<44, with: [0xFF, 0xFF, 0xFF, 0xFF])
    try await expectWait(for: bytes)
  }

  /// Expects that the file can't be read before it is complete, however many bytes have arrived and however fast.
  private func expectWait(for bytes: [UInt8]) async throws {
    let path = try folder.write(bytes, to: "part")
    let content = Download.Content(path: path, length: Int64(bytes.count), validators: Validators(etag: "\"a\""))
    let asking = Background {
      let download = Download(clock: Self.soundState)
      download.begin(content, at: 0)
      download.received(upTo: content.length - 1)
      return download.file(knownAs: "a") == nil
    }
    #expect(try await onOwnThread { try asking.value() })
  }

  @Test func `chunks after the sound are waited for and read`() async throws {
    let title = Array("LIST".utf8) + [16, 0, 0, 0] + Array("INFOINAM".utf8) + [4, 0, 0, 0] + Array("Far\0".utf8)
    server.put(.init(wave + title, etag: "\"a\"", limit: TransferLimit(upTo: .max)), at: "a.wav")
    let (sounds, source) = (sounds(), SoundSource(.remote(address: server.url("a.wav"))))
    let facts = try await onOwnThread {
      try AudioFileLibrary(remote: sounds, playsWhileDownloading: true).probe(source, at: .cd)
    }
    #expect(facts.title == "Far" && facts.length == 200_000)
  }

  @Test func `an MP3 file is played only when it is complete`() async throws {
    let path = try write(sound, to: folder.path("a"), format: mp3, rate: 44_100)
    try await expectWhole(folder.bytes(of: "a"), of: sounds())
    let isSame = try whole("a") == read(path).frames
    #expect(isSame)
  }

  @Test func `a sound that downloads too slowly is played only when it is complete`() async throws {
    let seconds = Mutex<Int64>(0)
    let slow = sounds(clock: {
      seconds.withLock {
        $0 += 1_000_000_000; return $0
      }
    })
    try await expectWhole(wave, of: slow)
    let isSame = try whole("a") == sound
    #expect(isSame)
  }

  @Test(arguments: [
    (["Content-Length: 9", "ETag: \"a\""], true),
    (["Content-Length: 9", "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT"], true), (["ETag: \"a\""], false),
    (["Content-Length: 9"], false), (["Content-Length: 9", "ETag: W/\"a\""], false),
  ])
  func `a sound is read while it downloads only if its length is known and the download can be continued`(
    lines: [String], isRead: Bool
  ) throws {
    let cache = RemoteCache(folder: folder.path("c"))
    try cache.prepare()
    let part = try cache.part(of: "http://example.org/a", limit: 100)
    let download = Download()
    part.download = download
    var head = ResponseHead()
    for line in ["HTTP/1.1 200 OK"] + lines { head.take(line) }
    try part.begin(head)
    try [UInt8](repeating: 1, count: 5).withUnsafeBytes { try part.receive($0) }
    // The first content that can be read has the number 1; without one, the number is 0.
    #expect(download.isCurrent(isRead ? 1 : 0))
  }

  @Test func `a newer version of a cached sound is read only when it is complete`() async throws {
    server.put(.init(wave, etag: "\"a\""), at: "a")
    let before = try whole("a")
    let next = TestSound.noise(200_000, seed: 2)
    try await expectWhole(TestWave.stereo(next, rate: 44_100), tag: "\"b\"", of: sounds())
    let isNew = try whole("a") == next && before == sound
    #expect(isNew)
  }

  @Test func `bytes that another process has downloaded do not count towards the speed`() async throws {
    server.put(.init(wave, etag: "\"a\"", faults: [.dropped(after: 540_000), .dropped(after: 0)]), at: "a")
    #expect(throws: SourceError.self) { try whole("a") }
    // The rest is too short to measure the speed.
    try await expectWhole(wave, of: sounds())
    #expect(server.requests.last?.fields["range"] == "bytes=540000-")
  }

  /// Expects that the sound's file is opened only when the rest has arrived.
  private func expectWhole(_ bytes: [UInt8], tag: String = "\"a\"", of sounds: RemoteSounds) async throws {
    let count = bytes.count - 1
    let limit = TransferLimit(upTo: count)
    server.put(.init(bytes, etag: tag, limit: limit), at: "a")
    let asking = Background { try isDownloading("a", of: sounds) }
    let hasCome = try await onOwnThread { eventually { partSize == count } }
    #expect(hasCome)
    limit.raise()
    #expect(try await onOwnThread { try asking.value() } == false)
  }

  /// The size of the file that is being downloaded.
  private var partSize: Int? {
    let name = kept.first { $0.hasSuffix(".part") }
    let facts = name.flatMap { try? FileManager.default.attributesOfItem(atPath: folder.path("c/\($0)")) }
    return facts?[.size] as? Int
  }

  @Test func `a sound that is complete before it can be opened is not read as a download`() throws {
    server.put(.init(TestWave.stereo(TestSound.noise(300), rate: 44_100), etag: "\"a\""), at: "a")
    #expect(try !isDownloading("a", of: sounds()))
  }
}
