import ArgumentParser
import Remote

struct MetricsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Tells how the command queue does: of the running player, or of the last run.",
    usage: """
      prosper metrics
      prosper metrics --format prometheus
      prosper metrics --drill
      """,
    discussion: """
      Without a player that runs, the figures that the last run left behind are told, and that they are. \
      --drill measures the queue itself on this machine and needs no player.
      """)

  @Option(help: "table, json or prometheus (its text exposition format).")
  var format: MetricsReport.Format = .table

  @Flag(help: "Measures the queue on this machine with operations that do nothing.")
  var drill = false

  @Option(help: ArgumentHelp("How many operations --drill sends.", valueName: "count"))
  var operations = 1_000

  func validate() throws {
    guard 1...1_000_000 ~= operations else { throw ValidationError("--operations is a number from 1 to 1000000") }
  }

  func run() async throws {
    let report = drill ? await QueueDrill.run(operations: operations) : try found()
    print(report.text(in: format), terminator: "")
  }

  private func found() throws -> MetricsReport {
    guard let folder = StateFolder() else {
      throw refusal("no player is running, and there is no HOME where the last one could have left its metrics")
    }
    do throws(SavedMetrics.Unreadable) {
      if let report = try SavedMetrics.load(from: folder) { return report }
    } catch {
      Complaint.say(error.description)
      throw ExitStatus.invalidData.code
    }
    throw refusal(
      "no player is running, and none has left its metrics in \(folder.file(SavedMetrics.file)); "
        + "start one with 'prosper play SESSION'")
  }

  private func refusal(_ text: String) -> ExitCode {
    Complaint.say(text)
    return ExitStatus.missingInput.code
  }
}

extension MetricsReport.Format: ExpressibleByArgument {}
