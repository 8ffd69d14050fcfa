import ProsperKit

/// Reads the commands of the page. They are those of `prosper ctl`, but name no file outside of the library and no
/// address: whoever holds a phone may change the session, and not read the disk or use the network of the player.
struct PageCommands {
  private let reader: CommandReader
  /// The sounds of the session, which may be anywhere.
  private let own: Set<SoundSource>
  /// Without symbolic links.
  private let folders: [String]

  init(_ reader: CommandReader, own sounds: Set<SoundSource>, folders: [String]) {
    self.reader = reader
    own = sounds.union(reader.scope?.sounds.values.map(\.source) ?? [])
    self.folders = folders.compactMap { FilePath.resolved($0) }
  }

  var understand: @Sendable (String) -> ControlRequest {
    { [self] line in
      let request = reader.request(line)
      guard case .command(let command) = request.kind, let cue = command.cues.first(where: { !permits($0.source) })
      else { return request }
      return ControlRequest(
        id: request.id,
        .refused("the page may not play '\(cue.title)': it is neither a sound of the session nor in the library"))
    }
  }

  private func permits(_ source: SoundSource) -> Bool {
    if own.contains(source) { return true }
    switch source.origin {
    case .generated: return true
    case .remote: return false
    case .file(let path):
      guard let path = FilePath.resolved(path) else { return false }
      return folders.contains { path.hasPrefix($0 == "/" ? $0 : $0 + "/") }
    }
  }
}
