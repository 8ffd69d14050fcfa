import ArgumentParser
import Glibc
import Sessions

extension Prosper {
  static func main() async {
    refuseUnknownCommand()
    await main(nil)
  }

  /// A mistyped command is one line, with the one that is meant; everything else is the argument parser's.
  private static func refuseUnknownCommand() {
    guard let word = CommandLine.arguments.dropFirst().first, !word.hasPrefix("-") else { return }
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    if names.contains(word) { return }
    let mend =
      access(word, F_OK) == 0 ? "did you mean 'prosper play \(word)'?" : Suggestion.mend(for: word, among: names)
    Complaint.say("there is no command '\(word)'; \(mend)")
    Glibc.exit(ExitStatus.usage.rawValue)
  }
}
