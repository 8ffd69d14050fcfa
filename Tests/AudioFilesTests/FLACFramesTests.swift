import Foundation
import Testing

@testable import AudioFiles
@testable import Encoding

/// The parts of which FLAC streams are joined: numbers, checksums, and the sum of the samples.
@Suite struct FLACFramesTests {
  @Test func `the numbers of frames have the encoding of UTF-8`() {
    for number in [0, 1, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x1_0000, 0x10_FFFF] {
      let text = Unicode.Scalar(UInt32(number)).map { Array(String($0).utf8) }
      #expect(FLACFrames.coded(Int64(number)) == text)
    }
    #expect(FLACFrames.coded(0x1F_FFFF) == [0xF7, 0xBF, 0xBF, 0xBF])
    #expect(FLACFrames.coded(0x20_0000) == [0xF8, 0x88, 0x80, 0x80, 0x80])
    #expect(FLACFrames.coded(0x400_0000) == [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80])
    #expect(FLACFrames.coded(0x8000_0000) == [0xFE, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80])
    #expect(FLACFrames.coded(0xF_FFFF_FFFF) == [0xFE, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF])
  }

  @Test func `a checksum is the same whether the zeros after a header are added one by one or at once`() {
    let header: [UInt8] = [0xFF, 0xF8, 0xC9, 0x18, 0x00, 0xC2]
    for count in [0, 1, 2, 255, 4_096, 70_001] {
      let bytes = header + [UInt8](repeating: 0, count: count)
      let sum = FLACChecksums.frame(FLACChecksums.frame(header), followedByZeros: count)
      #expect(sum == FLACChecksums.frame(bytes), "\(count)")
    }
    #expect(FLACChecksums.header(header.dropLast()) == 0xC2)
  }

  @Test func `incomplete frames are refused`() {
    var frames = FLACFrames()
    let bytes: [UInt8] = [0xFF, 0xF8, 0xC9, 0x18, 0x00, 0xC2, 0x00]
    for count in 0...bytes.count {
      #expect(!bytes[..<count].withUnsafeBufferPointer { frames.append($0, number: 1) })
    }
    #expect(frames.bytes == [] && frames.sizes == nil)
  }

  /// The examples of RFC 1321.
  private static let sums = [
    "": "d41d8cd98f00b204e9800998ecf8427e", "abc": "900150983cd24fb0d6963f7d28e17f72",
    "message digest": "f96b697d7cb7938d525a2f31aaf161d0",
    "abcdefghijklmnopqrstuvwxyz": "c3fcd3d76192e4007dfb496cca67e13b",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789": "d174ab98d277d9f5a5611c2c9f419d9f",
    String(repeating: "1234567890", count: 8): "57edf4a22be3c955ac49da2e2107b67a",
  ]

  @Test(arguments: sums) func `the sums of the RFC's examples are right, in any parts`(text: String, sum: String) {
    for part in [1, 7, 63, 64, 65, 80] {
      var whole = MD5()
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: part) {
        bytes[start..<min(start + part, bytes.count)].withUnsafeBytes { whole.update($0) }
      }
      #expect(whole.sum.map { String(format: "%02x", $0) }.joined() == sum, "parts of \(part)")
    }
  }
}
