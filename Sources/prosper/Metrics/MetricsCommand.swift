import ArgumentParser
import Glibc
import ProsperKit

/// `prosper metrics`: prints the metrics of a running player or of the last run, or measures the queue.
struct MetricsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Prints the metrics of the command queue of a running player or of the last run.",
    usage: """
      prosper metrics
      prosper metrics --watch
      prosper metrics --format prometheus
      prosper metrics --drill
      """,
    discussion: """
      If no player is running, prints the metrics that the last run has saved, and says so. The article Metrics.md \
      describes all members; a package has it in /usr/share/doc/prosper. --reset resets the counters of the queue. It \
      does not reset the counts of sound that was not ready in time, the last changes of the player's state, and the \
      values of its cache and memory.

      --drill measures the queue itself on this machine, and needs no player.

      Exit codes: 0 printed · 1 the player refused the command · 64 wrong usage, or several players · 65 the metrics \
      of the last run can't be read · 66 no player, and no last run · 69 no player to watch or reset, or it does not \
      answer · 74 stdout can't be written.
      """)

  @Option(help: "table, json or prometheus (the Prometheus text format).")
  var format: MetricsReport.Format = .table

  @Flag(help: "Prints the metrics once a second until the player ends.")
  var watch = false

  @Flag(help: "Prints the metrics, then resets the counters of the player.")
  var reset = false

  @Option(help: ArgumentHelp("The player to ask, if several are running.", valueName: "pid"), completion: .player)
  var player: String?

  @Flag(help: "Measures the queue on this machine with operations that do nothing.")
  var drill = false

  @Option(help: ArgumentHelp("The number of operations that --drill sends (default: 1000).", valueName: "count"))
  var operations: Int?

  func validate() throws {
    if operations != nil, !drill { throw ValidationError("--operations needs --drill; add it") }
    guard 1...1_000_000 ~= operations ?? 1 else {
      throw ValidationError("--operations must be a number from 1 to 1000000")
    }
    if drill, watch { throw ValidationError("--drill and --watch can't be combined; give only one") }
    if reset, drill || watch {
      throw ValidationError("--reset can't be combined with --drill or --watch; give it alone")
    }
    if drill, player != nil { throw ValidationError("--drill uses no player; leave out --player") }
  }

  func run() async throws {
    if drill {
      try show(await QueueBenchmark.run(operations: operations ?? 1_000))
      return
    }
    do {
      let client = try ControlClient(player: player)
      try show(MetricsReport(metrics: client.metrics(), origin: .running))
      if reset { try client.resetMetrics() }
      if watch { try follow(client) }
    } catch let error as ControlError {
      guard case .noPlayer(let searched) = error, !watch, !reset else {
        StandardError.say(error.reported)
        throw error.status.code
      }
      try show(saved(without: ControlError.list(searched)))
    }
  }

  /// Prints the metrics once a second until the player ends or the output is closed.
  private func follow(_ client: ControlClient) throws {
    while client.isRunning(for: 1) {
      // A player that has ended in the meantime is not an error, but the end of `--watch`.
      guard let metrics = try? client.metrics(), try show(MetricsReport(metrics: metrics, origin: .running)) else {
        return
      }
    }
  }

  /// Prints a report.
  ///
  /// - Returns: false if the output is closed.
  /// - Throws: the exit code, after the error has been printed, if the output can't be written.
  @discardableResult private func show(_ report: MetricsReport) throws -> Bool {
    let out = LineWriter(descriptor: 1)
    let isRedrawn = watch && format == .table && isatty(1) == 1
    out.write((isRedrawn ? "\u{1B}[H\u{1B}[2J" : "") + report.text(in: format))
    let isOpen = out.flush()
    try out.finish()
    return isOpen
  }

  /// The metrics that the last run saved.
  ///
  /// - Parameter searched: the folders in which no player was found, for the error message.
  private func saved(without searched: String) throws -> MetricsReport {
    guard let folder = StateFolder() else {
      throw refusal(
        "no player is running in \(searched), and HOME is not set, so there are no metrics of a last run; set HOME")
    }
    do throws(SavedMetrics.Unreadable) {
      if let report = try SavedMetrics.load(from: folder) { return report }
    } catch {
      StandardError.say(error.description)
      throw ExitStatus.invalidData.code
    }
    throw refusal(
      "no player is running in \(searched), and no run has left metrics in \(folder.file(SavedMetrics.file)); "
        + "start one with 'prosper play SESSION'")
  }

  private func refusal(_ text: String) -> ExitCode {
    StandardError.say(text)
    return ExitStatus.missingInput.code
  }
}

extension MetricsReport.Format: ExpressibleByArgument {}
