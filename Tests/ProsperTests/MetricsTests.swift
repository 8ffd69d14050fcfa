import Foundation
import Testing

@Suite struct MetricsTests {
  @Test func `without a player and without a last run it ends with 66 and one line`() async throws {
    let run = try await Prosper.run(["metrics"])
    #expect(run.status == 66 && run.out.isEmpty)
    #expect(run.err.hasPrefix("prosper: no player is running, and none has left its metrics in /"))
    #expect(run.err.split(separator: "\n").count == 1)
  }

  @Test func `what the last run left behind is told, and that it is`() async throws {
    let scratch = try Scratch()
    try await saveMetrics(in: scratch)
    let table = try await Prosper.run(["metrics"], environment: ["XDG_STATE_HOME": scratch.path("")], in: scratch)
    #expect(table.status == 0 && table.out.hasPrefix("AsyncOperationQueue metrics of the last run, saved 20"))
    let json = try await Prosper.run(
      ["metrics", "--format", "json"], environment: ["XDG_STATE_HOME": scratch.path("")], in: scratch)
    let members = try #require(try json.events().first)
    #expect(members["source"] as? String == "saved" && members["totalOperations"] as? Int == 3)
  }

  @Test func `a damaged file is refused by its path`() async throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("prosper"), withIntermediateDirectories: false)
    let path = try scratch.write("prosper/metrics.json", "{}")
    let run = try await Prosper.run(["metrics"], environment: ["XDG_STATE_HOME": scratch.path("")], in: scratch)
    #expect(run.status == 65)
    #expect(run.err == "prosper: \(path) can't be read as metrics; remove it, and the next run writes it anew\n")
  }

  @Test func `the drill needs no player and tells all three formats`() async throws {
    let table = try await Prosper.run(["metrics", "--drill", "--operations", "10"])
    #expect(table.status == 0 && table.err.isEmpty && table.out.contains("\n10 operations one after the other, "))
    let json = try await Prosper.run(["metrics", "--drill", "--operations", "10", "--format", "json"])
    let members = try #require(try json.events().first)
    for name in [
      "depth", "peakDepth", "maxDepth", "idle", "totalOperations", "totalFailures", "totalCancellations",
      "cancellationsByPriority", "rejected", "coalesced", "wait", "execution", "utilization", "uptime", "operations",
    ] {
      #expect(members[name] != nil, "\(name)")
    }
    let prometheus = try await Prosper.run(["metrics", "--drill", "--operations", "10", "--format", "prometheus"])
    #expect(prometheus.out.contains("\nprosper_queue_operations_total 10\n"))
  }

  @Test func `wrong numbers and formats are wrong usage`() async throws {
    #expect(try await Prosper.run(["metrics", "--drill", "--operations", "0"]).status == 64)
    #expect(try await Prosper.run(["metrics", "--format", "xml"]).status == 64)
  }

  /// As a run leaves them behind.
  private func saveMetrics(in scratch: Scratch) async throws {
    let drill = try await Prosper.run(["metrics", "--drill", "--operations", "3", "--format", "json"])
    try FileManager.default.createDirectory(atPath: scratch.path("prosper"), withIntermediateDirectories: false)
    let text = drill.out.replacingOccurrences(of: #""drilled":3"#, with: #""savedAt":1800000000.000"#)
    _ = try scratch.write("prosper/metrics.json", text)
  }
}
