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
  static func render16(_ session: String, in scratch: Scratch) async throws -> [UInt32] {
    let path = scratch.path("render.wav")
    let run = try await run(["play", session, "-o", path, "--encoding", "s16"], in: scratch)
    #expect(run.status == 0)
    return try ProsperTests.frames16(ofWave: path)
  }
}
