import AudioFiles
import Engine
import GeneratedSounds
import Glibc
import Player
import Sessions

/// Commands as they come from outside, understood in the light of one session.
struct Commands {
  let scope: CommandScope
  /// Whether it is enough that the sounds of a script have begun to come.
  private let takesArriving: Bool
  private let home = getenv("HOME").map { String(cString: $0) }

  init(scope: CommandScope, takesArriving: Bool) { (self.scope, self.takesArriving) = (scope, takesArriving) }

  /// Understands the lines of a remote control.
  var understand: @Sendable (String) -> ControlRequest {
    let reader = CommandReader(scope: scope, catalogue: GeneratedSoundLibrary.catalogue, home: home)
    return { reader.request($0) }
  }

  /// What is wrong with a line of a remote control whatever is played; nil where that is for the player to say.
  static func mistake(in line: String) -> String? {
    let reader = CommandReader(scope: nil, catalogue: GeneratedSoundLibrary.catalogue)
    if case .refused(let problem) = reader.request(line).ask { return problem }
    return nil
  }

  /// What a listener strikes who names no gong.
  var gong: Command {
    let reader = CommandReader(scope: scope, catalogue: GeneratedSoundLibrary.catalogue, home: home)
    return reader.command(#"{"do":"gong"}"#).command ?? .metrics(reset: false)
  }

  /// The script in a file; complains and ends with the right code where it can't be carried out.
  func script(at path: String) throws -> any Prompter {
    let reading = try read(path)
    for diagnostic in reading.diagnostics { Complaint.sayPlain(diagnostic.description) }
    guard let script = reading.script else { throw ExitStatus.invalidData.code }
    for diagnostic in script.missing { Complaint.sayPlain(diagnostic.description) }
    if !script.missing.isEmpty { throw ExitStatus.missingInput.code }
    return ScriptRunner(script)
  }

  private func read(_ path: String) throws -> ScriptReader.Reading {
    var reader = ScriptReader(scope: scope, catalogue: GeneratedSoundLibrary.catalogue, home: home)
    reader.remoteProblem = { [takesArriving] address in
      RemoteSounds.shared.problem(of: address, takesArriving: takesArriving)
    }
    do throws(SessionFileError) {
      return try reader.read(path: path)
    } catch {
      Complaint.say(error.description)
      throw ExitStatus.missingInput.code
    }
  }
}
