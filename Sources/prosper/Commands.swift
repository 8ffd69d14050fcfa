import AudioFiles
import Engine
import GeneratedSounds
import Glibc
import Player
import Sessions

/// Reads commands that come from outside the session: from the control socket, keys and script files. Names are
/// resolved against one session.
struct Commands {
  let scope: CommandScope
  /// Whether a remote sound is good enough once its download has begun; live sessions play sounds while they arrive.
  private let playsWhileDownloading: Bool
  private let home = getenv("HOME").map { String(cString: $0) }

  init(scope: CommandScope, playsWhileDownloading: Bool) {
    (self.scope, self.playsWhileDownloading) = (scope, playsWhileDownloading)
  }

  /// Reads one line from a remote control; the control server calls it on its own thread.
  var understand: @Sendable (String) -> ControlRequest {
    let reader = CommandReader(scope: scope, catalogue: GeneratedSoundLibrary.catalogue, home: home)
    return { reader.request($0) }
  }

  /// What is wrong with a command line whatever the session; nil if only the player can judge it.
  static func mistake(in line: String) -> String? {
    let reader = CommandReader(scope: nil, catalogue: GeneratedSoundLibrary.catalogue)
    if case .refused(let problem) = reader.request(line).ask { return problem }
    return nil
  }

  /// The command of the key `g`: the session's first gong, or the built-in bowl.
  var gong: Command {
    let reader = CommandReader(scope: scope, catalogue: GeneratedSoundLibrary.catalogue, home: home)
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
    var reader = ScriptReader(scope: scope, catalogue: GeneratedSoundLibrary.catalogue, home: home)
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
