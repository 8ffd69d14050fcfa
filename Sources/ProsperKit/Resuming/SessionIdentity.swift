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
  /// The seed of the run, which is saved with the position; nil if no random moment depends on it. It distinguishes no
  /// sessions: a run may resume the position of another seed.
  let seed: UInt64?

  /// - Parameter path: the file that a later run reads again.
  package init(_ plan: SessionPlan, at path: String) {
    (self.path, included, settings) = (path, plan.includedFiles, plan.settings.values)
    seed = plan.seed
  }

  /// A session in one file, without parameters.
  package init(path: String) { (self.path, included, settings, seed) = (path, [], [:], nil) }

  /// A checksum of the files and the values. Reads the files.
  var fingerprint: Fingerprint {
    var print = Fingerprint(FilePath.contents(of: path) ?? [])
    for file in included { print.add("\n".utf8 + (FilePath.contents(of: file) ?? [])) }
    for (name, text) in settings.sorted(by: { $0.key < $1.key }) { print.add("\n\(name)=\(text)".utf8) }
    return print
  }
}
