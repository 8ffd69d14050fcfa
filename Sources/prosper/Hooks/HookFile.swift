import ProsperKit

/// The hooks of all runs: `$XDG_CONFIG_HOME/prosper/hooks.yaml`, whose keys are events, each with a command or a list of
/// commands.
struct HookFile {
  private(set) var hooks: [Hook] = []
  /// What can't be used, with its place. The other hooks are run all the same: a mistake must not cost a sit.
  private(set) var problems: [String] = []

  /// The file of this environment; empty if there is none.
  init() {
    guard let path = Self.path, let bytes = FilePath.contents(of: path) else { return }
    do throws(Diagnostic) { read(try YAMLReader.read(String(decoding: bytes, as: UTF8.self), file: path)) } catch {
      problems.append(error.description)
    }
  }

  private static var path: String? {
    if let folder = ProcessInput.variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
      return folder + "/prosper/hooks.yaml"
    }
    return ProcessInput.variable("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.config/prosper/hooks.yaml" : nil }
  }

  private mutating func read(_ root: Node) {
    guard case .map(let entries) = root.content else {
      problems.append("\(root.location): error: it is no group of events; write lines like 'gong: play-light.sh'")
      return
    }
    for entry in entries {
      guard let event = PlayerEvent.Name(rawValue: entry.key) else {
        problems.append("\(entry.location): error: \(Hook.unknown(entry.key))")
        continue
      }
      let values = if case .list(let values) = entry.value.content { values } else { [entry.value] }
      for value in values { add(value, event) }
    }
  }

  private mutating func add(_ value: Node, _ event: PlayerEvent.Name) {
    switch value.content {
    case .text(let command), .word(let command): hooks.append(Hook(event: event, command: command))
    case .list, .map:
      problems.append("\(value.location): error: '\(event.rawValue)' has no command here; write one as text")
    }
  }
}
