import Foundation
import Testing

/// The stereo frames of a WAV file of 16 bits with a plain header, each as one number.
func frames16(ofWave path: String) throws -> [UInt32] {
  let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  // The plain header states the size of the sound at its end; tags follow.
  let size = file[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) }
  return [UInt8](file[44..<44 + size]).frames16
}

extension Prosper {
  /// The frames of a render with 16 bits.
  static func render16(_ session: String, in scratch: Scratch, more: [String] = []) async throws -> [UInt32] {
    let path = scratch.path("render.wav")
    let run = try await run(["play", session, "-o", path, "--encoding", "s16"] + more, in: scratch)
    #expect(run.status == 0)
    return try ProsperTests.frames16(ofWave: path)
  }
}

/// How similar a piece is to the most similar place of a sound, 1 for the same. Both are samples of one channel; the place
/// is looked for by the first 64 samples of the piece.
func bestCorrelation(of piece: [Double], in sound: [Double]) -> Double {
  func correlation(_ shift: Int, _ count: Int) -> Double {
    var (sum, first, second) = (0.0, 0.0, 0.0)
    for index in 0..<count {
      sum += piece[index] * sound[index + shift]
      first += piece[index] * piece[index]
      second += sound[index + shift] * sound[index + shift]
    }
    return sum / max(1, (first * second).squareRoot())
  }
  guard piece.count < sound.count else { return 0 }
  let best = (0..<sound.count - piece.count).max { correlation($0, 64) < correlation($1, 64) } ?? 0
  return correlation(best, piece.count)
}
