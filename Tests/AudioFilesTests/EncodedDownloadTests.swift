import Foundation
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Responses whose body is not the sound itself, byte for byte.
@Suite struct EncodedDownloadTests {
  let server: WebServer
  let folder: TemporaryFolder
  init() throws {
    server = try WebServer()
    folder = try TemporaryFolder()
  }

  private func frames(_ path: String) throws -> [Frame] {
    let remote = RemoteSounds(cache: RemoteCache(folder: folder.path("c")))
    let source = SoundSource(.remote(address: server.url(path)))
    return Reading(try AudioFileLibrary(remote: remote).open(source, at: .cd, from: 0)).frames
  }

  private let sound = TestSound.noise(20_000)
  private var wave: [UInt8] { TestWave.stereo(sound, rate: 44_100) }

  /// A gzip file of blocks that are not compressed.
  private func gzip(_ bytes: [UInt8]) -> [UInt8] {
    func little(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    var checksum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      checksum ^= UInt32(byte)
      for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    let blocks = stride(from: 0, to: bytes.count, by: 65_535).flatMap { start -> [UInt8] in
      let block = bytes[start..<min(start + 65_535, bytes.count)]
      let isLast: UInt8 = block.endIndex == bytes.count ? 1 : 0
      return [isLast] + little(block.count, 2) + little(~block.count, 2) + block
    }
    let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    return head + blocks + little(Int(~checksum), 4) + little(bytes.count, 4)
  }

  @Test func `a response in gzip, which was not asked for, is decoded and kept decoded`() throws {
    var page = WebServer.Page(gzip(wave), etag: "\"a\"")
    page.fields = ["Content-Encoding: gzip"]
    server.put(page, at: "a.wav")
    for _ in 0..<2 { #expect(try frames("a.wav") == sound) }
    #expect(server.requests.map { $0.fields["accept-encoding"] } == ["identity", "identity"])
    #expect(server.requests[1].fields["if-none-match"] == "\"a\"" && server.bodyBytes == page.body.count)
  }

  @Test func `a download in gzip that breaks off begins again`() throws {
    var page = WebServer.Page(gzip(wave), etag: "\"a\"", faults: [.dropped(after: 30_000)])
    page.fields = ["Content-Encoding: gzip"]
    server.put(page, at: "a.wav")
    #expect(try frames("a.wav") == sound)
    #expect(server.requests.map { $0.fields["range"] } == [nil, nil])
  }

  @Test func `with a transfer encoding, a stated length is ignored`() throws {
    let chunks = [Array(wave[..<1_000]), Array(wave[1_000...]), []].flatMap { chunk in
      Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
    }
    var page = WebServer.Page(chunks, etag: "\"a\"")
    page.fields = ["Transfer-Encoding: chunked"]
    server.put(page, at: "a.wav")
    #expect(try frames("a.wav") == sound)
  }
}
