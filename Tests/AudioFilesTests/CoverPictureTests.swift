import Foundation
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

@Suite struct CoverPictureTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// Images by their first bytes; the second one contains what ID3 changes when it is stored.
  private let front: [UInt8] = [0x89, 0x50, 0x4E, 0x47] + Array(0...99)
  private let back: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0x00, 0xFF, 0xFF, 0x01]

  private func picture(in bytes: [UInt8]) throws -> CoverPicture? {
    let path = try folder.write(bytes, to: "sound")
    return AudioFileLibrary().picture(of: SoundSource(.file(path: path)))
  }

  private func big(_ number: Int, bytes: Int = 4) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// A picture in the notation of FLAC and Ogg files.
  private func block(_ image: [UInt8], kind: Int) -> [UInt8] {
    var block = big(kind)
    for text in ["image/x", "Umschlag ü"] { block += big(text.utf8.count) + Array(text.utf8) }
    block += [UInt8](repeating: 7, count: 16)
    return block + big(image.count) + image
  }

  // MARK: FLAC

  private func flac(_ blocks: [[UInt8]]) -> [UInt8] {
    var file = Array("fLaC".utf8) + [0] + big(34, bytes: 3) + [UInt8](repeating: 0, count: 34)
    for block in blocks { file += [6] + big(block.count, bytes: 3) + block }
    return file + [0x81] + big(2, bytes: 3) + [0, 0]
  }

  @Test func `the front cover of a FLAC file goes before other pictures`() throws {
    let found = try picture(in: flac([block(back, kind: 4), block(front, kind: 3)]))
    #expect(found?.bytes == front && found?.format == .png)
    let other = try picture(in: flac([block(back, kind: 4), block(Array("no image".utf8), kind: 3)]))
    #expect(other?.bytes == back && other?.format == .jpg)
    #expect(try picture(in: flac([])) == nil)
  }

  @Test func `a file that ends in its picture, or states a wrong length, has none`() throws {
    let whole = flac([block(front, kind: 3)])
    for length in stride(from: 0, to: 150, by: 3) { #expect(try picture(in: Array(whole[..<length])) == nil) }
    var wrong = block(front, kind: 3)
    wrong.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(try picture(in: flac([wrong])) == nil)
  }

  // MARK: ID3

  private func tag(version: UInt8, flags: UInt8 = 0, _ frames: [UInt8]) -> [UInt8] {
    let size = (0..<4).reversed().map { UInt8(frames.count >> (7 * $0) & 0x7F) }
    return Array("ID3".utf8) + [version, 0, flags] + size + frames
  }

  /// Each byte of 255 is followed by a zero.
  private func unsynchronised(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { $0 == 0xFF ? [$0, 0] : [$0] } }

  @Test func `each version of ID3 has its own notation of a picture`() throws {
    let mime = Array("image/jpeg".utf8) + [0, 3]
    let latin: [UInt8] = [0] + mime + Array("Cover".utf8) + [0] + back
    let wide: [UInt8] = [1] + mime + [0xFF, 0xFE, 0x41, 0x00, 0x00, 0x01, 0, 0] + back
    let short: [UInt8] = [0] + Array("JPG".utf8) + [3, 0] + back
    let frame = { (name: String, size: Int, flags: [UInt8], body: [UInt8]) -> [UInt8] in
      Array(name.utf8) + self.big(size, bytes: name.utf8.count) + flags + body
    }
    let title = frame("TIT2", 2, [0, 0], [0, 0x41])
    let stored = big(wide.count) + unsynchronised(wide)
    let tags = [
      tag(version: 2, frame("PIC", short.count, [], short)),
      tag(version: 3, title + frame("APIC", latin.count, [0, 0], latin)),
      tag(version: 3, frame("APIC", wide.count, [0, 0], wide)),
      tag(version: 3, flags: 0x80, unsynchronised(title + frame("APIC", latin.count, [0, 0], latin))),
      tag(version: 4, frame("APIC", stored.count, [0, 3], stored)),
    ]
    for (number, tag) in tags.enumerated() {
      let found = try picture(in: tag + Array(repeating: 0, count: 300))
      #expect(found?.bytes == back && found?.format == .jpg, "\(number)")
    }
    #expect(try picture(in: tag(version: 3, frame("APIC", latin.count, [0, 0x80], latin)) + [0, 0, 0]) == nil)
    #expect(try picture(in: tag(version: 3, frame("APIC", 9_999, [0, 0], latin)) + [0, 0, 0]) == nil)
  }

  // MARK: Ogg

  /// A page; `lacing` divides its body into packets.
  private func page(_ number: Int, lacing: [UInt8], _ body: [UInt8]) -> [UInt8] {
    var page = Array("OggS".utf8) + [0, 0] + [UInt8](repeating: 0, count: 8) + [1, 0, 0, 0]
    page += big(number).reversed()
    page += [0, 0, 0, 0, UInt8(lacing.count)] + lacing + body
    let checksum = page.reduce(UInt32(0)) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte) << 24) { sum, _ in sum >> 31 == 1 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
    }
    page.replaceSubrange(22..<26, with: big(Int(checksum)).reversed())
    return page
  }

  @Test(arguments: [[0x03] + Array("vorbis".utf8), Array("OpusTags".utf8)])
  func `the comments of an Ogg file contain a picture, also on several pages`(mark: [UInt8]) throws {
    let large = front + Array(repeating: 9, count: 60_000)
    let text = "metadata_block_picture=" + Data(block(large, kind: 3)).base64EncodedString()
    var packet = mark + [4, 0, 0, 0] + Array("made".utf8) + [2, 0, 0, 0]
    for field in ["TITLE=a", text] { packet += Array(big(field.utf8.count).reversed()) + Array(field.utf8) }
    packet.append(1)
    let cut = 255 * 255
    let rest = packet.count - cut
    let lacing = [UInt8](repeating: 255, count: rest / 255) + [UInt8(rest % 255), 3]
    var file = page(0, lacing: [1], [1])
    file += page(1, lacing: [UInt8](repeating: 255, count: 255), Array(packet[..<cut]))
    file += page(2, lacing: lacing, Array(packet[cut...]) + [1, 2, 3])
    #expect(try picture(in: file)?.bytes == large)
    #expect(try picture(in: Array(file[..<(file.count / 2)])) == nil)
  }
}
