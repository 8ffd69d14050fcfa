import Files
import Foundation
import Sounds
import TestSupport

@testable import Speech

/// Programs named `espeak-ng` and `piper` that speak as the tests want, and what speaks with them.
struct FakeEngine {
  let scratch: TemporaryFolder

  /// - Parameter body: what the program does with a sentence, in Python: it has `text`, `say` and `sys`.
  init(_ body: String = "say(text)") throws {
    scratch = try TemporaryFolder()
    for folder in ["bin", "cache"] {
      try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: true)
    }
    try write(body)
  }

  /// Keeps the folder until the end of a test: the sounds use it.
  func keep() { withExtendedLifetime(scratch) {} }

  func write(_ body: String, version: String = "1.0") throws {
    let text = Self.program(body, version: version, log: scratch.path("log"))
    let file = try scratch.write(Array(text.utf8), to: "program")
    for name in ["espeak-ng", "piper"] {
      // Written by another process: a process that this one starts meanwhile would keep the program open, and a program
      // that is open for writing can't be run.
      _ = try output(
        of: "/usr/bin/install", ["-m", "755", file, scratch.path("bin/\(name)")], environment: [:], mustSucceed: true)
    }
  }

  /// A sentence is a constant level of 100 frames for each of its bytes, between silences of 1,000 frames.
  private static func program(_ body: String, version: String, log: String) -> String {
    """
    #!/usr/bin/python3
    import json, os, signal, struct, sys, time
    if sys.argv[1:] == ["--version"]:
        print("fake \(version)  Data at: /nowhere")
        sys.exit()
    if sys.argv[1:] == ["--voices"]:
        print("Pty Language Age/Gender VoiceName File Other")
        print(" 5 de --/M German gmw/de\\n 5 en-gb --/M English_(Great_Britain) gmw/en\\n 2 pt --/M Portuguese x")
        sys.exit()
    if sys.argv[1:] == ["--voices=variant"]:
        print("Pty Language Age/Gender VoiceName File Other\\n 5 variant --/F Linda !v/f3 (en-us 5)\\n 5 variant --/M X !v/Mr X")
        sys.exit()
    data = sys.stdin.buffer.read()
    text = data.decode()
    with open(\(quoted(log)), "a") as file:
        file.write(json.dumps([sys.argv[1:], text]) + "\\n")
    def say(text, rate=22050, size=0x7FFFF000):
        samples = [0] * 1000 + [8000] * (100 * len(text.encode())) + [0] * 1000
        data = struct.pack("<%dh" % len(samples), *samples)
        sys.stdout.buffer.write(b"RIFF" + struct.pack("<I", size) + b"WAVEfmt " + struct.pack(
            "<IHHIIHH", 16, 1, 1, rate, 2 * rate, 2, 16) + b"data" + struct.pack("<I", size) + data)
    \(body)
    """
  }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }

  func sounds(
    voices: String? = nil, folders: String? = nil, cache: String = "cache", isSpeaking: Bool = true,
    seconds: Double = 20
  ) throws -> SpokenSounds {
    try voices?.write(toFile: scratch.path("voices.yaml"), atomically: true, encoding: .utf8)
    return SpokenSounds(
      cache: SpeechCache(folder: scratch.path(cache)), voices: scratch.path("voices.yaml"),
      folders: folders ?? scratch.path("bin"), isSpeaking: isSpeaking, seconds: seconds)
  }

  /// The arguments and the text of each call that has spoken.
  var calls: [(arguments: [String], text: String)] {
    let lines = (try? String(contentsOfFile: scratch.path("log"), encoding: .utf8))?.split(separator: "\n") ?? []
    return lines.compactMap { line in
      guard let call = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any],
        let arguments = call.first as? [String], let text = call.last as? String
      else { return nil }
      return (arguments, text)
    }
  }

  /// The files of the cache, by name.
  func stored(in cache: String = "cache") throws -> [String: [UInt8]] {
    let names = FilePath.names(in: scratch.path(cache))
    return Dictionary(uniqueKeysWithValues: try names.map { ($0, try scratch.bytes(of: "\(cache)/\($0)")) })
  }
}
