import ProsperKit

/// Reads commands from outside the session file: from the control socket, keys and scripts. Names of stages and sounds
/// are those of one session.
struct Commands {
  /// The names of stages and sounds that commands may refer to.
  let scope: CommandScope
  /// Whether a remote sound can be used as soon as its download has begun. Live sessions play sounds while they
  /// download.
  private let playsWhileDownloading: Bool

  init(scope: CommandScope, playsWhileDownloading: Bool) {
    (self.scope, self.playsWhileDownloading) = (scope, playsWhileDownloading)
  }

  /// Reads one line from a remote control. The control server calls it on its own thread.
  var understand: @Sendable (String) -> ControlRequest {
    let reader = CommandReader(scope: scope, catalogue: GeneratorDescription.builtIn)
    return { reader.request($0) }
  }

  /// The request of a line, without a session: `refused` only if it is invalid in any session.
  static func request(in line: String) -> ControlRequest.Kind {
    CommandReader(scope: nil, catalogue: GeneratorDescription.builtIn).request(line).kind
  }

  /// The command of the key `g`: the session's first gong, or the built-in bowl.
  var gong: Command {
    let reader = CommandReader(scope: scope, catalogue: GeneratorDescription.builtIn)
    return reader.command(#"{"do":"gong"}"#).command ?? .metrics(reset: false)
  }

  /// The script in a file.
  ///
  /// - Throws: the exit code, after the errors have been printed to stderr.
  func script(at path: String) throws -> Script {
    let reading = try read(path)
    for diagnostic in reading.diagnostics { StandardError.printPlain(diagnostic.description) }
    guard let script = reading.script else { throw ExitStatus.invalidData.code }
    for diagnostic in script.missing { StandardError.printPlain(diagnostic.description) }
    if !script.missing.isEmpty { throw ExitStatus.missingInput.code }
    return script
  }

  private func read(_ path: String) throws -> ScriptReader.Reading {
    var reader = ScriptReader(scope: scope, catalogue: GeneratorDescription.builtIn)
    reader.remoteProblem = { [playsWhileDownloading] address in
      RemoteSounds.shared.problem(of: address, playsWhileDownloading: playsWhileDownloading)
    }
    do throws(SessionFileError) {
      return try reader.read(path: path)
    } catch {
      StandardError.say(error.description)
      throw ExitStatus.missingInput.code
    }
  }
}
