import ProsperKit

/// Reads commands from outside the session file: from the control socket, keys and scripts. Names of stages and sounds
/// are those of one session.
struct Commands: Sendable {
  private let original: CommandReader
  private let reload: SessionReload?

  /// - Parameter reload: reads the session file again; the commands then refer to what it has now.
  init(_ reader: CommandReader, of reload: SessionReload?) { (original, self.reload) = (reader, reload) }

  private var reader: CommandReader { reload?.plan.commandReader ?? original }

  /// Reads one line from a remote control. The control server calls it on its own thread.
  var understand: @Sendable (String) -> ControlRequest { { [self] in reader.request($0) } }

  /// The request of a line, without a session: `refused` only if it is invalid in any session.
  static func request(in line: String) -> ControlRequest.Kind {
    CommandReader(scope: nil, catalogue: GeneratorDescription.builtIn).request(line).kind
  }

  /// The command of the key `g`: the session's first gong, or the built-in bowl.
  var gong: Command { reader.command(#"{"do":"gong"}"#).command ?? .metrics(reset: false) }
}

extension SessionPlan {
  /// The script in a file.
  ///
  /// - Throws: the exit code, after the errors have been printed to stderr.
  func readScript(at path: String) throws -> Script {
    let reading: ScriptReader.Reading?
    do throws(SessionFileError) { reading = try script(at: path) } catch {
      StandardError.say(error.description)
      throw ExitStatus.missingInput.code
    }
    for diagnostic in reading?.diagnostics ?? [] { StandardError.printPlain(diagnostic.description) }
    guard let script = reading?.script else { throw ExitStatus.invalidData.code }
    for diagnostic in script.missing { StandardError.printPlain(diagnostic.description) }
    if !script.missing.isEmpty { throw ExitStatus.missingInput.code }
    return script
  }
}
