import Foundation
package import Signal

/// A folder for the files of one test. It is removed together with this object.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("prosper-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The absolute path of a name in the folder.
  package func path(_ name: String) -> String { path + "/" + name }

  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  package func bytes(of name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  package var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}

/// Sounds whose samples a test can compute.
package enum TestSound {
  /// White noise from a seed, in whole 16-bit steps, within −12 dB.
  package static func noise(_ count: Int, seed: UInt64 = 1) -> [Frame] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func sample() -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int16(truncatingIfNeeded: Int64(bitPattern: state) >> 50)) / 32_768
    }
    return (0..<count).map { _ in Frame(left: sample(), right: sample()) }
  }

  /// The same sine on both sides.
  package static func sine(_ frequency: Double, rate: Int, count: Int, amplitude: Double = 0.5) -> [Frame] {
    (0..<count).map { Frame(mono: Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(rate)))) }
  }
}

/// The bytes of a WAV file.
package enum TestWave {
  /// 16-bit stereo. Samples are rounded to the nearest step.
  package static func stereo(_ frames: [Frame], rate: Int) -> [UInt8] {
    let samples = frames.flatMap { [$0.left, $0.right] }.map { Int16(($0 * 32_768).rounded()) }
    return file(code: 1, channels: 2, rate: rate, bits: 16, data: samples.flatMap { bytes(UInt16(bitPattern: $0)) })
  }

  /// 32-bit floating point, interleaved.
  package static func float(_ samples: [Float], channels: Int, rate: Int) -> [UInt8] {
    file(code: 3, channels: channels, rate: rate, bits: 32, data: samples.flatMap { bytes($0.bitPattern) })
  }

  /// 32-bit floating-point stereo. This function is faster than the other one for long sounds.
  package static func float(_ frames: [Frame], rate: Int) -> [UInt8] {
    file(code: 3, channels: 2, rate: rate, bits: 32, data: frames.withUnsafeBytes { Array($0) })
  }

  private static func file(code: UInt16, channels: Int, rate: Int, bits: Int, data: [UInt8]) -> [UInt8] {
    let block = channels * bits / 8
    return Array("RIFF".utf8) + bytes(UInt32(36 + data.count)) + Array("WAVEfmt ".utf8) + bytes(UInt32(16))
      + bytes(code) + bytes(UInt16(channels)) + bytes(UInt32(rate)) + bytes(UInt32(rate * block))
      + bytes(UInt16(block)) + bytes(UInt16(bits)) + Array("data".utf8) + bytes(UInt32(data.count)) + data
  }

  private static func bytes<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
    withUnsafeBytes(of: word.littleEndian) { Array($0) }
  }
}
