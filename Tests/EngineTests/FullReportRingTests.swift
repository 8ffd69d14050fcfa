import Rings
import Signal
import TestSupport
import Testing

@testable import Engine

/// A mixer that has more to report than the report ring has room for.
@Suite struct FullReportRingTests {
  @Test func `the start and the end of each voice are reported as soon as the ring has room`() throws {
    let commands = Ring<RenderCommand>(capacity: 16)
    let reports = Ring<RenderReport>(capacity: 2)
    let voices = UnsafeMutablePointer<Voice>.allocate(capacity: 3)
    var writer = commands.writer
    let library = TestLibrary(["short": .constant(0.5, length: 100)])
    var feeds: [HandFeed] = []
    for index in 0..<3 {
      let ring = Ring<Frame>(capacity: 1_024)
      (voices + index).initialize(to: Voice(ring: ring.reader))
      feeds.append(HandFeed(ring.writer))
      feeds[index].begin(
        try PrimedSound(TestLibrary.source("short"), from: library, at: testRate, offset: 0, priming: 100))
      let part = VoiceStart(
        voice: Int32(index), ordinal: UInt128(index), bus: .music, begin: 0, length: 100, gain: 1, fadeIn: .unity,
        fadeOut: .unity, leave: .unity)
      _ = writer.push(RenderCommand(at: 0, action: .start(part)))
    }
    let mixer = Mixer(
      from: 0, commands: commands.reader, reports: reports.writer, agendaCapacity: 16, voices: voices, voiceCount: 3,
      stallLimit: 24_000)
    var reader = reports.reader
    var (started, ended): ([Int32], [Int32]) = ([], [])
    for _ in 0..<4 {
      var frames = [Frame](repeating: .silence, count: 200)
      frames.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { mixer.render(into: base, count: 200) } }
      while let report = reader.pop() {
        switch report {
        case .started(let voice, let frame):
          started.append(voice)
          #expect(frame == 0)
        case .ended(let voice, let frame, let missing):
          ended.append(voice)
          #expect(frame == 100 && missing == 0)
        default: Issue.record("\(report)")
        }
      }
    }
    #expect(started == [0, 1, 2])
    #expect(ended == [0, 1, 2])
  }

  @Test func `late commands for which the ring has no room are counted, and the count is reported`() {
    let commands = Ring<RenderCommand>(capacity: 16)
    let reports = Ring<RenderReport>(capacity: 2)
    var writer = commands.writer
    for _ in 0..<5 { _ = writer.push(RenderCommand(at: 90, action: .master(.unity))) }
    let mixer = Mixer(
      from: 100, commands: commands.reader, reports: reports.writer, agendaCapacity: 16, voices: .allocate(capacity: 0),
      voiceCount: 0, stallLimit: 24_000)
    var reader = reports.reader
    var frames = [Frame](repeating: .silence, count: 10)
    for expected in [["late at 90", "late at 90"], ["3 lost at 100"], []] {
      frames.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { mixer.render(into: base, count: 10) } }
      var found: [String] = []
      while let report = reader.pop() {
        switch report {
        case .late(nil, let frame, by: 10): found.append("late at \(frame)")
        case .lost(let count, let frame): found.append("\(count) lost at \(frame)")
        default: Issue.record("\(report)")
        }
      }
      #expect(found == expected)
    }
  }
}
