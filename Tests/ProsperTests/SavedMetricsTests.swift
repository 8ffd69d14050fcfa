import Foundation
import Testing

@testable import Player
@testable import SavedState
@testable import prosper

struct SavedMetricsTests {
  @Test func `the state folder follows XDG and is never relative`() {
    #expect(StateFolder(environment: ["XDG_STATE_HOME": "/s", "HOME": "/h"])?.path == "/s/prosper")
    #expect(StateFolder(environment: ["XDG_STATE_HOME": "s", "HOME": "/h"])?.path == "/h/.local/state/prosper")
    #expect(StateFolder(environment: ["XDG_STATE_HOME": "", "HOME": "/h"])?.path == "/h/.local/state/prosper")
    #expect(StateFolder(environment: [:]) == nil)
  }

  @Test func `the metrics of a run are found again, and replaced by those of the next run`() throws {
    let folder = try TemporaryState()
    #expect(try SavedMetrics.load(from: folder.state) == nil)
    try SavedMetrics.save(QueueMetrics(), at: 1, in: folder.state)
    try SavedMetrics.save(MetricsReportTests.sample, at: 1_800_000_000.25, in: folder.state)
    let report = try #require(try SavedMetrics.load(from: folder.state))
    #expect(report.metrics == MetricsReportTests.sample)
    #expect(report.origin == .saved(at: 1_800_000_000.25))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.state.path) == ["metrics.json"])
  }

  @Test(arguments: ["", "{", "[]", #"{"savedAt":1}"#, #"{"depth":"many"}"#])
  func `an invalid file is refused with its path`(_ text: String) throws {
    let folder = try TemporaryState()
    try folder.state.write(text, to: SavedMetrics.file)
    #expect(throws: SavedMetrics.Unreadable(path: folder.state.path + "/metrics.json")) {
      try SavedMetrics.load(from: folder.state)
    }
  }

  @Test(arguments: [1e308, -1e308, 1e18, -1]) func `a time that no clock shows is not printed`(_ time: Double) throws {
    let folder = try TemporaryState()
    try SavedMetrics.save(QueueMetrics(), at: 7, in: folder.state)
    let text = try #require(try folder.state.read(SavedMetrics.file))
    try folder.state.write(text.replacing(#""savedAt":7.000"#, with: #""savedAt":\#(time)"#), to: SavedMetrics.file)
    let report = try #require(try SavedMetrics.load(from: folder.state))
    #expect(report.text(in: .table).hasPrefix("Command queue metrics of the last run, saved at an unknown time\n"))
    for format in MetricsReport.Format.allCases { #expect(!report.text(in: format).isEmpty) }
  }

  @Test func `the drill sends the requested number of operations`() async {
    let report = await QueueBenchmark.run(operations: 250)
    #expect(report.metrics.totalOperations == 250)
    #expect(report.metrics.execution.total.count == 250)
    guard case .drill(let drill) = report.origin else { return #expect(Bool(false), "\(report.origin)") }
    #expect(drill.operations == 250 && drill.microsecondsEach > 0)
    #expect(drill.pause.count == 100 && drill.pause.max > 0)
  }
}

/// A state folder that does not exist yet, and is removed with its test.
private final class TemporaryState {
  let state: StateFolder
  private let root: URL

  init() throws {
    root = FileManager.default.temporaryDirectory.appendingPathComponent("prosper-state-\(UUID())")
    state = StateFolder(path: root.appendingPathComponent("deep/prosper").path)
  }

  deinit { try? FileManager.default.removeItem(at: root) }
}
