import Foundation
import Glibc
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Sounds from a web server, which the test runs.
@Suite struct RemoteTests {
  let server: WebServer
  let folder: TemporaryFolder
  init() throws {
    server = try WebServer()
    folder = try TemporaryFolder()
  }

  /// A library like that of another process: it shares only the cache.
  private func library(_ limits: FetchLimits = FetchLimits(), capacity: Int64 = 1 << 30) -> AudioFileLibrary {
    AudioFileLibrary(
      remote: RemoteSounds(cache: RemoteCache(folder: folder.path("c"), capacity: capacity), limits: limits))
  }

  private func frames(_ path: String, in library: AudioFileLibrary) throws -> [Frame] {
    Reading(try library.open(SoundSource(.remote(address: server.url(path))), at: .cd, from: 0)).frames
  }

  /// The cause with which a sound is refused.
  private func cause(_ path: String, in library: AudioFileLibrary) throws -> String {
    let source = SoundSource(.remote(address: server.url(path)))
    let error = #expect(throws: SourceError.self) { try library.probe(source, at: .cd) }
    guard case .remote(let address, let cause, _, _) = try #require(error) else {
      return "\(String(describing: error))"
    }
    #expect(address == server.url(path))
    return cause
  }

  private var kept: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path("c"))) ?? []).sorted()
  }

  private let sound = TestSound.noise(20_000)
  private var wave: [UInt8] { TestWave.stereo(sound, rate: 44_100) }

  @Test func `a sound is downloaded once, and again only when its server has a newer version`() throws {
    server.put(.init(wave, etag: "\"a\""), at: "a.wav")
    let first = library()
    let facts = try first.probe(SoundSource(.remote(address: server.url("a.wav"))), at: .cd)
    #expect(facts.length == 20_000)
    for _ in 0..<2 { #expect(try frames("a.wav", in: first) == sound) }
    #expect(server.requests.count == 1 && server.requests[0].fields["user-agent"] == "prosper")
    #expect(try frames("a.wav", in: library()) == sound)
    #expect(server.requests.count == 2 && server.requests[1].fields["if-none-match"] == "\"a\"")
    #expect(server.bodyBytes == wave.count)
  }

  @Test func `a newer sound replaces the old one`() throws {
    server.put(.init(wave, etag: "\"a\""), at: "a.wav")
    #expect(try frames("a.wav", in: library()) == sound)
    let next = TestSound.noise(300, seed: 2)
    server.put(.init(TestWave.stereo(next, rate: 44_100), etag: "\"b\""), at: "a.wav")
    #expect(try frames("a.wav", in: library()) == next)
    #expect(kept.count == 2)
  }

  @Test func `a cached sound is played if the server doesn't answer, and whatever it answers`() throws {
    server.put(.init(wave), at: "a.wav")
    #expect(try frames("a.wav", in: library()) == sound)
    for fault in [WebServer.Fault.status(404), .status(503), .redirected(to: "file:///etc/passwd")] {
      server.put(.init(wave, faults: [fault]), at: "a.wav")
      #expect(try frames("a.wav", in: library()) == sound)
    }
    server.put(.init(Array("<html>Please log in</html>".utf8)), at: "a.wav")
    #expect(try frames("a.wav", in: library()) == sound)
    server.close()
    #expect(try frames("a.wav", in: library()) == sound)
  }

  @Test func `an interrupted download is continued where it ended`() throws {
    server.put(.init(wave, etag: "\"a\"", faults: [.dropped(after: 30_000), .dropped(after: 20_000)]), at: "a.wav")
    #expect(try frames("a.wav", in: library()) == sound)
    #expect(server.requests.map { $0.fields["range"] } == [nil, "bytes=30000-", "bytes=50000-"])
    #expect(server.requests.map { $0.fields["if-range"] } == [nil, "\"a\"", "\"a\""])
    #expect(server.bodyBytes == wave.count)
    #expect(kept.count == 2)
  }

  @Test func `another process continues a download, and restarts it if the sound has changed`() throws {
    for (tag, next) in [("\"a\"", sound), ("\"b\"", TestSound.noise(9_000, seed: 3))] {
      let name = "\(next.count).wav"
      server.put(.init(wave, etag: "\"a\"", faults: [.dropped(after: 30_000), .dropped(after: 0)]), at: name)
      #expect(try cause(name, in: library()).contains("connection was lost"))
      let sent = server.bodyBytes
      server.put(.init(TestWave.stereo(next, rate: 44_100), etag: tag), at: name)
      #expect(try frames(name, in: library()) == next)
      #expect(server.requests.last?.fields["range"] == "bytes=30000-")
      #expect(server.bodyBytes - sent == (tag == "\"a\"" ? wave.count - 30_000 : 36_044))
    }
    #expect(!kept.contains { $0.contains(".part") })
  }

  @Test func `if the server does not support ranges or has a shorter content, the whole sound is downloaded again`()
    throws
  {
    var page = WebServer.Page(wave, etag: "\"a\"", faults: [.dropped(after: 30_000)])
    page.supportsRanges = false
    server.put(page, at: "a.wav")
    #expect(try frames("a.wav", in: library()) == sound)
    server.put(.init(wave + wave, etag: "\"a\"", faults: [.dropped(after: 100_000), .dropped(after: 0)]), at: "b.wav")
    _ = try cause("b.wav", in: library())
    server.put(.init(wave, etag: "\"a\""), at: "b.wav")
    #expect(try frames("b.wav", in: library()) == sound)
  }

  @Test func `the error for a missing, too large or invalid sound names its address, and no file is kept`() throws {
    var limits = FetchLimits()
    limits.bytes = 50_000
    server.put(.init(wave, etag: "\"a\""), at: "large.wav")
    server.put(.init(wave, faults: [.endless]), at: "endless.wav")
    #expect(try cause("gone.wav", in: library()) == "the server answers 404; check the address")
    #expect(try cause("large.wav", in: library(limits)).hasPrefix("it is larger than 50000 bytes"))
    #expect(try cause("endless.wav", in: library(limits)).hasPrefix("it is larger than 50000 bytes"))
    #expect(kept == [])
    server.put(.init(Array("no sound at all".utf8)), at: "page")
    let page = SoundSource(.remote(address: server.url("page")))
    #expect(throws: SourceError.unknownFormat(path: server.url("page"))) { try library().probe(page, at: .cd) }
    server.close()
    #expect(try cause("large.wav", in: library()).hasPrefix("127.0.0.1 does not answer"))
  }

  @Test func `redirections are followed to other pages, but not to other schemes and not endlessly`() throws {
    server.put(.init(wave), at: "a.wav")
    for (name, place) in [("b.wav", "/a.wav"), ("c.wav", server.url("b.wav"))] {
      server.put(.init([], faults: [.redirected(to: place)]), at: name)
    }
    #expect(try frames("c.wav", in: library()) == sound)
    for (scheme, place) in [("file", "file:///etc/passwd"), ("ftp", "ftp://127.0.0.1/a.wav")] {
      server.put(.init([], faults: [.redirected(to: place)]), at: scheme)
      #expect(try cause(scheme, in: library()) == "it redirects to a \(scheme) address, which prosper does not follow")
    }
    server.put(.init([], faults: Array(repeating: .redirected(to: "/loop"), count: 50)), at: "loop")
    let asked = server.requests.count
    #expect(try cause("loop", in: library()).hasPrefix("it redirects more than 5 times"))
    #expect(server.requests.count - asked == 6)
  }

  @Test func `a download fails if the server stalls`() throws {
    var limits = FetchLimits()
    limits.lowSpeedTime = 1
    server.put(.init(wave, etag: "\"a\"", faults: [.stalled(after: 1_000)]), at: "a.wav")
    #expect(try cause("a.wav", in: library(limits)).hasPrefix("the download is too slow"))
    limits.lowSpeedTime = 60
    limits.timeout = 0.5
    server.put(.init(wave, etag: "\"a\"", faults: [.stalled(after: 1_000)]), at: "b.wav")
    #expect(try cause("b.wav", in: library(limits)).hasPrefix("the download is too slow"))
    #expect(try frames("a.wav", in: library()) == sound)
  }

  @Test func `concurrent requests for a sound share one download`() async throws {
    server.put(.init(wave), at: "a.wav")
    let library = library()
    let asking = (0..<8).map { _ in Background { try frames("a.wav", in: library) == sound } }
    for one in asking { #expect(try await onOwnThread { try one.value() }) }
    #expect(server.requests.count == 1)
  }

  @Test func `the least recently played sounds are removed first, but never those that are in use`() throws {
    let room = Int64(wave.count) * 5 / 2
    for name in ["a", "b", "c"] { server.put(.init(wave, etag: "\"\(name)\""), at: name) }
    for (age, name) in ["a", "b", "a"].enumerated() {
      _ = try frames(name, in: library(capacity: room))
      for file in kept { setAge(file, 300 - age) }
      _ = try frames(name, in: library(capacity: room))
    }
    let asked = server.requests.count
    _ = try frames("c", in: library(capacity: room))
    #expect(kept.count == 4)
    _ = try frames("a", in: library(capacity: room))
    #expect(server.requests.last?.fields["if-none-match"] == "\"a\"" && server.requests.count == asked + 2)
    let small = library(capacity: 10)
    for name in ["a", "b", "c"] { #expect(try frames(name, in: small) == sound) }
    #expect(kept.count == 6)
  }

  private func setAge(_ name: String, _ seconds: Int) {
    let time = Date(timeIntervalSinceNow: -Double(seconds))
    try? FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: folder.path("c/\(name)"))
  }

  @Test func `the cache is accessible to its owner alone, and can be emptied while it is used`() throws {
    server.put(.init(wave), at: "a.wav")
    let library = library()
    #expect(try frames("a.wav", in: library) == sound)
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path("c"))[.posixPermissions] as? Int
    #expect(mode == 0o700)
    try FileManager.default.removeItem(atPath: folder.path("c"))
    #expect(try frames("a.wav", in: library) == sound)
  }

  @Test func `the file of another process's download is not changed`() throws {
    server.put(.init(wave, etag: "\"a\""), at: "a.wav")
    let cache = RemoteCache(folder: folder.path("c"))
    try cache.prepare()
    let other = try cache.part(of: server.url("a.wav"), limit: 1 << 20)
    try [UInt8](repeating: 1, count: 100).withUnsafeBytes { try other.receive($0) }
    #expect(try frames("a.wav", in: library()) == sound)
    #expect(other.count == 100 && kept.filter { $0.hasSuffix(".part") }.count == 1)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("10.1.2.3", true), ("172.31.0.1", true), ("172.32.0.1", false), ("192.168.7.7", true),
    ("169.254.1.1", true), ("0.0.0.0", true), ("8.8.8.8", false), ("100.64.0.1", true), ("::1", true), ("::", true),
    ("fe80::1", true), ("fd00::1", true), ("::ffff:127.0.0.1", true), ("::ffff:8.8.8.8", false), ("2001:db8::1", false),
    ("64:ff9b::7f00:1", true), ("2130706433", true), ("0x7f.1", true), ("0177.0.0.1", true), ("2002:7f00:1::", true),
  ])
  func `addresses of the local network are recognised`(number: String, local: Bool) {
    #expect(isLocal(ipAddress: number) == local)
  }

  @Test(arguments: [
    ("http://localhost/a", true), ("http://LOCALHOST.:80/a", true), ("http://a.localhost", true),
    ("http://nas.local/a", true), ("http://nas/a", true), ("http://user:secret@192.168.1.1/a", true),
    ("http://%31%32%37.0.0.1/", true), ("http://[::1]:80/", true), ("http://[fe80::1%25eth0]/", true),
    ("https://example.org/127.0.0.1", false), ("https://localhost.example.org/", false), ("http://8.8.8.8/", false),
  ])
  func `an address of this computer or its network is recognised without a request`(address: String, local: Bool) {
    #expect(RemoteAddress.isPlainlyLocal(address) == local)
  }

  @Test func `a folder that others could read becomes private, and so do the entries of the cache`() throws {
    let cache = RemoteCache(folder: folder.path("prosper") + "/sounds")
    try FileManager.default.createDirectory(
      atPath: cache.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path("prosper"))
    server.put(.init(wave), at: "a.wav")
    #expect(try frames("a.wav", in: AudioFileLibrary(remote: RemoteSounds(cache: cache))) == sound)
    let files = try FileManager.default.contentsOfDirectory(atPath: cache.folder).map { cache.folder + "/" + $0 }
    let modes = try ([folder.path("prosper"), cache.folder] + files).map {
      try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
    }
    #expect(modes == [0o700, 0o700] + files.map { _ in 0o600 })
  }

  @Test func `a library that sends no requests opens only sounds that are in the cache`() throws {
    server.put(.init(wave), at: "a.wav")
    let cache = RemoteCache(folder: folder.path("c"))
    let cached = { AudioFileLibrary(remote: RemoteSounds(cache: cache, sendsRequests: false)) }
    #expect(throws: SourceError.self) { try frames("a.wav", in: cached()) }
    #expect(server.requests.isEmpty)
    #expect(try frames("a.wav", in: AudioFileLibrary(remote: RemoteSounds(cache: cache))) == sound)
    let count = server.requests.count
    #expect(try frames("a.wav", in: cached()) == sound)
    #expect(server.requests.count == count)
  }

  @Test func `only an address on this computer may redirect to this computer`() throws {
    server.put(.init(wave), at: "a.wav")
    let address = try #require(RemoteAddress(server.url("a.wav")))
    let part = try RemoteCache(folder: folder.path).part(of: address.text, limit: 1 << 20)
    #expect(throws: FetchFailure.localRedirect) {
      try Transfer(address, fields: [], mayBeLocal: false, to: part).perform(within: 10, FetchLimits())
    }
    #expect(server.requests.isEmpty && part.count == 0)
  }

  @Test(arguments: [
    ("https://me:secret@example.org/a@b", "https://example.org/a@b"),
    ("http://example.org/@x", "http://example.org/@x"),
    ("http://a@b@example.org?x", "http://example.org?x"),
  ])
  func `user names and passwords in an address are not shown`(address: String, shown: String) {
    #expect(SoundSource(.remote(address: address)).label == shown)
    #expect(RemoteAddress(address)?.host == "example.org")
  }

  @Test func `a path may contain characters that need escaping`() {
    #expect(
      RemoteAddress("HTTP://example.org/Schöne Glocke.wav")?.text == "http://example.org/Sch%C3%B6ne%20Glocke.wav")
    #expect(RemoteAddress("ftp://example.org/a") == nil && RemoteAddress("http:///a") == nil)
  }
}
