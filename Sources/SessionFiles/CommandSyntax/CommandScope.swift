/// The parts of the loaded session that a command may refer to: its stages, sounds and folder.
package struct CommandScope: Sendable {
  /// The names of the stages, in session order; nil if the player checks them.
  package var stages: [String]?
  /// The session's named sounds, by name.
  package var sounds: [String: Session.Sound]
  /// The titles of all sounds of the session.
  package var titles: Set<String>
  /// What a `gong` command without a sound strikes: the session's first gong. Nil if the session has none.
  package var gong: Session.Sound?
  /// The session's folder, an absolute path. Relative paths start here, unless the file exists in the script's own
  /// folder.
  package var folder: String
  /// The language in which texts are spoken; nil if the session states none.
  package var language: String?

  package init(of session: Session) {
    stages = session.stages.map(\.name)
    sounds = session.named
    titles = Set(session.sounds.map(\.title) + session.named.values.map(\.title))
    gong = (session.stages.flatMap(\.gongs) + session.gongs).first?.sound
    folder = session.folder
    language = session.language
  }
}
