import Foundation
import TestSupport
import Testing

@testable import prosper

/// Programs of SBaGen that become sessions, and how these sound.
struct SBaGenImportTests {
  /// The rendered sound, in samples of 48,000 Hz.
  private struct Render {
    var channels: [[Float]] = [[], []]

    init(_ path: String) throws {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      let start = try #require(data.range(of: Data("data".utf8))).upperBound
      data[start...].withUnsafeBytes { bytes in
        let size = Int(bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
        for index in 0..<size / 4 {
          channels[index % 2].append(bytes.loadUnaligned(fromByteOffset: 4 + 4 * index, as: Float.self))
        }
      }
    }

    /// The samples around a time, fewer at the ends of the sound. Lengths are in seconds.
    private func window(_ channel: Int, at seconds: Double, _ length: Double) -> ArraySlice<Float> {
      let all = channels[channel]
      let first = max(0, Int((seconds - length / 2) * 48_000))
      return all[first..<min(all.count, first + Int(length * 48_000))]
    }

    /// The amplitude of one frequency under a Hann window: that of a sine at full scale is 1.
    private func amplitude(_ frequency: Double, _ samples: ArraySlice<Float>) -> Double {
      let (rotation, window) = (2 * Double.pi * frequency / 48_000, 2 * Double.pi / Double(samples.count))
      var (re, im) = (0.0, 0.0)
      for (index, sample) in samples.enumerated() {
        let value = Double(sample) * (1 - cos(window * Double(index)))
        re += value * cos(rotation * Double(index))
        im += value * sin(rotation * Double(index))
      }
      return 2 * hypot(re, im) / Double(samples.count)
    }

    /// The strongest frequency within 1 Hz of one, in steps of 0.02 Hz, with its amplitude.
    func tone(_ channel: Int, near frequency: Double, at seconds: Double) -> (frequency: Double, amplitude: Double) {
      let samples = window(channel, at: seconds, 1)
      let found = (-50...50).map { step -> (frequency: Double, amplitude: Double) in
        let candidate = frequency + Double(step) / 50
        return (candidate, amplitude(candidate, samples))
      }
      return found.max { $0.amplitude < $1.amplitude } ?? (0, 0)
    }

    /// The root mean square of a channel in a tenth of a second.
    func level(_ channel: Int, at seconds: Double) -> Double {
      let samples = window(channel, at: seconds, 0.1)
      return (samples.reduce(0.0) { $0 + Double($1 * $1) } / Double(samples.count)).squareRoot()
    }
  }

  /// Converts a program, checks the session, and renders it.
  private static func render(
    _ program: String, warnings: Int = 0, _ sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws -> (render: Render, session: String) {
    let scratch = try Scratch()
    let path = scratch.path("s.yaml")
    let made = try await Prosper.run(["new", path, try scratch.write("p.sbg", program)], in: scratch)
    #expect(made.status == 0, "\(made.err)", sourceLocation: sourceLocation)
    #expect(made.err.split(separator: "\n").count == warnings, "\(made.err)", sourceLocation: sourceLocation)
    let check = try await Prosper.run(["check", path], in: scratch)
    #expect(check.status == 0, "\(check.out)", sourceLocation: sourceLocation)
    let output = scratch.path("s.wav")
    let played = try await Prosper.run(["play", path, "-o", output, "--encoding", "f32"], in: scratch)
    #expect(played.status == 0, "\(played.err)", sourceLocation: sourceLocation)
    return (try Render(output), try String(contentsOfFile: path, encoding: .utf8))
  }

  @Test func `binaural tones have their frequencies in each ear, and fade in and out`() async throws {
    let (render, session) = try await Self.render(
      "-SE -F 4000\n## Quiet tones\na: 200+4/30 400-6/10\noff: -\nNOW a\n+00:00:10 off\n")
    #expect(session.contains("description: Quiet tones") && session.contains("duration: 10s"))
    for (channel, low, high) in [(0, 202.0, 397.0), (1, 198, 403)] {
      let (first, second) = (render.tone(channel, near: low, at: 5), render.tone(channel, near: high, at: 5))
      #expect(abs(first.frequency - low) < 0.1 && abs(first.amplitude - 0.3) < 0.003, "\(channel): \(first)")
      #expect(abs(second.frequency - high) < 0.1 && abs(second.amplitude - 0.1) < 0.003, "\(channel): \(second)")
    }
    // The fades take two seconds.
    #expect(abs(render.tone(0, near: 202, at: 1).amplitude - 0.15) < 0.01)
    #expect(abs(render.tone(0, near: 202, at: 9).amplitude - 0.15) < 0.01)
    #expect(render.channels[0].count == 480_000)
  }

  @Test func `a slide moves carrier, beat and amplitude, without a break between the stages`() async throws {
    let (render, session) = try await Self.render(
      "-SE\na: 200+10/40\nb: 150-4/20\nc: 150-4/20\noff: -\n12:00 == a ->\n12:00:20 == b ->\n12:00:25 == c ->\n"
        + "12:00:30 == off\n")
    #expect(session.contains("start: 20s") && session.contains("end: 25s"), "\(session)")
    for seconds in [1.0, 5, 10, 15, 19] {
      let share = seconds / 20
      let (carrier, beat, level) = (200 - 50 * share, 10 - 14 * share, 0.4 - 0.2 * share)
      for (channel, sign) in [(0, 0.5), (1, -0.5)] {
        let expected = carrier + sign * beat
        let found = render.tone(channel, near: expected, at: seconds)
        #expect(abs(found.frequency - expected) < 0.1, "\(seconds) s, channel \(channel): \(found) for \(expected)")
        #expect(abs(found.amplitude - level) < 0.03, "\(seconds) s, channel \(channel): \(found) for \(level)")
      }
    }
    #expect(abs(render.tone(0, near: 148, at: 22.5).frequency - 148) < 0.1)
    // The curvature of a sine of 205 Hz at 0.4; a click has more.
    let curvature = Float(0.4 * pow(2 * Double.pi * 205 / 48_000, 2)) * 1.1
    let left = render.channels[0][4_800..<29 * 48_000]
    let roughest = zip(left, zip(left.dropFirst(), left.dropFirst(2))).map { abs($0 - 2 * $1.0 + $1.1) }.max() ?? 1
    #expect(roughest < curvature, "\(roughest)")
  }

  @Test func `pink noise keeps playing while tones fade through silence, and blocks are expanded`() async throws {
    let (render, session) = try await Self.render(
      """
      -F 4000
      a: pink/40 200+8/20
      b: pink/40 300+8/20
      off: -
      pair: {
        +00:00:00 a
        +00:00:10 b
      }
      NOW pair
      +00:00:20 pair
      +00:00:40 -- off
      """)
    for name in ["a", "b", "a 2", "b 2"] { #expect(session.contains("- name: \(name)\n"), "\(session)") }
    for (seconds, frequency) in [(5.0, 204.0), (15, 304), (25, 204), (35, 304)] {
      let found = render.tone(0, near: frequency, at: seconds)
      #expect(abs(found.frequency - frequency) < 0.1 && abs(found.amplitude - 0.2) < 0.02, "\(seconds): \(found)")
    }
    // Half way through their fades, and at the change, where the noise is alone.
    #expect(abs(render.tone(0, near: 204, at: 9).amplitude - 0.1) < 0.02)
    #expect(render.tone(0, near: 204, at: 10).amplitude < 0.06)
    let noise = [10.0, 20, 30].map { render.level(1, at: $0) }
    #expect(noise.allSatisfy { 0.03 < $0 && $0 < 0.12 }, "\(noise)")
  }

  @Test func `bells strike at the frames of their tone-sets, and what spins becomes noise`() async throws {
    let (render, session) = try await Self.render(
      "-SE -F 1000\nrest: -\nring: bell+800/30\nturn: spin:300+4.2/50\nNOW rest\n+00:00:05 ring\n+00:00:20 turn\n"
        + "+00:00:30 rest\n", warnings: 1)
    let first = try #require(render.channels[0].firstIndex { $0 != 0 })
    #expect((240_000...240_010).contains(first), "\(first)")
    #expect(render.level(0, at: 5.1) > 0.03 && render.level(0, at: 18) == 0 && render.level(0, at: 25) > 0.03)
    #expect(session.contains("# line 4: 'spin:300+4.2/50' in 'turn' is noise that spins\n  - name: turn"), "\(session)")
  }

  @Test func `a program without an end has an open stage, and times pass midnight`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("s.yaml")
    let program = try scratch.write("p.sbg", "a: 100+2/10\nb: wave00:100+2/10 mix/90\n23:59:30 a\n0:00:30 <> b\n")
    let made = try await Prosper.run(["new", path, program], in: scratch)
    #expect(made.status == 0 && made.err.split(separator: "\n").count == 3, "\(made.err)")
    let session = try String(contentsOfFile: path, encoding: .utf8)
    #expect(session.contains("duration: 1m ") && session.contains("duration: open"), "\(session)")
    #expect(session.contains("# line 2: 'mix/90' in 'b' is the soundtrack"), "\(session)")
    let check = try await Prosper.run(["check", path], in: scratch)
    #expect(check.status == 0, "\(check.out)")
  }

  @Test(
    arguments: [
      ("a: 200+4\nNOW a", 1, 4), ("a: 200+4/x\nNOW a", 1, 4), ("a:\nNOW a", 1, 1), ("a: pink/10\na: -\nNOW a", 2, 1),
      ("a: pink/10\nNOW b", 2, 5), ("a: pink/10\nnow a", 2, 1), ("a: pink/10\n+0:10 a", 2, 1),
      ("a: pink/10\nNOW a b", 2, 7), ("a: pink/10\n12:61 a", 2, 1), ("a: pink/10\nNOW+0:10 a\nNOW+0:05 a", 3, 1),
      ("a: pink/10\nb: {\n+0:00 b\n}\nNOW b", 3, 7), ("b: {\n+0:00 a\n", 1, 1), ("a: -\nb: {\n12:00 a\n}\nNOW b", 3, 1),
      ("}", 1, 1), ("-p drop 00ds+", 1, 1), ("-F x", 1, 4), ("a: pink/10", 1, 1), ("", 1, 1),
      ("-SE\na: pink/1\nNOW a", 3, 1),
      ("a: 20000+4/10\nNOW a", 1, 4), ("NOW", 1, 1), ("-", 1, 1),
    ])
  func `a mistake in a program is refused at its place`(program: String, line: Int, column: Int) async throws {
    let scratch = try Scratch()
    let path = try scratch.write("p.sbg", program)
    let made = try await Prosper.run(["new", scratch.path("s.yaml"), path], in: scratch)
    #expect(made.status == 65 && made.err.hasPrefix("\(path):\(line):\(column): error: "), "\(made.err)")
  }

  @Test func `the program in the documentation becomes the session that it describes`() async throws {
    let article = Prosper.root.appendingPathComponent("Sources/ProsperKit/ProsperKit.docc/BringingFilesAlong.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let block = try #require(text.firstMatch(of: #/```\n(## Ten minutes(?:.*\n)+?)```/#)).1
    let scratch = try Scratch()
    let made = try await Prosper.run(
      ["new", scratch.path("s.yaml"), try scratch.write("tones.sbg", String(block))], in: scratch)
    #expect(made.status == 0 && made.err.isEmpty, "\(made.err)")
    let shown = try await Prosper.run(["show", scratch.path("s.yaml")], in: scratch)
    for line in ["0:00.000 –  8:00.000  base", "8:00.000 –  9:30.000  deep", "9:30.000 – 10:00.000  ring"] {
      #expect(shown.out.contains(line), "\(shown.out)")
    }
  }
}
