import Foundation
import Signal

/// A stereo WAV file of 32-bit floats, read chunk by chunk.
struct FloatWave {
  var rate: Int
  var frames: [Frame]

  struct Malformed: Error {}

  init(at path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let word = { (offset: Int) in
      data.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }
    var offset = 12
    var rate = 0
    var body: Range<Int>?
    while offset + 8 <= data.count, body == nil {
      let size = word(offset + 4)
      let name = String(decoding: data[offset..<offset + 4], as: UTF8.self)
      if name == "fmt " { rate = word(offset + 12) }
      if name == "data" { body = offset + 8..<offset + 8 + size }
      offset += 8 + size + size % 2
    }
    guard let body, body.upperBound <= data.count else { throw Malformed() }
    self.rate = rate
    frames = data.withUnsafeBytes { raw in
      stride(from: body.lowerBound, to: body.upperBound, by: 8).map {
        raw.loadUnaligned(fromByteOffset: $0, as: Frame.self)
      }
    }
  }
}
