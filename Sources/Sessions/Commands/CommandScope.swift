/// What a command may refer to besides itself: the stages, sounds and folder of the session that is played.
package struct CommandScope: Sendable {
  /// Names of the stages, in their order.
  package var stages: [String]
  package var sounds: [String: Session.Sound]
  /// What a gong without a sound strikes: the session's first gong.
  package var gong: Session.Sound?
  /// The session's, absolute: relative paths begin here unless a script has such a file beside it.
  package var folder: String

  package init(of session: Session) {
    stages = session.stages.map(\.name)
    sounds = session.named
    gong = (session.stages.flatMap(\.gongs) + session.gongs).first?.sound
    folder = session.folder
  }
}
