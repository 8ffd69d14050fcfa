import Foundation
import Glibc
import TestSupport
import Testing

/// `--duration` of `play` and `show`.
struct FittedLengthTests {
  private static func session(_ first: String, _ second: String, _ gong: String) -> String {
    """
    prosper: 1
    title: Fitted
    sampleRate: 8000
    stages:
      - {name: One, duration: \(first), tracks: ["generate:rain"], gongs: [{sound: "generate:wood", at: [\(gong), -1s]}]}
      - {name: Two, duration: \(second), tracks: ["generate:ocean"], crossfade: 2s}
    """
  }

  @Test func `a fitted session plays the same samples as one that was written with that length`() async throws {
    let scratch = try Scratch()
    let long = try scratch.write("long.yaml", Self.session("2m", "4m", "30s"))
    let short = try scratch.write("short.yaml", Self.session("10s", "20s", "2.5s"))
    let fitted = try await Prosper.run(["play", long, "--duration", "0:30", "-o", scratch.path("a.wav")], in: scratch)
    let written = try await Prosper.run(["play", short, "-o", scratch.path("b.wav")], in: scratch)
    #expect(fitted.status == 0 && fitted.err.isEmpty && fitted.played == written.played, "\(fitted.err)")
    let files = try ["a.wav", "b.wav"].map { try Data(contentsOf: URL(fileURLWithPath: scratch.path($0))) }
    #expect(files[0] == files[1])
    let shows = [try await Prosper.run(["show", long, "--duration", "30s"]), try await Prosper.run(["show", short])]
    #expect(shows[0].status == 0 && shows[0].out == shows[1].out)
  }

  @Test func `a length that does not fit is refused with the stage and the shortest time, and nothing is written`()
    async throws
  {
    let scratch = try Scratch()
    let long = try scratch.write("long.yaml", Self.session("1m", "9m", "30s"))
    for command in [["play", long, "-o", scratch.path("a.wav")], ["show", long]] {
      let run = try await Prosper.run(command + ["--duration", "9s"], in: scratch)
      #expect(
        run.status == 64 && run.out.isEmpty
          && run.err
            == "prosper: --duration: 9 s is too short for the stage 'One': a cue is set 1 s before its end; "
            + "the shortest time that fits is 10 s\n",
        "\(run.err)")
    }
    #expect(try !scratch.names().contains("a.wav"))
    let word = try await Prosper.run(["show", long, "--duration", "short"])
    #expect(word.status == 64 && word.err.contains("--duration 'short' is not a length of time"))
    let broken = try scratch.write("broken.yaml", "prosper: 1")
    #expect(try await Prosper.run(["play", broken, "--duration", "9s", "-o", "null:fast"]).status == 65)
  }

  @Test func `a fitted session is resumed with its length`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session("1m", "9m", "30s"))
    let play = ["play", session, "--no-control", "-o"]
    let left = try await Prosper.run(play + ["null", "--duration", "5m", "--from", "30s"], in: scratch) {
      $0.waitUntilItSays(#""event":"position""#)
      $0.send(SIGTERM)
    }
    #expect(left.status == 143)
    let resumed = try await Prosper.run(play + ["null:fast", "--resume"], in: scratch)
    let last = try #require(try resumed.events().last)
    #expect(resumed.status == 0 && last["session"] as? Double == 300, "\(resumed.err)")
    let other = try await Prosper.run(play + ["null:fast", "--resume", "--duration", "2m"], in: scratch)
    #expect(other.status == 65 && other.err.contains("with --duration 5:00; to resume it, leave out --duration"))
    _ = try scratch.write("s.yaml", Self.session("1m", "9m", "50s, 40s, -59s"))
    let changed = try await Prosper.run(play + ["null:fast", "--resume"], in: scratch)
    #expect(changed.status == 65 && changed.err.contains("has changed since it was interrupted at"), "\(changed.err)")
  }
}
