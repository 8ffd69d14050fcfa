/// Where a comment stands in a session file that is written in YAML: above the session, a stage, or a track. An index
/// that equals the number of stages or tracks is the end of their list.
package enum CommentPlace: Sendable, Hashable {
  /// Above the session.
  case session
  /// Above a stage.
  case stage(Int)
  /// Above a track of a stage, which must have tracks.
  case track(Int, stage: Int)

  /// The list and the index in it, as `YAMLText` names them; nil for the session.
  var element: (list: String, index: Int)? {
    switch self {
    case .session: nil
    case .stage(let index): ("stages", index)
    case .track(let index, let stage): ("stages[\(stage)].tracks", index)
    }
  }
}
