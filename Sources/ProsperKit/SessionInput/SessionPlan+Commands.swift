import AudioFiles
import GeneratedSounds
package import Scripts
package import SessionFiles
import Sounds

extension SessionPlan {
  /// Reads commands in the notation of scripts; nil if the file has errors.
  package var commandReader: CommandReader? {
    scope.map { CommandReader(scope: $0, catalogue: GeneratorDescription.builtIn) }
  }

  /// Reads a script for the session; nil if the session's file has errors. Blocks while it downloads sounds.
  ///
  /// - Parameter path: absolute, or relative to the current folder.
  package func script(at path: String) throws(SessionFileError) -> ScriptReader.Reading? {
    guard let scope else { return nil }
    var reader = ScriptReader(scope: scope, catalogue: GeneratorDescription.builtIn)
    reader.remoteProblem = { [library] address in
      RemoteSounds.shared.problem(of: address, playsWhileDownloading: library.playsWhileDownloading)
    }
    return try reader.read(path: path)
  }
}
