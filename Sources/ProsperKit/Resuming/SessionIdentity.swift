import Files
import SavedState

/// What distinguishes a session from others that `--resume` could mean: its files, and the values that were given for its
/// parameters.
package struct SessionIdentity: Sendable {
  /// The path of the session's file, absolute or relative to the current folder.
  package let path: String
  /// The absolute paths of the files that it includes.
  let included: [String]
  /// The values that were given for its parameters, by name.
  package let settings: [String: String]

  /// - Parameter path: the file that a later run reads again.
  package init(_ plan: SessionPlan, at path: String) {
    (self.path, included, settings) = (path, plan.includedFiles, plan.settings.values)
  }

  /// A session in one file, without parameters.
  package init(path: String) { (self.path, included, settings) = (path, [], [:]) }

  /// A checksum of the files and the values. Reads the files.
  var fingerprint: Fingerprint {
    var print = Fingerprint(FilePath.contents(of: path) ?? [])
    for file in included { print.add("\n".utf8 + (FilePath.contents(of: file) ?? [])) }
    for (name, text) in settings.sorted(by: { $0.key < $1.key }) { print.add("\n\(name)=\(text)".utf8) }
    return print
  }
}
