import Foundation
import Testing

/// A disk that is full behind any byte of a file.
@Suite struct FullDiskTests {
  private static let session = """
    prosper: 1
    title: Short
    sampleRate: 48000
    stages: [{name: One, duration: 1s, tracks: ["generate:rain"]}]
    """

  /// - Parameter bytes: of a file, behind which nothing more can be written.
  private func render(_ session: String, to path: String, bytes: Int, in scratch: Scratch) async throws -> Prosper {
    // What it says is no file's, and not limited.
    let shell = #"prlimit --fsize=\#(bytes) "$0" "$@" 2>&1 | cat; exit "${PIPESTATUS[0]}""#
    return try await Prosper.run(
      ["play", session, "--no-control", "--no-metrics", "--events", "off", "-o", path], in: scratch,
      program: ["/bin/bash", "-c", shell, Prosper.executable.path])
  }

  @Test(arguments: ["wav", "flac", "ogg", "opus", "mp3", "aiff", "caf"])
  func `a file that does not fit is told in one line and leaves nothing: 74`(suffix: String) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let folder = scratch.path("out")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let path = folder + "/a." + suffix
    let whole = try await render(session, to: path, bytes: 1 << 30, in: scratch)
    #expect(whole.status == 0 && whole.out.isEmpty)
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    try FileManager.default.removeItem(atPath: path)
    let some = (1...6).map { 1 + (size - 2) * $0 * $0 / 40 }
    for bytes in [0, 1, 43, 44, 60, size - 1] + some {
      let run = try await render(session, to: path, bytes: bytes, in: scratch)
      #expect(run.status == 74, "\(bytes) of \(size): \(run.status)")
      let line = "prosper: \(path): can't be written: file too large; make room, or choose another place\n"
      #expect(run.out == line, "\(bytes) of \(size)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [], "\(bytes) of \(size)")
    }
  }
}
