import ArgumentParser
import Glibc
import Remote

struct MetricsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Tells how the command queue does: of a running player, or of the last run.",
    usage: """
      prosper metrics
      prosper metrics --watch
      prosper metrics --format prometheus
      prosper metrics --drill
      """,
    discussion: """
      Without a player that runs, the figures that the last run left behind are told, and that they are. \
      --drill measures the queue itself on this machine and needs no player. With the queue's figures come three counts \
      of the session: underruns of the output, voices that had nothing to play, and what began late; the last 50 changes \
      of the player's state; its memory; how often a track was open before it was asked for; and how long one may take to \
      open. --reset leaves these as they are.

      Exit codes: 0 told · 64 wrong usage, or several players · 65 what the last run left can't be read · \
      66 no player, and no last run · 69 no player to watch or reset, or it does not answer.
      """)

  @Option(help: "table, json or prometheus (its text exposition format).")
  var format: MetricsReport.Format = .table

  @Flag(help: "Tells them once a second, until the player ends.")
  var watch = false

  @Flag(help: "Tells them and has the player count anew.")
  var reset = false

  @Option(help: ArgumentHelp("Which player, by the number of its process.", valueName: "pid"))
  var player: String?

  @Flag(help: "Measures the queue on this machine with operations that do nothing.")
  var drill = false

  @Option(help: ArgumentHelp("How many operations --drill sends (default: 1000).", valueName: "count"))
  var operations: Int?

  func validate() throws {
    if operations != nil, !drill { throw ValidationError("--operations belongs to --drill; add that") }
    guard 1...1_000_000 ~= operations ?? 1 else { throw ValidationError("--operations is a number from 1 to 1000000") }
    if drill, watch { throw ValidationError("--drill and --watch exclude each other; give one") }
    if reset, drill || watch { throw ValidationError("--reset goes with neither --drill nor --watch; give it alone") }
    if drill, player != nil { throw ValidationError("--drill asks no player; leave --player out") }
  }

  func run() async throws {
    if drill {
      tell(await QueueDrill.run(operations: operations ?? 1_000))
      return
    }
    do throws(ControlError) {
      let client = try ControlClient(player: player)
      tell(try client.metrics())
      if reset { try client.resetMetrics() }
      if watch { follow(client) }
    } catch {
      guard case .noPlayer(let searched) = error, !watch, !reset else {
        Complaint.say(error.told)
        throw error.status.code
      }
      tell(try saved(without: searched.joined(separator: " or ")))
    }
  }

  private func follow(_ client: ControlClient) {
    while client.goesOn(for: 1) {
      // A player that has ended meanwhile is no error: it was watched to its end.
      guard let report = try? client.metrics(), tell(report) else { return }
    }
  }

  /// - Returns: false when nobody reads any more.
  @discardableResult private func tell(_ report: MetricsReport) -> Bool {
    let out = LineWriter(descriptor: 1)
    let isRedrawn = watch && format == .table && isatty(1) == 1
    out.write((isRedrawn ? "\u{1B}[H\u{1B}[2J" : "") + report.text(in: format))
    return out.flush()
  }

  /// - Parameter searched: where no player is running.
  private func saved(without searched: String) throws -> MetricsReport {
    guard let folder = StateFolder() else {
      throw refusal(
        "no player is running in \(searched), and there is no HOME where the last one could have left its metrics")
    }
    do throws(SavedMetrics.Unreadable) {
      if let report = try SavedMetrics.load(from: folder) { return report }
    } catch {
      Complaint.say(error.description)
      throw ExitStatus.invalidData.code
    }
    throw refusal(
      "no player is running in \(searched), and none has left its metrics in \(folder.file(SavedMetrics.file)); "
        + "start one with 'prosper play SESSION'")
  }

  private func refusal(_ text: String) -> ExitCode {
    Complaint.say(text)
    return ExitStatus.missingInput.code
  }
}

extension MetricsReport.Format: ExpressibleByArgument {}
