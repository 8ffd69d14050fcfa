import Files
import Foundation
import TestSupport
import Testing

/// Names of files that are not UTF-8, through the whole program.
@Suite struct FileNameTests {
  /// Runs a shell in a folder; `$p` is the program.
  private func shell(
    _ script: String, in scratch: Scratch, whileRunning: @escaping @Sendable (Running) -> Void = { _ in }
  ) async throws -> Prosper {
    let start = ["/bin/sh", "-c", #"p="$0"; cd "$1" && eval "$2""#, Prosper.executable.path, scratch.path("")]
    return try await Prosper.run([script], in: scratch, program: start, whileRunning: whileRunning)
  }

  private func names(in folder: String) -> Set<[UInt8]> { Set(FilePath.names(in: folder).map(\.systemBytes)) }

  private static let session = """
    {"prosper": 1, "title": "T", "stages": [{"name": "A", "duration": "1s", "tracks": ["audio/a.wav"]}]}
    """

  /// A folder `f\\374` with the session `s\\374.json` and a sound.
  private func prepared() async throws -> Scratch {
    let scratch = try Scratch()
    _ = try scratch.write("s.json", Self.session)
    let sound = Data(TestWave.stereo(TestSound.noise(8_000), rate: 8_000))
    try sound.write(to: URL(fileURLWithPath: scratch.path("a.wav")))
    let made = try await shell(
      #"f=$(printf 'f\374'); mkdir -p "$f/audio" && mv a.wav "$f/audio" && mv s.json "$f/$(printf 's\374.json')""#,
      in: scratch)
    #expect(made.status == 0, "\(made.err)")
    return scratch
  }

  private var folder: String { String(ofSystem: [0x66, 0xFC]) }

  @Test(arguments: ["wav", "flac", "ogg", "opus", "mp3", "aiff", "caf"])
  func `a session, its sounds and its output may have any name`(format: String) async throws {
    let scratch = try await prepared()
    let run = try await shell(
      #"cd "$(printf 'f\374')" && $p play "$(printf 's\374.json')" --output "$(printf 'o-\374.\#(format)')""#,
      in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let made = names(in: scratch.path("") + "/" + folder)
    #expect(made.contains(Array("o-".utf8) + [0xFC] + Array(".\(format)".utf8)) && made.count == 3)
  }

  @Test func `pictures, scripts, new sessions and sits may have any name`() async throws {
    let scratch = try await prepared()
    let run = try await shell(
      #"""
      cd "$(printf 'f\374')"
      printf '[{"at":"end","expect":{"state":"finished"}}]' > "$(printf 'x\377.json')"
      $p show s*.json --svg "$(printf 'p\377.svg')" && $p play s*.json -o null:fast --script x*.json --events off &&
      cp audio/a.wav "$(printf 'a\351.wav')" && $p new "$(printf 'n\351.yaml')" "$(printf 'a\351.wav')" &&
      $p check n*.yaml && $p sit 9s --bell a*.wav --strikes 1 --save "$(printf 't\351.json')" && $p check t*.json
      """#, in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let made = names(in: scratch.path("") + "/" + folder)
    for name: [UInt8] in [[0x70, 0xFF], [0x6E, 0xE9], [0x74, 0xE9]] {
      #expect(made.contains { $0.starts(with: name) }, "\(name)")
    }
    #expect(run.out.contains("n\u{FFFD}.yaml: "))
    #expect(run.out.contains(#"prosper play "$(printf 'n\351.yaml')""#), "\(run.out)")
  }

  @Test func `a message shows such a name with a replacement character`() async throws {
    let run = try await shell(#"$p check "$(printf 'no\374.yaml')""#, in: try Scratch())
    #expect(run.status == 66)
    #expect(run.out == "no\u{FFFD}.yaml:1:1: error: no such file; check the path\n")
  }

  @Test func `an interrupted session is found by such a name, and in such a home`() async throws {
    let scratch = try await prepared()
    let home = #"cd "$(printf 'f\374')"; export HOME="$PWD"; "#
    let text = #"{prosper: 1, title: T, stages: [{name: A, duration: 60s, tracks: ['generate:rain']}]}"#
    let left = try await shell(
      home + #"echo "\#(text)" > "$(printf 'l\374.yaml')"; exec $p play l*.yaml -o null --events jsonl"#, in: scratch
    ) {
      $0.waitUntilItSays(#""event":"position""#)
      $0.send(SIGINT)
    }
    #expect(left.status == 130, "\(left.err)")
    let state = "\(scratch.path(""))/\(folder)/.local/state/prosper"
    #expect(FilePath.names(in: state).contains { $0.hasPrefix("place-") })
    let resumed = try await shell(home + "$p play --resume -o null:fast", in: scratch)
    #expect(resumed.status == 0, "\(resumed.err)")
  }
}
