import ArgumentParser
import ProsperKit

/// `prosper log import`: adds the sits that another program has logged.
struct LogImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Adds the sits of a CSV file, such as the export of Insight Timer.",
    usage: """
      prosper log import FILE
      prosper log import FILE --dates dmy
      """,
    discussion: """
      Sits that are in the log already, with the same start and duration, are not added again. Rows that can't be read \
      are reported with their lines, and the others are added; the exit code is then 65.

      The order of day and month in a date such as 04/05/2026 is found if one of the dates has only one reading. \
      Otherwise, it must be given with --dates.
      """)

  @Argument(help: "The file, or - for stdin.", completion: .file(extensions: ["csv"]))
  var file: String

  @Option(help: ArgumentHelp("The order of the dates: mdy (month first) or dmy (day first).", valueName: "order"))
  var dates: DateOrder?

  /// How many rows that can't be read are reported one by one.
  private static let mostProblems = 20

  func run() throws {
    let bytes: [UInt8]
    do throws(SessionFileError) { bytes = try SessionFile.bytes(file) } catch {
      StandardError.say("\(file): \(error.problem); \(error.fix)")
      throw ExitStatus.missingInput.code
    }
    if Node.Limit.bytes < bytes.count { throw refusal("is too large; divide it", .invalidData) }
    let imported = try read(bytes)
    let log = try LogCommand.log()
    let added = try LogCommand.changing(log) { log throws(ErrorNumber) in
      try log.change(creates: true) { $0.add(imported.sits) }
    }
    report(imported, added: added ?? 0)
    if !imported.problems.isEmpty { throw ExitStatus.invalidData.code }
  }

  private func read(_ bytes: [UInt8]) throws -> ImportedSits {
    do throws(ImportedSits.Failure) { return try ImportedSits(bytes, order: dates) } catch {
      switch error {
      case .noColumns:
        throw refusal(
          "its first line names no columns with start and duration, such as 'Started At' and 'Duration'; "
            + "export it as CSV", .invalidData)
      case .order(.ambiguous):
        throw refusal(
          "its dates can be read in two ways; add --dates mdy if the month comes first, or --dates dmy if the day does",
          .usage)
      case .order(.contradictory):
        throw refusal(
          "some of its dates have the month first, and others the day; add --dates mdy or --dates dmy to import one kind",
          .usage)
      }
    }
  }

  private func refusal(_ problem: String, _ status: ExitStatus) -> ExitCode {
    StandardError.say("\(file): \(problem)")
    return status.code
  }

  private func report(_ imported: ImportedSits, added: Int) {
    let problems = imported.problems
    for problem in problems.prefix(Self.mostProblems) {
      StandardError.printPlain("\(file):\(problem.line): \(problem.text); this row is left out")
    }
    if Self.mostProblems < problems.count {
      let rest = problems.count - Self.mostProblems
      StandardError.say("\(file): \(counted(rest, "further row")) can't be read")
    }
    let known = imported.sits.count - added
    print("\(counted(added, "sit")) added" + (known == 0 ? "" : ", \(known) already in the log"))
  }
}
