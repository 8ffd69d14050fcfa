import Foundation
import TestSupport
import Testing

@testable import AudioFiles

@Suite struct ResponseHeadTests {
  private static func head(_ lines: String...) -> ResponseHead {
    var head = ResponseHead()
    for line in lines { head.take(line + "\r\n") }
    return head
  }

  @Test(
    arguments: [
      ("bytes 3-8/9", 3, 9), ("Bytes 3-8/9", 3, 9), ("bytes 3-8/*", 3, nil), ("bytes 0-0/1", 0, 1),
    ] as [(String, Int64, Int64?)])
  func `a part states its first byte and the length of the whole`(range: String, start: Int64, whole: Int64?) throws {
    let part = try #require(Self.head("HTTP/1.1 206 Partial Content", "Content-Range: \(range)").part)
    #expect(part.start == start && part.whole == whole)
  }

  @Test(arguments: [
    "bytes 3-8/-9", "bytes 3-8/+9", "bytes 3-8/8", "bytes 3-8/", "bytes 3-8", "bytes -3/9", "bytes 3-/9", "bytes 8-3/9",
    "bytes +3-8/9", "bytes 3-8/9/9", "bytes 3-8-9/10", "bytes */9", "bytes 3-8/99999999999999999999", "lines 3-8/9", "",
  ])
  func `a part that can't exist is none`(range: String) {
    #expect(Self.head("HTTP/1.1 206 Partial Content", "Content-Range: \(range)").part == nil)
  }

  @Test(arguments: ["-5", "+5", "5 5", "0x5", "9223372036854775808", ""])
  func `a length that is no number is not stated`(length: String) {
    #expect(Self.head("HTTP/1.1 200 OK", "Content-Length: \(length)").bodyLength == nil)
    #expect(Self.head("HTTP/1.1 200 OK", "Content-Length: 5").bodyLength == 5)
  }

  @Test(arguments: ["HTTP/1.1 -12 No", "HTTP/1.1 +20 No", "HTTP/1.1", "HTTP/2 OK"])
  func `a status that is no number is 0`(line: String) { #expect(Self.head(line).status == 0) }

  @Test(arguments: 0..<10) func `heads with random changes state lengths and fields that can be used`(hundreds: UInt64)
  {
    let original = Array(
      """
      HTTP/1.1 206 Partial Content\r
      Content-Range: bytes 3-8999/9000\r
      Content-Length: 8997\r
      ETag: "a-1"\r
      Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r

      """.utf8)
    let shards = ["\r\n", ":", "-", "/", "*", "\"", "W/", " ", "\0", "\u{E9}", "9223372036854775807", "bytes "]
    for seed in 100 * hundreds..<100 * hundreds + 100 {
      var random = Random(seed: seed)
      var head = ResponseHead()
      for line in random.mutated(original, with: shards).split(separator: 0x0A) {
        head.take(String(decoding: line, as: UTF8.self))
      }
      #expect(0...999 ~= head.status && 0 <= head.bodyLength ?? 0, "seed \(seed)")
      if let part = head.part { #expect(0 <= part.start && part.start < part.whole ?? .max, "seed \(seed)") }
      let fields = head.validators.ifChanged + [head.validators.ifSame].compactMap(\.self)
      #expect(fields.joined().utf8.allSatisfy { 0x20...0x7E ~= $0 }, "seed \(seed)")
    }
  }
}
