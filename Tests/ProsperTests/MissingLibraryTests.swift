import Foundation
import TestSupport
import Testing

/// prosper without the libraries that it loads on first use. What does not need them works; what does need one says
/// which package is missing.
@Suite struct MissingLibraryTests {
  private static let all = [
    "libpulse.so.0", "libsystemd.so.0", "libsndfile.so.1", "libmpg123.so.0", "libopus.so.0", "libsoxr.so.0",
    "libebur128.so.1",
  ]
  private static let server = [
    "no sound server answers (libpulse can't be loaded; install the package libpulse0)", "start PulseAudio or PipeWire",
  ].joined(separator: "; ")

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A session of half a second.
  private func session(of track: String, rate: Int = 48_000) throws -> String {
    try scratch.write(
      "s.yaml",
      """
      prosper: 1
      title: Short
      sampleRate: \(rate)
      stages: [{name: One, duration: 500ms, tracks: ["\(track)"]}]
      """)
  }

  private func play(_ session: String, to output: String) -> [String] {
    ["play", session, "--no-control", "--no-metrics", "--events", "off", "-o", output]
  }

  @Test(arguments: MissingLibrary.here)
  func `without all of them, prosper starts, and renders and plays sounds that it generates`(
    way: MissingLibrary
  ) async throws {
    let version = try await way.run(["--version"], without: Self.all, in: scratch)
    #expect(version.status == 0 && version.out.hasPrefix("prosper ") && version.err.isEmpty)
    let session = try session(of: "generate:rain")
    let (with, without) = (scratch.path("with.wav"), scratch.path("without.wav"))
    let whole = try await Prosper.run(play(session, to: with), in: scratch)
    let render = try await way.run(play(session, to: without), without: Self.all, in: scratch)
    #expect(whole.status == 0 && render.status == 0 && render.err.isEmpty, "\(render.err)")
    let bytes = try [with, without].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    #expect(bytes[0] == bytes[1])
    // In live playback, prosper tries to use the media controls of the desktop and to prevent sleep.
    let live = try await way.run(play(session, to: "null"), without: Self.all, in: scratch)
    #expect(live.status == 0 && live.err.isEmpty, "\(live.status) \(live.err)")
  }

  @Test(arguments: MissingLibrary.here)
  func `without libpulse, playing and listing outputs name the package and exit with 69`(
    way: MissingLibrary
  ) async throws {
    let session = try session(of: "generate:rain")
    // Waiting for a server can't help.
    let words = play(session, to: "pulse") + ["--wait-for-server", "1h"]
    let live = try await way.run(words, without: ["libpulse.so.0"], in: scratch)
    #expect(live.status == 69)
    #expect(live.err == "prosper: \(Self.server), or render to a file with --output FILE.flac\n")
    let outputs = try await way.run(["outputs"], without: ["libpulse.so.0"], in: scratch)
    #expect(outputs.status == 69 && outputs.err == "prosper: \(Self.server)\n", "\(outputs.err)")
  }

  private struct Sound: Sendable {
    var file: String
    /// The rate of the file. The session has 48 kHz.
    var rate = 48_000
    var library: String
    var package: String
    /// A file that can't be decoded at all is missing, and the session does not start. One that can't be converted to
    /// the rate of the session is left out.
    var status: Int32 = 66
  }

  private static let sounds = [
    Sound(file: "a.flac", library: "libsndfile.so.1", package: "libsndfile1"),
    Sound(file: "a.mp3", library: "libmpg123.so.0", package: "libmpg123-0"),
    Sound(file: "a.wav", rate: 44_100, library: "libsoxr.so.0", package: "libsoxr0", status: 65),
  ]

  @Test(arguments: MissingLibrary.here, sounds)
  private func `a sound whose library is missing is reported in one line that names the package`(
    way: MissingLibrary, sound: Sound
  ) async throws {
    let path = scratch.path(sound.file)
    let made = try await Prosper.run(play(try session(of: "generate:rain", rate: sound.rate), to: path), in: scratch)
    #expect(made.status == 0, "\(made.err)")
    let words = play(try session(of: sound.file), to: "null:fast")
    let run = try await way.run(words, without: [sound.library], in: scratch)
    #expect(run.status == sound.status)
    let cause = "\(sound.library.prefix { $0 != "." }) can't be loaded; install the package \(sound.package)"
    #expect(run.err.hasSuffix(" \(path): can't be read: \(cause)\n"), "\(run.err)")
    #expect(run.err.count { $0 == "\n" } == 1, "\(run.err)")
  }

  @Test(arguments: MissingLibrary.here)
  func `without libebur128, no true peak is measured and no file is levelled, and everything else works`(
    way: MissingLibrary
  ) async throws {
    let cause = "libebur128 can't be loaded; install the package libebur128-1"
    let plain = try scratch.write(
      "plain.yaml", "{prosper: 1, title: t, stages: [{name: A, duration: 1s, tracks: ['generate:rain']}]}")
    let levelled = try scratch.write(
      "levelled.yaml",
      "{prosper: 1, title: t, loudness: {music: -30}, stages: [{name: A, duration: 1s, tracks: ['generate:rain']}]}")
    let run = { try await way.run($0, without: ["libebur128.so.1"], in: scratch) }
    let file = try await run(play(plain, to: scratch.path("a.wav")) + ["--loudness", "-16"])
    #expect(file.status == 73 && file.err.hasSuffix(" \(cause)\n"), "\(file.err)")
    let measured = try await run(["measure", plain])
    #expect(measured.status == 66 && measured.err.hasSuffix(" \(cause)\n"), "\(measured.err)")
    for words in [
      play(plain, to: "null:fast"), play(levelled, to: "null:fast"), ["show", levelled], ["check", levelled],
    ] {
      let run = try await run(words)
      #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    }
  }

  /// The path is quoted for the shell.
  @Test(arguments: MissingLibrary.here)
  func `without libavformat, an m4a file is reported with the command that converts it`(
    way: MissingLibrary
  ) async throws {
    // The beginning of a file is enough to see that libsndfile doesn't read it.
    let head: [UInt8] = [0, 0, 0, 16] + Array("ftypM4A ".utf8) + [0, 0, 0, 0]
    let path = scratch.path("it's.m4a")
    try Data(head).write(to: URL(fileURLWithPath: path))
    let words = play(try session(of: "it's.m4a"), to: "null:fast")
    let run = try await way.run(words, without: ["libavformat.so.\(Self.avVersion)"], in: scratch)
    #expect(run.status == 66)
    let quoted = path.replacing("'", with: "'\\''")
    #expect(run.err.contains("it's.m4a: can't be read: libavformat can't be loaded; install the packages libavformat"))
    #expect(run.err.hasSuffix(", or convert it: ffmpeg -i '\(quoted)' '\(quoted).flac'\n"), "\(run.err)")
  }

  /// The version of libavformat that is installed.
  private static var avVersion: String {
    let names = (1...200).map(String.init)
    return names.first { dlopen("libavformat.so.\($0)", RTLD_LAZY) != nil } ?? "none"
  }

  @Test(arguments: MissingLibrary.here)
  func `without libsndfile, a FLAC file can't be created, and the exit code is 73`(way: MissingLibrary) async throws {
    let path = scratch.path("a.flac")
    let words = play(try session(of: "generate:rain"), to: path)
    let run = try await way.run(words, without: ["libsndfile.so.1"], in: scratch)
    #expect(run.status == 73)
    let cause = "libsndfile can't be loaded; install the package libsndfile1"
    #expect(run.err == "prosper: \(path): can't be created: \(cause)\n")
    #expect(try !scratch.names().contains { $0.contains("a.flac") })
  }
}
