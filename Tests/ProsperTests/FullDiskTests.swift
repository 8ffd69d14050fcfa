import Foundation
import Testing

/// A disk that becomes full at any byte of a file, or that is read-only. It behaves the same for every user.
@Suite struct FullDiskTests {
  private static let formats = ["wav", "flac", "ogg", "opus", "mp3", "aiff", "caf"]
  /// Formats, and threads that decode.
  private static let ways = formats.map { ($0, 1) } + [("wav", 7), ("flac", 2)]
  private static let session = """
    prosper: 1
    title: Short
    sampleRate: 48000
    stages: [{name: One, duration: 1s, tracks: ["generate:rain"]}]
    """

  private let scratch: Scratch
  private let session: String
  private let folder: String

  init() throws {
    scratch = try Scratch()
    session = try scratch.write("s.yaml", Self.session)
    folder = scratch.path("disk")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  }

  private func words(_ path: String, jobs: Int = 1) -> [String] {
    ["play", session, "--no-control", "--no-metrics", "--events", "off", "-o", path]
      + ["--jobs", "\(jobs)", "--piece-frames", "4410"]
  }

  @Test(arguments: SmallDisk.here, ways)
  func `a file that does not fit is reported in one line, is removed, and exits with 74`(
    disk: SmallDisk, way: (suffix: String, jobs: Int)
  ) async throws {
    let suffix = way.suffix
    let elsewhere = scratch.path("a.\(suffix)")
    let whole = try await Prosper.run(words(elsewhere), in: scratch)
    #expect(whole.status == 0 && whole.out.isEmpty && whole.err.isEmpty)
    let size = try Data(contentsOf: URL(fileURLWithPath: elsewhere)).count
    let path = folder + "/a." + suffix
    let cause = disk == .limited ? "file too large" : "no space left on device"
    let places = disk.places(size)
    #expect(!places.isEmpty)
    for bytes in places {
      let run = try await disk.run(words(path, jobs: way.jobs), .bytes(bytes), at: folder, in: scratch)
      #expect(run.status == 74, "\(bytes) of \(size): \(run.status)")
      let line = "prosper: \(path): can't be written: \(cause); free some space, or choose another output\n"
      #expect(run.out == line && run.err.isEmpty, "\(bytes) of \(size): \(run.out) \(run.err)")
    }
  }

  @Test(arguments: SmallDisk.here, [1, 3])
  func `a disk that becomes full while pieces of a FLAC file are encoded is reported in one line`(
    disk: SmallDisk, jobs: Int
  ) async throws {
    let long = try scratch.write("long.yaml", Self.session.replacing("duration: 1s", with: "duration: 20s"))
    func words(_ path: String) -> [String] {
      ["play", long, "--no-control", "--no-metrics", "--events", "off", "-o", path, "--jobs", "\(jobs)"]
    }
    #expect(try await Prosper.run(words(scratch.path("a.flac")), in: scratch).status == 0)
    let pages = try Data(contentsOf: URL(fileURLWithPath: scratch.path("a.flac"))).count / 4_096
    let path = folder + "/a.flac"
    let cause = disk == .limited ? "file too large" : "no space left on device"
    for bytes in [pages / 3 * 4_096, pages * 4_096] {
      let run = try await disk.run(words(path), .bytes(bytes), at: folder, in: scratch)
      #expect(run.status == 74, "\(bytes): \(run.status)")
      let line = "prosper: \(path): can't be written: \(cause); free some space, or choose another output\n"
      #expect(run.out == line && run.err.isEmpty, "\(bytes): \(run.out) \(run.err)")
    }
  }

  @Test(arguments: SmallDisk.here.filter { $0 != .standIn })
  func `a drawing that does not fit leaves no file`(disk: SmallDisk) async throws {
    let stages = (0..<30).map { "{name: '\($0)', duration: 1s, tracks: ['generate:rain']}" }.joined(separator: ", ")
    let long = try scratch.write("long.yaml", "{prosper: 1, title: Long, stages: [\(stages)]}")
    let path = folder + "/a.svg"
    let cause = disk == .limited ? "file too large" : "no space left on device"
    let run = try await disk.run(["show", long, "--svg", path], .bytes(4_096), at: folder, in: scratch)
    #expect(run.status == 74)
    let line = "prosper: \(path): can't be written: \(cause); free some space\n"
    #expect(run.out == line && run.err.isEmpty, "\(run.out) \(run.err)")
  }

  @Test(arguments: SmallDisk.here, formats)
  func `a file that just fits is complete`(disk: SmallDisk, suffix: String) async throws {
    let elsewhere = scratch.path("a.\(suffix)")
    let whole = try await Prosper.run(words(elsewhere), in: scratch)
    #expect(whole.status == 0)
    let size = try Data(contentsOf: URL(fileURLWithPath: elsewhere)).count
    let run = try await disk.run(words(folder + "/a." + suffix), .bytes(size), at: folder, in: scratch)
    #expect(run.status == 0 && run.out == "a.\(suffix)\n" && run.err.isEmpty, "\(run.out) \(run.err)")
  }

  @Test(arguments: SmallDisk.here.filter { $0 != .limited })
  func `a read-only disk is reported in one line, stays unchanged, and exits with 73`(disk: SmallDisk) async throws {
    let path = folder + "/a.wav"
    let run = try await disk.run(words(path), .readOnly, at: folder, in: scratch)
    #expect(run.status == 73)
    let line = "prosper: \(path): can't be created: read-only file system; choose another folder\n"
    #expect(run.out == line && run.err.isEmpty, "\(run.out) \(run.err)")
  }
}
