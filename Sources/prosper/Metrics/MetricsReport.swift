import Foundation
package import ProsperKit

/// The metrics of a queue and their origin, in the formats of `prosper metrics`.
package struct MetricsReport: Sendable {
  package enum Format: String, Sendable, CaseIterable { case table, json, prometheus }

  /// Where the metrics come from.
  package enum Origin: Sendable, Hashable {
    /// A running player.
    case running
    /// The file that the last player saved, at a time in seconds since 1970.
    case saved(at: Double)
    /// A drill that has just been run.
    case drill(QueueBenchmark)
  }

  package var metrics: QueueMetrics
  package var origin: Origin

  package init(metrics: QueueMetrics, origin: Origin) {
    self.metrics = metrics
    self.origin = origin
  }

  /// The report with a line feed at its end.
  package func text(in format: Format) -> String {
    switch format {
    case .table: table
    case .json: json.description + "\n"
    case .prometheus: exposition
    }
  }

  /// The origin, followed by the members of the metrics.
  package var json: JSONLine {
    var line = JSONLine()
    switch origin {
    case .running: line.add("source", "running")
    case .saved(let time):
      line.add("source", "saved")
      line.add("savedAt", seconds: time)
    case .drill(let drill):
      line.add("source", "drill")
      line.add("drilled", drill.operations)
      line.add("microsecondsEach", drill.microsecondsEach)
      line.add("pause", drill.pause.json)
    }
    line.add(metrics.json)
    return line
  }
}

extension MetricsReport {
  /// The metrics as aligned text for people. Times are in milliseconds, unless a row names another unit.
  var table: String {
    let sections = [title, counts, durations] + (isDrill ? [] : [lastOperations, lastCancellations, lastStates])
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  /// Whether the metrics are those of a drill. Its operations are all alike, so they are not listed.
  private var isDrill: Bool {
    if case .drill = origin { true } else { false }
  }

  private var title: [String] {
    switch origin {
    case .running: ["Command queue metrics of the running player"]
    case .saved(let time): ["Command queue metrics of the last run, saved \(Self.date(time))"]
    case .drill(let drill):
      [
        "Command queue metrics of a drill on this machine",
        "\(drill.operations) operations one after the other, \(Self.decimal(drill.microsecondsEach, digits: 1)) µs each",
        "A pause sent during navigation starts after \(Self.decimal(drill.pause.p50, digits: 3)) ms (median), "
          + "after \(Self.decimal(drill.pause.max, digits: 3)) ms at most (\(drill.pause.count) pauses)",
      ]
    }
  }

  /// Current values and counters, one per row.
  private var counts: [String] {
    let byPriority = OperationPriority.allCases.map(\.name).map {
      "\($0) \(metrics.cancellationsByPriority[$0, default: 0])"
    }
    return Self.aligned(
      [
        ["Current depth", "\(metrics.depth) of \(metrics.maxDepth)" + (metrics.idle ? ", idle" : "")],
        ["Peak depth", "\(metrics.peakDepth)" + (metrics.recentPeakDepth.map { ", \($0) in the last minute" } ?? "")],
        ["Total operations", "\(metrics.totalOperations)"],
        ["Failures", "\(metrics.totalFailures)"],
        ["Cancellations", "\(metrics.totalCancellations) (\(byPriority.joined(separator: ", ")))"],
        ["Coalesced", "\(metrics.coalesced)"],
        ["Rejected", "\(metrics.rejected)"],
        ["Utilization", Self.decimal(100 * metrics.utilization, digits: 1) + " %"],
        ["Uptime", Self.decimal(metrics.uptime, digits: 3) + " s"],
      ] + shortfalls + memory)
  }

  private var memory: [[String]] {
    var rows: [[String]] = []
    if let cache = metrics.cache {
      let (share, preloads) = (Self.decimal(100 * cache.hitRate, digits: 0), cache.preloadSuccesses)
      rows.append([
        "Cache",
        "\(counted(cache.hits, "hit")), \(counted(cache.misses, "miss", "misses")) (\(share) %); "
          + "\(counted(preloads, "preload")), \(cache.preloadFailures) failed; "
          + "cleared \(counted(cache.clears, "time"))",
      ])
    }
    if let timeout = metrics.loadTimeout { rows.append(["Load timeout", Self.decimal(timeout, digits: 1) + " s"]) }
    if let bytes = metrics.residentBytes {
      rows.append(["Memory", Self.decimal(Double(bytes) / 1e6, digits: 1) + " MB"])
    }
    return rows
  }

  private var shortfalls: [[String]] {
    guard let shortfalls = metrics.shortfalls else { return [] }
    return [
      ["Underruns", "\(shortfalls.underruns) of the output, \(shortfalls.starved) of voices"],
      ["Late commands", "\(shortfalls.late)"],
    ]
  }

  /// Waiting and execution times, of the last 100 operations and of all.
  private var durations: [String] {
    Self.aligned(
      [
        ["Milliseconds", "p50", "p95", "p99", "max", "mean", "count"],
        ["Wait, last 100"] + Self.cells(metrics.wait.recent),
        ["Wait, all"] + Self.cells(metrics.wait.total),
        ["Execution, last 100"] + Self.cells(metrics.execution.recent),
        ["Execution, all"] + Self.cells(metrics.execution.total),
      ], numbersFrom: 1)
  }

  /// One row for each recent operation, with its times in milliseconds.
  private var lastOperations: [String] {
    guard !metrics.operations.isEmpty else { return [] }
    let rows = metrics.operations.map { operation in
      [
        operation.id, operation.name, operation.priority, operation.outcome,
        Self.decimal(operation.wait, digits: 3), Self.decimal(operation.execution, digits: 3),
      ]
    }
    return Self.aligned([["Last", "operation", "priority", "outcome", "wait", "execution"]] + rows, numbersFrom: 4)
  }

  private var lastCancellations: [String] {
    guard !metrics.cancellations.isEmpty else { return [] }
    let rows = metrics.cancellations.map { [$0.id, $0.name, $0.priority, $0.by] }
    return Self.aligned([["Last", "cancelled", "priority", "by"]] + rows)
  }

  private var lastStates: [String] {
    guard let changes = metrics.stateChanges, !changes.isEmpty else { return [] }
    let rows = changes.map { [Self.decimal($0.run, digits: 3), Self.decimal($0.session, digits: 3), $0.state] }
    return Self.aligned([["Run", "Session", "state"]] + rows)
  }

  private static func cells(_ distribution: QueueMetrics.Distribution) -> [String] {
    let times = [distribution.p50, distribution.p95, distribution.p99, distribution.max, distribution.mean]
    return times.map { decimal($0, digits: 3) } + ["\(distribution.count)"]
  }

  /// Rows as lines. Each column is as wide as its widest cell; columns from `numbersFrom` on are aligned to the right.
  private static func aligned(_ rows: [[String]], numbersFrom: Int = .max) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return column < numbersFrom ? cell + padding : padding + cell
      }
      return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }
  }

  /// A number with a fixed number of decimals.
  private static func decimal(_ value: Double, digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }

  /// A time in seconds since 1970 as date and time in the user's time zone. The file may contain any number.
  private static func date(_ time: Double) -> String {
    guard 0..<253_402_300_800 ~= time else { return "at an unknown time" }
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
    return Date(timeIntervalSince1970: time).formatted(
      style.year().month().day().time(includingFractionalSeconds: false))
  }
}
