import ProsperKit

extension MetricsReport {
  /// The metrics in the Prometheus text format, for a scraper or the textfile collector. Times are in seconds.
  var exposition: String {
    var text = Exposition()
    text.gauge("running", "1 for the metrics of a running player, otherwise 0.", origin == .running ? 1 : 0)
    text.gauge("queue_depth", "Operations that are waiting.", metrics.depth)
    text.gauge(
      "queue_peak_depth", "The largest number of operations that have waited at the same time.", metrics.peakDepth)
    if let recent = metrics.recentPeakDepth {
      text.gauge(
        "queue_recent_peak_depth",
        "The largest number of operations that have waited at the same time in the last minute.", recent)
    }
    text.gauge("queue_max_depth", "The largest number of distinct operations that may wait.", metrics.maxDepth)
    text.gauge("queue_idle", "1 if no operation is waiting or running, otherwise 0.", metrics.idle ? 1 : 0)
    text.counter("queue_operations_total", "Operations that were accepted.", metrics.totalOperations)
    text.counter("queue_failures_total", "Operations that ran and failed.", metrics.totalFailures)
    text.family("queue_cancellations_total", "Operations that were cancelled.", type: "counter")
    for priority in OperationPriority.allCases {
      let count = metrics.cancellationsByPriority[priority.name, default: 0]
      text.sample("queue_cancellations_total", ["priority": priority.name], "\(count)")
    }
    text.counter("queue_rejected_total", "Operations that were rejected because the queue was full.", metrics.rejected)
    text.counter("queue_coalesced_total", "Operations that were merged into another one.", metrics.coalesced)
    text.durations("queue_wait", "Time from an operation's arrival to its start", metrics.wait)
    text.durations("queue_execution", "Time from an operation's start to its end", metrics.execution)
    text.family("queue_utilization_ratio", "The share of the uptime in which an operation ran.", type: "gauge")
    text.sample("queue_utilization_ratio", [:], "\(metrics.utilization)")
    text.family("queue_uptime_seconds", "How long the metrics have been recorded.", type: "gauge")
    text.sample("queue_uptime_seconds", [:], "\(metrics.uptime)")
    if let shortfalls = metrics.shortfalls { text.add(shortfalls) }
    if let cache = metrics.cache { text.add(cache) }
    if let timeout = metrics.loadTimeout {
      text.family("load_timeout_seconds", "How long a sound may take to open.", type: "gauge")
      text.sample("load_timeout_seconds", [:], "\(timeout)")
    }
    if let bytes = metrics.residentBytes {
      text.gauge("resident_memory_bytes", "Resident memory of the player.", bytes)
    }
    return text.text
  }
}

/// Builds the text: each metric begins with its `HELP` and `TYPE` lines, and all names start with `prosper_`.
private struct Exposition {
  private(set) var text = ""

  /// The two lines that introduce a metric.
  mutating func family(_ name: String, _ help: String, type: String) {
    text += "# HELP prosper_\(name) \(help)\n# TYPE prosper_\(name) \(type)\n"
  }

  /// One value of a metric.
  mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: String) {
    let labels = labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
    text += "prosper_\(name)" + (labels.isEmpty ? "" : "{\(labels)}") + " \(value)\n"
  }

  mutating func gauge(_ name: String, _ help: String, _ value: Int) {
    family(name, help, type: "gauge")
    sample(name, [:], "\(value)")
  }

  mutating func counter(_ name: String, _ help: String, _ value: Int) {
    family(name, help, type: "counter")
    sample(name, [:], "\(value)")
  }

  mutating func add(_ shortfalls: Shortfalls) {
    counter("output_underruns_total", "How often the output had nothing to play.", shortfalls.underruns)
    counter("starved_voices_total", "How often a voice had nothing to play.", shortfalls.starved)
    counter("late_commands_total", "Commands that reached the mixer after their frames.", shortfalls.late)
  }

  mutating func add(_ cache: CacheFigures) {
    counter("cache_hits_total", "Sounds that were already open when they were needed.", cache.hits)
    counter("cache_misses_total", "Sounds that were not yet open when they were needed.", cache.misses)
    counter("cache_preloads_total", "Sounds that were opened in advance.", cache.preloadSuccesses)
    counter("cache_preload_failures_total", "Sounds that could not be opened in advance.", cache.preloadFailures)
    counter("cache_clears_total", "How often the sounds that were opened in advance were released.", cache.clears)
  }

  /// A summary of the whole run, and gauges for what a summary can't express: the last 100 operations, and the maximum.
  mutating func durations(_ name: String, _ help: String, _ durations: QueueMetrics.Durations) {
    let all = durations.total
    family(name + "_seconds", help + ".", type: "summary")
    quantiles(name + "_seconds", all)
    sample(name + "_seconds_sum", [:], "\(all.mean * Double(all.count) / 1e3)")
    sample(name + "_seconds_count", [:], "\(all.count)")
    family(name + "_max_seconds", help + ", maximum.", type: "gauge")
    sample(name + "_max_seconds", [:], "\(all.max / 1e3)")
    family(name + "_recent_seconds", help + ", of the last 100 operations.", type: "gauge")
    quantiles(name + "_recent_seconds", durations.recent)
  }

  /// Median, 95th and 99th percentile, converted from milliseconds to seconds.
  private mutating func quantiles(_ name: String, _ distribution: QueueMetrics.Distribution) {
    sample(name, ["quantile": "0.5"], "\(distribution.p50 / 1e3)")
    sample(name, ["quantile": "0.95"], "\(distribution.p95 / 1e3)")
    sample(name, ["quantile": "0.99"], "\(distribution.p99 / 1e3)")
  }
}
