import Schedule
import Signal
import Sounds
import TestSupport
import Testing

@testable import Player

/// What happens to voices and loads when the schedule is replaced at frame 1,000.
@Suite struct VoiceTableTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Voices with the clips that they play, tickets with the clips that are being opened, and the IDs of clips that
    /// are over.
    var playing: [Int32: Clip] = [:]
    var awaited: [LoadID: Clip] = [:]
    var over: Set<ClipID> = []
    /// The clips of the new schedule.
    var clips: [Clip] = []
    /// The voices that are released, and what each clip needs.
    var gone: [Int32] = []
    var steps: [VoiceTable.Step] = []
    /// The clips that are being opened afterwards.
    var loading: [LoadID: Clip] = [:]
  }

  private static func clip(
    _ trackPlay: Int, _ begin: FrameTime, _ end: FrameTime, entry: Int = 0, entryFrame: FrameTime? = nil
  ) -> Clip {
    var clip = Clip(
      ClipID(.track(move: 0, trackPlay: trackPlay, entry: entry), stage: 0), layer: .music,
      source: TestLibrary.source("a"),
      title: "a", at: begin, length: end - begin)
    clip.entryFrame = entryFrame
    return clip
  }

  static let cases = [
    Case(
      testDescription: "the same clip continues", playing: [3: clip(0, 0, 5_000)], clips: [clip(0, 0, 5_000)],
      steps: [.resume(3, clip(0, 0, 5_000))]),
    Case(
      testDescription: "a clip continues with other times", playing: [3: clip(0, 2_000, 5_000)],
      clips: [clip(0, 4_000, 9_000)],
      steps: [.resume(3, clip(0, 4_000, 9_000))]),
    Case(
      testDescription: "a clip that was entered in its middle keeps its entry",
      playing: [3: clip(0, 0, 5_000, entryFrame: 700)], clips: [clip(0, 0, 5_000)],
      steps: [.resume(3, clip(0, 0, 5_000, entryFrame: 700))]),
    Case(
      testDescription: "the same sound at the same frames is another clip under another ID",
      playing: [3: clip(0, 0, 5_000)], clips: [clip(0, 0, 5_000, entry: 1)], gone: [3],
      steps: [.open(clip(0, 0, 5_000, entry: 1, entryFrame: 1_000))]),
    Case(
      testDescription: "clips that are gone are released, in the order of their voices",
      playing: [7: clip(2, 0, 5_000), 2: clip(1, 0, 5_000), 4: clip(0, 0, 5_000)], clips: [clip(0, 0, 5_000)],
      gone: [2, 7], steps: [.resume(4, clip(0, 0, 5_000))]),
    Case(
      testDescription: "a clip that now ends at the frame of the edit is released, but its ducking is kept",
      playing: [3: clip(0, 0, 5_000)], clips: [clip(0, 0, 1_000)], gone: [3], steps: [.release]),
    Case(
      testDescription: "a new clip is opened, from the frame of the edit if it has begun already",
      clips: [clip(0, 0, 5_000), clip(1, 1_000, 5_000), clip(2, 4_000, 5_000)],
      steps: [
        .open(clip(0, 0, 5_000, entryFrame: 1_000)), .open(clip(1, 1_000, 5_000)), .open(clip(2, 4_000, 5_000)),
      ]),
    Case(
      testDescription: "a clip that is being opened is not opened twice and takes its new times",
      awaited: [LoadID(11): clip(0, 2_000, 5_000), LoadID(12): clip(1, 0, 5_000)],
      clips: [clip(1, 0, 6_000), clip(0, 3_000, 7_000)],
      steps: [.awaited(clip(1, 0, 6_000)), .awaited(clip(0, 3_000, 7_000))],
      loading: [LoadID(11): clip(0, 3_000, 7_000), LoadID(12): clip(1, 0, 6_000)]),
    Case(
      testDescription: "a clip that is being opened in its middle keeps its entry",
      awaited: [LoadID(11): clip(0, 0, 5_000, entryFrame: 700)], clips: [clip(0, 0, 6_000)],
      steps: [.awaited(clip(0, 0, 6_000, entryFrame: 700))],
      loading: [LoadID(11): clip(0, 0, 6_000, entryFrame: 700)]),
    Case(
      testDescription: "a clip that is gone while it is being opened is no longer awaited",
      awaited: [LoadID(11): clip(0, 2_000, 5_000)], clips: [clip(1, 2_000, 5_000)],
      steps: [.open(clip(1, 2_000, 5_000))]),
    Case(
      testDescription: "a clip that failed or ended early does not begin again", over: [clip(0, 0, 1).id],
      clips: [clip(0, 0, 5_000), clip(1, 0, 5_000, entryFrame: 900)],
      steps: [.over, .open(clip(1, 0, 5_000, entryFrame: 1_000))]),
  ]

  @Test(arguments: cases) func `clips are compared by ID`(_ expected: Case) {
    var table = VoiceTable()
    (table.playing, table.awaited, table.over) = (expected.playing, expected.awaited, expected.over)
    #expect(table.replace(by: expected.clips, from: 1_000) == expected.gone)
    #expect(expected.clips.map { table.step(for: $0, from: 1_000) } == expected.steps)
    #expect(table.awaited == expected.loading)
    #expect(expected.gone.allSatisfy { table.playing[$0] == nil })
  }

  @Test func `a voice is claimed only once`() {
    var table = VoiceTable()
    table.playing = [3: Self.clip(0, 0, 5_000)]
    #expect(table.step(for: Self.clip(0, 0, 5_000), from: 0) == .open(Self.clip(0, 0, 5_000)))
    #expect(table.replace(by: [Self.clip(0, 0, 5_000)], from: 1_000) == [])
    #expect(table.step(for: Self.clip(0, 0, 5_000), from: 1_000) == .resume(3, Self.clip(0, 0, 5_000)))
    #expect(table.step(for: Self.clip(0, 0, 5_000), from: 1_000) == .open(Self.clip(0, 0, 5_000, entryFrame: 1_000)))
  }

  @Test func `a voice that was opened in the middle of its sound keeps its first frame`() {
    var table = VoiceTable()
    table.playing = [3: Self.clip(0, 0, 5_000, entryFrame: 800)]
    let skipped = Self.clip(0, 0, 5_000, entryFrame: 300)
    #expect(table.replace(by: [skipped], from: 1_000) == [])
    #expect(table.step(for: skipped, from: 1_000) == .resume(3, Self.clip(0, 0, 5_000, entryFrame: 800)))
  }

  @Test func `the IDs of clips that are over are dropped with the clips`() {
    var table = VoiceTable()
    table.over = [Self.clip(0, 0, 1).id, Self.clip(1, 0, 1).id]
    _ = table.replace(by: [Self.clip(1, 0, 500)], from: 1_000)
    #expect(table.over == [Self.clip(1, 0, 1).id])
  }
}
