import Foundation
import Testing

@Suite struct SoundsTests {
  @Test func `the list contains every built-in sound`() async throws {
    let run = try await Prosper.run(["sounds"])
    #expect(run.status == 0 && run.err.isEmpty)
    let names = ["bowl", "gong", "bell", "wood", "beep", "white", "pink", "brown", "rain", "ocean", "drone"]
    for name in names + ["binaural", "isochronic"] {
      #expect(run.lines.contains { $0 == name || $0 == "\(name) (endless)" }, "\(name)")
    }
  }

  @Test func `an unknown sound is wrong usage, reported in one line`() async throws {
    let run = try await Prosper.run(["sounds", "--play", "bagpipe"])
    #expect(run.status == 64 && run.err.hasPrefix("prosper: there is no built-in sound 'bagpipe'; use one of 'bowl', "))
    #expect(run.err.split(separator: "\n").count == 1)
  }

  @Test func `without a sound server, the exit code is 69, with one line`() async throws {
    let run = try await Prosper.run(["sounds", "--play", "bell", "--events", "off"])
    #expect(run.status == 69 && run.err.hasPrefix("prosper: no sound server answers") && run.out.isEmpty)
    #expect(run.err.split(separator: "\n").count == 1)
  }

  @Test func `a sound that is rendered twice has the same bytes`() async throws {
    let scratch = try Scratch()
    for name in ["a.flac", "b.flac"] {
      let run = try await Prosper.run(["sounds", "--play", "wood", "-o", scratch.path(name)], in: scratch)
      #expect(run.status == 0)
    }
    let (a, b) = (scratch.path("a.flac"), scratch.path("b.flac"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: a)) == Data(contentsOf: URL(fileURLWithPath: b)))
  }

  @Test func `the samples of a WAV file begin at byte 44, where every reader expects them`() async throws {
    let scratch = try Scratch()
    let run = try await Prosper.run(["sounds", "--play", "wood", "-o", scratch.path("a.wav")], in: scratch)
    #expect(run.status == 0)
    let data = try Data(contentsOf: URL(fileURLWithPath: scratch.path("a.wav")))
    #expect(data[36..<40] == Data("data".utf8))
    let size = data[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) }
    // The tags follow.
    #expect(Data(data[(44 + size)..<(48 + size)]) == Data("LIST".utf8))
  }
}
