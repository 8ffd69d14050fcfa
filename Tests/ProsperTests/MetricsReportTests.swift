import Foundation
import Testing

@testable import Player
@testable import prosper

struct MetricsReportTests {
  @Test func `the table contains every metric, and its columns are aligned`() {
    let report = MetricsReport(metrics: Self.sample, origin: .running)
    #expect(
      report.text(in: .table) == """
        Command queue metrics of the running player

        Current depth     2 of 3
        Peak depth        3, 2 in the last minute
        Total operations  12
        Failures          1
        Cancellations     2 (low 0, normal 2, high 0, critical 0)
        Coalesced         4
        Rejected          1
        Utilization       2.5 %
        Uptime            90.250 s
        Underruns         1 of the output, 2 of voices
        Late commands     3
        Cache             9 hits, 1 miss (90 %); 10 preloads, 2 failed; cleared 3 times
        Load timeout      4.0 s
        Memory            12.5 MB

        Milliseconds           p50     p95     p99     max    mean  count
        Wait, last 100       0.000   0.000   0.000   0.000   0.000      0
        Wait, all            0.000   0.000   0.000   0.000   0.000      0
        Execution, last 100  1.500  20.250  21.000  21.000   3.000     10
        Execution, all       1.500  20.250  21.000  99.000  12.000     11

        Last     operation  priority  outcome   wait  execution
        op-0001  next       normal    done     0.250     12.500
        op-000a  volume     low       done     0.000      1.000

        Last     cancelled  priority  by
        op-0002  next       normal    pause

        Run     Session  state
        0.000   0.000    playing
        61.500  60.250   paused

        """)
  }

  @Test func `the table states which run its metrics belong to`() {
    var report = MetricsReport(metrics: QueueMetrics(), origin: .saved(at: 1_800_000_000))
    #expect(report.text(in: .table).hasPrefix("Command queue metrics of the last run, saved 2027-01-1"))
    let pause = QueueMetrics.Distribution(p50: 0.015, max: 0.25, count: 100)
    report.origin = .drill(QueueBenchmark(operations: 1_000, microsecondsEach: 7.25, pause: pause))
    let text = report.text(in: .table)
    #expect(text.contains("\n1000 operations one after the other, 7.2 µs each\n"))
    #expect(text.contains(" starts after 0.015 ms (median), after 0.250 ms at most (100 pauses)\n"))
  }

  @Test func `the JSON has its members in order, on one line`() {
    let report = MetricsReport(metrics: Self.sample, origin: .running)
    #expect(
      report.text(in: .json)
        == #"{"source":"running","depth":2,"peakDepth":3,"maxDepth":3,"idle":false,"totalOperations":12,"#
        + #""totalFailures":1,"totalCancellations":2,"#
        + #""cancellationsByPriority":{"low":0,"normal":2,"high":0,"critical":0},"rejected":1,"coalesced":4,"#
        + #""wait":{"p50":0.0,"p95":0.0,"p99":0.0,"max":0.0,"mean":0.0,"count":0,"#
        + #""total":{"p50":0.0,"p95":0.0,"p99":0.0,"max":0.0,"mean":0.0,"count":0}},"#
        + #""execution":{"p50":1.5,"p95":20.25,"p99":21.0,"max":21.0,"mean":3.0,"count":10,"#
        + #""total":{"p50":1.5,"p95":20.25,"p99":21.0,"max":99.0,"mean":12.0,"count":11}},"#
        + #""utilization":0.025,"uptime":90.250,"underruns":1,"starved":2,"late":3,"#
        + #""operations":[{"id":"op-0001","name":"next","priority":"normal","outcome":"done","wait":0.25,"#
        + #""execution":12.5},{"id":"op-000a","name":"volume","priority":"low","outcome":"done","wait":0.0,"#
        + #""execution":1.0}],"cancellations":[{"id":"op-0002","name":"next","priority":"normal","by":"pause"}],"#
        + #""recentPeakDepth":2,"stateChanges":[{"run":0.000,"session":0.000,"state":"playing"},"#
        + #"{"run":61.500,"session":60.250,"state":"paused"}],"cache":{"hits":9,"misses":1,"hitRate":0.9,"#
        + #""preloadSuccesses":10,"preloadFailures":2,"preloadSuccessRate":0.8333333333333334,"clears":3},"#
        + #""loadTimeout":4.000,"residentBytes":12500000}"# + "\n")
  }

  @Test func `metrics written as JSON are read back unchanged`() throws {
    let text = MetricsReport(metrics: Self.sample, origin: .running).text(in: .json)
    #expect(try SavedMetrics.parse(text) == Self.sample)
    // A queue without a session, as in a drill.
    let bare = MetricsReport(metrics: QueueMetrics(), origin: .running)
    #expect(try SavedMetrics.parse(bare.text(in: .json)) == QueueMetrics())
    for format in MetricsReport.Format.allCases { #expect(!bare.text(in: format).lowercased().contains("underrun")) }
  }

  @Test func `in the Prometheus format, each sample follows its help and its type, once`() {
    let text = MetricsReport(metrics: Self.sample, origin: .running).text(in: .prometheus)
    var (family, seen) = ("", Set<Substring>())
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3)
      if line.hasPrefix("# HELP") { family = String(words[2]) }
      if line.hasPrefix("#") {
        #expect(words.count == 4 && words[2] == family, "\(line)")
      } else {
        #expect(words.count == 2 && Double(words[1]) != nil, "\(line)")
        #expect(Self.isSample(words[0], of: family), "\(line)")
      }
      let key = line.hasPrefix("#") ? words[1] + words[2] : words[0]
      #expect(seen.insert(key).inserted, "\(line) appears twice")
    }
    #expect(text.hasSuffix("\n"))
    #expect(seen.count { $0.hasPrefix("TYPE") } == 29)
  }

  private static func isSample(_ name: Substring, of family: String) -> Bool {
    let bare = name.prefix { $0 != "{" }
    let ending = bare.dropFirst(family.count)
    let labels = name.dropFirst(bare.count)
    let isLabelled = labels.isEmpty || labels.wholeMatch(of: #/\{[a-z]+="[a-z0-9.]+"\}/#) != nil
    return bare.hasPrefix(family) && ["", "_sum", "_count"].contains(ending) && isLabelled
  }

  @Test func `the Prometheus format counts in seconds`() {
    let text = MetricsReport(metrics: Self.sample, origin: .running).text(in: .prometheus)
    for line in [
      "prosper_running 1", "prosper_queue_depth 2", #"prosper_queue_cancellations_total{priority="normal"} 2"#,
      #"prosper_queue_execution_seconds{quantile="0.95"} 0.02025"#, "prosper_queue_execution_seconds_sum 0.132",
      "prosper_queue_execution_seconds_count 11", "prosper_queue_execution_max_seconds 0.099",
      "prosper_queue_utilization_ratio 0.025", "prosper_queue_uptime_seconds 90.25",
      "prosper_output_underruns_total 1", "prosper_starved_voices_total 2", "prosper_late_commands_total 3",
      "prosper_queue_recent_peak_depth 2", "prosper_resident_memory_bytes 12500000",
      "prosper_cache_hits_total 9", "prosper_cache_clears_total 3", "prosper_load_timeout_seconds 4.0",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
  }

  static let sample: QueueMetrics = {
    var metrics = QueueMetrics()
    (metrics.depth, metrics.peakDepth, metrics.maxDepth, metrics.idle) = (2, 3, 3, false)
    (metrics.totalOperations, metrics.totalFailures, metrics.totalCancellations) = (12, 1, 2)
    (metrics.rejected, metrics.coalesced, metrics.utilization, metrics.uptime) = (1, 4, 0.025, 90.25)
    metrics.cancellationsByPriority["normal"] = 2
    metrics.execution.recent = QueueMetrics.Distribution(p50: 1.5, p95: 20.25, p99: 21, max: 21, mean: 3, count: 10)
    metrics.execution.total = QueueMetrics.Distribution(p50: 1.5, p95: 20.25, p99: 21, max: 99, mean: 12, count: 11)
    metrics.operations = [
      QueueMetrics.EndedOperation(
        id: "op-0001", name: "next", priority: "normal", outcome: "done", wait: 0.25, execution: 12.5),
      QueueMetrics.EndedOperation(
        id: "op-000a", name: "volume", priority: "low", outcome: "done", wait: 0, execution: 1),
    ]
    metrics.cancellations = [
      QueueMetrics.Cancellation(id: "op-0002", name: "next", priority: "normal", by: "pause")
    ]
    (metrics.recentPeakDepth, metrics.residentBytes) = (2, 12_500_000)
    var cache = CacheFigures()
    (cache.hits, cache.misses, cache.preloadSuccesses, cache.preloadFailures, cache.clears) = (9, 1, 10, 2, 3)
    (metrics.cache, metrics.loadTimeout) = (cache, 4)
    metrics.stateChanges = [
      QueueMetrics.StateChange(run: 0, session: 0, state: "playing"),
      QueueMetrics.StateChange(run: 61.5, session: 60.25, state: "paused"),
    ]
    return metrics.with(Shortfalls(underruns: 1, starved: 2, late: 3))
  }()
}
