import ProsperKit

/// The session file of the last live sit, in the state folder: with it, `--resume` finds the sit like any other
/// session.
enum LastSit {
  private static let name = "sit.yaml"

  /// Nil if there is no state folder.
  static var path: String? { StateFolder()?.file(name) }

  /// Writes the sit, and returns the path of its file; nil if it can't be written, so that the sit can't be resumed.
  static func save(_ session: Session) -> String? {
    guard let folder = StateFolder() else { return nil }
    let text = SessionWriter(.yaml, in: nil).text(of: session)
    do { try folder.write(text, to: name) } catch { return nil }
    return folder.file(name)
  }
}
