import ProsperKit

/// Reads the commands of the page. They are those of `prosper ctl`, but name no file outside of the library and no
/// address: whoever holds a phone may change the session, and not read the disk or use the network of the player.
struct PageCommands {
  /// The session as it plays, which a command may have read again.
  private let plan: @Sendable () -> SessionPlan
  /// The folders of the library, without symbolic links.
  private let folders: [String]

  init(folders: [String], of plan: @escaping @Sendable () -> SessionPlan) {
    (self.plan, self.folders) = (plan, folders.compactMap { FilePath.resolved($0) })
  }

  var understand: @Sendable (String) -> ControlRequest {
    { [self] line in
      let plan = plan()
      guard let reader = plan.commandReader else { return ControlRequest(.refused("the session takes no commands")) }
      let request = reader.request(line)
      guard case .command(let command) = request.kind else { return request }
      // The sounds of the session may be anywhere.
      let named = reader.scope?.sounds.values.map(\.source) ?? []
      let own = (plan.programme?.sources ?? []).union(named)
      guard let cue = command.cues.first(where: { !own.contains($0.source) && !permits($0.source) }) else {
        return request
      }
      let problem = "the page may not play '\(cue.title)': it is neither a sound of the session nor in the library"
      return ControlRequest(id: request.id, .refused(problem))
    }
  }

  private func permits(_ source: SoundSource) -> Bool {
    switch source.origin {
    case .generated: return true
    case .remote: return false
    // Speaking takes programs of the player.
    case .spoken: return false
    case .file(let path):
      guard let path = FilePath.resolved(path) else { return false }
      return folders.contains { path.hasPrefix($0 == "/" ? $0 : $0 + "/") }
    }
  }
}
