import ArgumentParser
import Glibc
import ProsperKit

/// The entry point: reports every error as one line on stderr, with the exit code of its kind.
extension Prosper {
  static func main() {
    let arguments = withAddressOfWeb(Array(ProcessInput.arguments.dropFirst()))
    if let text = BuildFacts.answer(to: arguments) ?? CompletionScript.requested(by: arguments) {
      print(text)
      end(ExitStatus.finished.rawValue)
    }
    refuseUnknownCommand()
    Interruptions.endEnginesFirst()
    ResidentMemory.shareHeap()
    do {
      var command = try parseAsRoot(arguments)
      if let command = command as? any AsyncParsableCommand {
        try TaskThreads.run {
          var command = command
          try await command.run()
        }
      } else {
        try command.run()
      }
    } catch let error as SinkError {
      StandardError.say(error.description)
      end(ExitStatus(error).rawValue)
    } catch let ended as ExitCode {
      // The error has been printed where it occurred.
      end(ended.rawValue)
    } catch {
      if exitCode(for: error) == .validationFailure { refuse(message(for: error)) }
      guard exitCode(for: error) == .success else { exit(withError: error) }
      print(fullMessage(for: error))
    }
    end(ExitStatus.finished.rawValue)
  }

  /// The address of `--web` may be left out or be the next word, of which the argument parser knows one at most. A word
  /// that names a file is the session.
  private static func withAddressOfWeb(_ words: [String]) -> [String] {
    var arguments: [String] = []
    for word in words {
      if arguments.last == "--web", word.contains(where: { ".:".contains($0) }), ListenAddress(word) != nil,
        !FilePath.exists(word)
      {
        arguments[arguments.count - 1] = "--web=\(word)"
      } else {
        arguments.append(word)
      }
    }
    return arguments.map { $0 == "--web" ? "--web=\(ListenAddress.standardPort)" : $0 }
  }

  /// Ends the program. If text that `print` has received can't be written, for example to a full disk, that is an error,
  /// unless there was another one. Runs no `exit` handlers while a download is running.
  private static func end(_ status: Int32) -> Never {
    var status = status
    if fflush(nil) != 0, status == ExitStatus.finished.rawValue, let loss = WriteLoss(errno, STDOUT_FILENO) {
      StandardError.say(loss.description)
      status = ExitStatus.cannotWrite.rawValue
    }
    SpokenSounds.endEngines()
    guard RemoteSounds.shared.isFetching else { Glibc.exit(status) }
    // A download is still running, so the `exit` handlers of the libraries that it uses must not run. The next run
    // continues the download.
    TerminalMode.restore()
    fflush(nil)
    _exit(status)
  }

  private static let commands = configuration.subcommands.compactMap { $0.configuration.commandName }

  /// Prints wrong usage as one line. The argument parser would also print its whole usage text.
  private static func refuse(_ message: String) -> Never {
    var text = sentence(message)
    if text.hasPrefix("unknown option"), commandWords == ["schedule", "add"] {
      text += text.hasSuffix("?") ? " Options" : "; options"
      text += " of 'prosper play' and 'prosper sit' come after --"
    } else if !text.hasSuffix("?") {
      text += "; see '\((["prosper"] + commandWords + ["--help"]).joined(separator: " "))'"
    }
    StandardError.say(text)
    Glibc.exit(ExitStatus.usage.rawValue)
  }

  /// A message of the argument parser as one line.
  static func sentence(_ message: String) -> String {
    // A long list of values has one line for each, which begins with "- ".
    let lines = message.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
    let values = lines.filter { $0.hasPrefix("- ") }.map { $0.dropFirst(2) }.joined(separator: ", ")
    var text = (lines.filter { !$0.hasPrefix("- ") } + [values[...]]).filter { !$0.isEmpty }.joined(separator: " ")
    if text.hasSuffix(".") { text.removeLast() }
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  /// The command that the arguments name, and its subcommand.
  private static var commandWords: [String] {
    var (known, words) = (configuration.subcommands, [String]())
    for word in ProcessInput.arguments.dropFirst() {
      guard let command = known.first(where: { $0.configuration.commandName == word }) else { break }
      words.append(word)
      known = command.configuration.subcommands
    }
    return words
  }

  /// Reports an unknown command, and suggests a similar one, or `play` if the word is a file.
  private static func refuseUnknownCommand() {
    let words = ProcessInput.arguments.dropFirst()
    guard let word = words.first == "help" ? words.dropFirst().first : words.first, !word.hasPrefix("-") else { return }
    let known = commands + ["help"]
    if known.contains(word) { return }
    let fix =
      FilePath.exists(word) ? "did you mean 'prosper play \(word)'?" : Suggestion.fix(for: word, among: known)
    StandardError.say("there is no command '\(word)'; \(fix)")
    Glibc.exit(ExitStatus.usage.rawValue)
  }
}
