import Foundation
import TestSupport
import Testing

/// The option `--log-level`.
struct LogLevelTests {
  private func play(_ options: String...) async throws -> Prosper {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", ScriptTests.session)
    return try await Prosper.run(["play", session, "-o", "null:fast"] + options, in: scratch)
  }

  @Test func `a log line has a time, a level and a category, and logging does not change the events`() async throws {
    let (logged, quiet) = (try await play("--log-level", "info"), try await play())
    #expect(logged.status == 0 && logged.played == quiet.played && quiet.err.isEmpty)
    let shape = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (info|warning) +\[[A-Za-z]+\] .+/
    let lines = logged.err.split(separator: "\n")
    #expect(lines.allSatisfy { $0.wholeMatch(of: shape) != nil })
    #expect(lines.first?.hasSuffix("info    [Session] → 'Scripted' (8000 Hz, 90.000 s)") == true)
    #expect(lines.last?.contains("[Session] ✅ completed (90.000 s") == true)
    #expect(lines.filter { $0.contains("[Snapshot]") }.count == 8)
  }

  @Test func `a log level hides the levels below it, off hides everything, and an unknown level is rejected`()
    async throws
  {
    #expect(try await play("--log-level", "warning").err.isEmpty)
    #expect(try await play("--log-level", "off").err.isEmpty)
    let refused = try await play("--log-level", "loud")
    #expect(refused.status == 64 && refused.err.contains("--log-level"))
  }
}
