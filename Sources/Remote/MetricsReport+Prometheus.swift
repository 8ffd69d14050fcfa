import Player

extension MetricsReport {
  /// The text exposition format, for a scraper or a node exporter's folder; times in seconds.
  var exposition: String {
    var text = Exposition()
    text.gauge("running", "Whether the figures are those of a player that plays.", origin == .running ? 1 : 0)
    text.gauge("queue_depth", "Operations that wait.", metrics.depth)
    text.gauge("queue_peak_depth", "The most operations that have waited at once.", metrics.peakDepth)
    if let recent = metrics.recentPeakDepth {
      text.gauge("queue_recent_peak_depth", "The most operations that have waited at once in the last minute.", recent)
    }
    text.gauge("queue_max_depth", "How many distinct operations may wait.", metrics.maxDepth)
    text.gauge("queue_idle", "Whether nothing waits and nothing runs.", metrics.idle ? 1 : 0)
    text.counter("queue_operations_total", "Operations taken.", metrics.totalOperations)
    text.counter("queue_failures_total", "Operations that ran and failed.", metrics.totalFailures)
    text.family("queue_cancellations_total", "Operations cancelled.", type: "counter")
    for priority in OperationPriority.allCases {
      let count = metrics.cancellationsByPriority[priority]
      text.sample("queue_cancellations_total", ["priority": priority.name], "\(count)")
    }
    text.counter("queue_rejected_total", "Operations for which there was no room.", metrics.rejected)
    text.counter("queue_coalesced_total", "Operations that became part of another one.", metrics.coalesced)
    text.durations("queue_wait", "Between an operation's arrival and its beginning", metrics.wait)
    text.durations("queue_execution", "Between an operation's beginning and its end", metrics.execution)
    text.family("queue_utilization_ratio", "The share of the uptime in which an operation ran.", type: "gauge")
    text.sample("queue_utilization_ratio", [:], "\(metrics.utilization)")
    text.family("queue_uptime_seconds", "How long the queue has been measured.", type: "gauge")
    text.sample("queue_uptime_seconds", [:], "\(metrics.uptime)")
    if let shortfalls = metrics.shortfalls { text.add(shortfalls) }
    if let cache = metrics.cache { text.add(cache) }
    if let timeout = metrics.loadTimeout {
      text.family("load_timeout_seconds", "How long a sound may take to open.", type: "gauge")
      text.sample("load_timeout_seconds", [:], "\(timeout)")
    }
    if let bytes = metrics.residentBytes { text.gauge("resident_memory_bytes", "Memory that is in use.", bytes) }
    return text.text
  }
}

private struct Exposition {
  private(set) var text = ""

  mutating func family(_ name: String, _ help: String, type: String) {
    text += "# HELP prosper_\(name) \(help)\n# TYPE prosper_\(name) \(type)\n"
  }

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
    counter("late_commands_total", "Commands that came to the mixer behind their frames.", shortfalls.late)
  }

  mutating func add(_ cache: CacheFigures) {
    counter("cache_hits_total", "Sounds that were open when they were asked for.", cache.hits)
    counter("cache_misses_total", "Sounds that were not.", cache.misses)
    counter("cache_preloads_total", "Sounds that were opened ahead.", cache.preloadSuccesses)
    counter("cache_preload_failures_total", "Sounds that could not be opened ahead.", cache.preloadFailures)
    counter("cache_clears_total", "How often the sounds that were opened ahead were released.", cache.clears)
  }

  /// A summary of the whole run, and gauges for what a summary can't say: the last hundred, and the longest.
  mutating func durations(_ name: String, _ help: String, _ durations: QueueMetrics.Durations) {
    let all = durations.total
    family(name + "_seconds", help + ".", type: "summary")
    quantiles(name + "_seconds", all)
    sample(name + "_seconds_sum", [:], "\(all.mean * Double(all.count) / 1e3)")
    sample(name + "_seconds_count", [:], "\(all.count)")
    family(name + "_max_seconds", help + ", the longest.", type: "gauge")
    sample(name + "_max_seconds", [:], "\(all.max / 1e3)")
    family(name + "_recent_seconds", help + ", the last 100.", type: "gauge")
    quantiles(name + "_recent_seconds", durations.recent)
  }

  private mutating func quantiles(_ name: String, _ distribution: QueueMetrics.Distribution) {
    sample(name, ["quantile": "0.5"], "\(distribution.p50 / 1e3)")
    sample(name, ["quantile": "0.95"], "\(distribution.p95 / 1e3)")
    sample(name, ["quantile": "0.99"], "\(distribution.p99 / 1e3)")
  }
}
