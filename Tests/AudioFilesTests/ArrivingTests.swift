import CSndFile
import Engine
import Foundation
import Signal
import Synchronization
import TestSupport
import Testing

@testable import AudioFiles

extension FetchLimits {
  /// For a server that withholds what it sends for as long as a busy machine makes a test take.
  static var patient: FetchLimits {
    var limits = FetchLimits()
    limits.stalling = 600
    return limits
  }
}

/// Sounds that are decoded while the rest of them is withheld.
@Suite struct ArrivingTests {
  let server: WebServer
  let folder: TemporaryFolder
  init() throws {
    server = try WebServer()
    folder = try TemporaryFolder()
  }

  /// By its clock all that has come took no time: as fast as can be.
  private static let standing: @Sendable () -> Int64 = { 0 }

  private func sounds(clock: @escaping @Sendable () -> Int64 = standing, in cache: String = "c") -> RemoteSounds {
    RemoteSounds(cache: RemoteCache(folder: folder.path(cache)), limits: .patient, clock: clock)
  }

  private func open(_ name: String, of sounds: RemoteSounds) async throws -> any Decoder {
    let source = SoundSource(.remote(address: server.url(name)))
    return try await onOwnThread {
      try AudioFileLibrary(remote: sounds, takesArriving: true).open(source, at: .cd, from: 0)
    }
  }

  /// Whether the file that is handed over was still coming.
  private func isArriving(_ name: String, of sounds: RemoteSounds) throws -> Bool {
    try sounds.file(of: server.url(name), takesArriving: true).arriving != nil
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

  /// Four and a half seconds, 800,044 bytes as a WAV file.
  private let sound = TestSound.noise(200_000)
  private var wave: [UInt8] { TestWave.stereo(sound, rate: 44_100) }

  @Test(arguments: [
    SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_RF64 | SF_FORMAT_PCM_24, SF_FORMAT_AIFF | SF_FORMAT_PCM_16,
    SF_FORMAT_CAF | SF_FORMAT_FLOAT, SF_FORMAT_FLAC | SF_FORMAT_PCM_16,
  ])
  func `its first frames are decoded while the rest is withheld, and all are those of the file`(format: Int)
    async throws
  {
    let path = try write(sound, to: folder.path("a"), format: format, rate: 44_100)
    let bytes = try folder.bytes(of: "a")
    let gate = Gate(openUpTo: bytes.count * 3 / 4)
    server.put(.init(bytes, etag: "\"a\"", gate: gate), at: "a")
    let sounds = sounds()
    let decoder = try await open("a", of: sounds)
    let first = try await first(40_000, of: decoder)
    #expect(first.count == 40_000 && server.bodyBytes == bytes.count * 3 / 4)
    #expect(sounds.isFetching && sounds.content(of: server.url("a")) == nil)
    gate.open()
    let rest = try await rest(of: decoder)
    let isSame = try first + rest.frames == read(path).frames
    #expect(isSame && rest.damage == nil)
    #expect(server.requests.count == 1 && server.bodyBytes == bytes.count)
    let address = server.url("a")
    #expect(try await onOwnThread { eventually { sounds.content(of: address) != nil } })
    // From the cache, which the server needs only be asked about.
    let isKept = try whole("a") == read(path).frames
    #expect(isKept && server.requests.count == 2 && server.bodyBytes == bytes.count && kept.count == 2)
  }

  @Test func `all who ask meanwhile read of one transfer, each from where they like`() async throws {
    let gate = Gate(openUpTo: 500_000)
    server.put(.init(wave, etag: "\"a\"", gate: gate), at: "a.wav")
    let (sounds, source) = (sounds(), SoundSource(.remote(address: server.url("a.wav"))))
    _ = try await open("a.wav", of: sounds)
    let library = AudioFileLibrary(remote: sounds, takesArriving: true)
    let late = Background { Reading(try library.open(source, at: .cd, from: 190_000)).frames }
    let early = try await open("a.wav", of: sounds)
    let start = try await first(10_000, of: early)
    #expect(start == Array(sound[..<10_000]))
    gate.open()
    let end = try await onOwnThread { try late.value() }
    #expect(end == Array(sound[190_000...]))
    let isSame = try await start + rest(of: early).frames == sound
    #expect(isSame && server.requests.count == 1)
  }

  @Test func `while another process fetches it, it is read from a part of one's own`() async throws {
    let gate = Gate(openUpTo: 500_000)
    server.put(.init(wave, etag: "\"a\"", gate: gate), at: "a")
    let cache = RemoteCache(folder: folder.path("c"))
    try cache.prepare()
    let other = try cache.part(of: server.url("a"), limit: 1 << 20)
    let decoder = try await open("a", of: sounds())
    #expect(kept.filter { $0.hasSuffix(".part") }.count == 2)
    gate.open()
    let isSame = try await rest(of: decoder).frames == sound && whole("a") == sound
    #expect(isSame && other.count == 0 && kept.filter { $0.hasSuffix(".part") }.count == 1)
  }

  /// By their first bytes these have to be waited for.
  @Test(arguments: [vorbis, opus, mp3, SF_FORMAT_AU | SF_FORMAT_PCM_16])
  func `a format that says nothing of its length where it begins is waited for`(format: Int) async throws {
    _ = try write(sound, to: folder.path("a"), format: format, rate: 48_000)
    try await expectWait(for: folder.bytes(of: "a"))
  }

  @Test func `what leaves its length open is waited for`() async throws {
    _ = try write(sound, to: folder.path("a"), format: flac, rate: 44_100)
    var bytes = try folder.bytes(of: "a")
    bytes[21] &= 0xF0
    bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    try await expectWait(for: bytes)
    bytes = wave
    bytes.replaceSubrange(40..<44, with: [0xFF, 0xFF, 0xFF, 0xFF])
    try await expectWait(for: bytes)
  }

  /// At once, however much of it is here, and however fast it comes.
  private func expectWait(for bytes: [UInt8]) async throws {
    let path = try folder.write(bytes, to: "part")
    let content = Arrival.Content(path: path, length: Int64(bytes.count), validators: Validators(etag: "\"a\""))
    let asking = Background {
      let arrival = Arrival(clock: Self.standing)
      arrival.begin(content, at: 0)
      arrival.come(upTo: content.length - 1)
      return arrival.file(knownAs: "a") == nil
    }
    #expect(try await onOwnThread { try asking.value() })
  }

  @Test func `chunks behind the sound are waited for, and read`() async throws {
    let title = Array("LIST".utf8) + [16, 0, 0, 0] + Array("INFOINAM".utf8) + [4, 0, 0, 0] + Array("Far\0".utf8)
    server.put(.init(wave + title, etag: "\"a\"", gate: Gate(openUpTo: .max)), at: "a.wav")
    let (sounds, source) = (sounds(), SoundSource(.remote(address: server.url("a.wav"))))
    let facts = try await onOwnThread {
      try AudioFileLibrary(remote: sounds, takesArriving: true).probe(source, at: .cd)
    }
    #expect(facts.title == "Far" && facts.length == 200_000)
  }

  @Test func `an MP3 is played when it is whole`() async throws {
    let path = try write(sound, to: folder.path("a"), format: mp3, rate: 44_100)
    try await expectWhole(folder.bytes(of: "a"), of: sounds())
    let isSame = try whole("a") == read(path).frames
    #expect(isSame)
  }

  @Test func `what comes too slowly to be played meanwhile is played when it is whole`() async throws {
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
  func `only what has a length and could be gone on with is read meanwhile`(lines: [String], isRead: Bool) throws {
    let cache = RemoteCache(folder: folder.path("c"))
    try cache.prepare()
    let part = try cache.part(of: "http://example.org/a", limit: 100)
    let arrival = Arrival()
    part.arrival = arrival
    var head = ResponseHead()
    for line in ["HTTP/1.1 200 OK"] + lines { head.take(line) }
    try part.begin(head)
    try [UInt8](repeating: 1, count: 5).withUnsafeBytes { try part.receive($0) }
    // A content that can be read is the first one, and before there is none.
    #expect(arrival.isCurrent(isRead ? 1 : 0))
  }

  @Test func `a newer sound is waited for: the old one is there to fall back on`() async throws {
    server.put(.init(wave, etag: "\"a\""), at: "a")
    let before = try whole("a")
    let next = TestSound.noise(200_000, seed: 2)
    try await expectWhole(TestWave.stereo(next, rate: 44_100), tag: "\"b\"", of: sounds())
    let isNew = try whole("a") == next && before == sound
    #expect(isNew)
  }

  @Test func `what another process has left says nothing of how fast the rest comes`() async throws {
    server.put(.init(wave, etag: "\"a\"", mishaps: [.dropped(after: 540_000), .dropped(after: 0)]), at: "a")
    #expect(throws: SourceError.self) { try whole("a") }
    // The rest is less than has to be seen before anything is said.
    try await expectWhole(wave, of: sounds())
    #expect(server.requests.last?.fields["range"] == "bytes=540000-")
  }

  /// Whoever asks gets nothing before the rest has been let through.
  private func expectWhole(_ bytes: [UInt8], tag: String = "\"a\"", of sounds: RemoteSounds) async throws {
    let count = bytes.count - 1
    let gate = Gate(openUpTo: count)
    server.put(.init(bytes, etag: tag, gate: gate), at: "a")
    let asking = Background { try isArriving("a", of: sounds) }
    let hasCome = try await onOwnThread { eventually { partSize == count } }
    #expect(hasCome)
    gate.open()
    #expect(try await onOwnThread { try asking.value() } == false)
  }

  /// Of what is being fetched.
  private var partSize: Int? {
    let name = kept.first { $0.hasSuffix(".part") }
    let facts = name.flatMap { try? FileManager.default.attributesOfItem(atPath: folder.path("c/\($0)")) }
    return facts?[.size] as? Int
  }

  @Test func `what is whole before it could be begun is whole`() throws {
    server.put(.init(TestWave.stereo(TestSound.noise(300), rate: 44_100), etag: "\"a\""), at: "a")
    #expect(try !isArriving("a", of: sounds()))
  }
}
