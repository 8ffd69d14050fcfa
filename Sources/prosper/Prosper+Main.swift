import ArgumentParser
import AudioFiles
import Glibc
import Sessions

extension Prosper {
  static func main() async {
    refuseUnknownCommand()
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let ended as ExitCode {
      // What there was to say is said.
      end(ended.rawValue)
    } catch {
      if exitCode(for: error) == .validationFailure { refuse(message(for: error)) }
      exit(withError: error)
    }
  }

  private static func end(_ status: Int32) -> Never {
    guard RemoteSounds.shared.isFetching else { Glibc.exit(status) }
    // A sound that is still coming is left to the next run; its transfer must not meet the clean-up of the libraries
    // that it uses.
    TerminalMode.restore()
    fflush(nil)
    _exit(status)
  }

  private static let commands = configuration.subcommands.compactMap { $0.configuration.commandName }

  /// Wrong usage is one line too; the argument parser would print the whole usage with it.
  private static func refuse(_ message: String) -> Never {
    var text = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    if text.hasSuffix(".") { text.removeLast() }
    if !text.hasSuffix("?") {
      let command = CommandLine.arguments.dropFirst().first { commands.contains($0) }
      text += "; see 'prosper \(command.map { "\($0) " } ?? "")--help'"
    }
    Complaint.say(text.prefix(1).lowercased() + text.dropFirst())
    Glibc.exit(ExitStatus.usage.rawValue)
  }

  /// A mistyped command, with the one that is meant.
  private static func refuseUnknownCommand() {
    let words = CommandLine.arguments.dropFirst()
    guard let word = words.first == "help" ? words.dropFirst().first : words.first, !word.hasPrefix("-") else { return }
    let known = commands + ["help"]
    if known.contains(word) { return }
    let mend =
      access(word, F_OK) == 0 ? "did you mean 'prosper play \(word)'?" : Suggestion.mend(for: word, among: known)
    Complaint.say("there is no command '\(word)'; \(mend)")
    Glibc.exit(ExitStatus.usage.rawValue)
  }
}
