import Glibc
import ProsperKit

/// The folder of the user's unit files: `$XDG_CONFIG_HOME/systemd/user`, or `~/.config/systemd/user`.
struct TimerFolder {
  let path: String
  /// The folder in which systemd saves when each persistent timer elapsed last.
  private let stamps: String

  /// Variables with relative paths are ignored. Returns nil if the folder is unknown, because `HOME` is missing, too.
  init?(environment: [String: String] = ProcessInput.environment) {
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    func folder(_ variable: String, _ standard: String) -> String? {
      if let folder = environment[variable], folder.hasPrefix("/") { return folder }
      return home.map { $0 + standard }
    }
    guard let config = folder("XDG_CONFIG_HOME", "/.config"), let data = folder("XDG_DATA_HOME", "/.local/share")
    else { return nil }
    (path, stamps) = (config + "/systemd/user", data + "/systemd/timers")
  }

  /// A timer of the folder.
  struct Entry {
    var name: String
    var timer: SessionTimer

    var unit: String { SessionTimer.prefix + name + ".timer" }
  }

  /// The timers that prosper has written, sorted by name.
  var entries: [Entry] {
    let files = FilePath.names(in: path)
    return files.sorted().compactMap { file in
      guard file.hasPrefix(SessionTimer.prefix), file.hasSuffix(".timer") else { return nil }
      let name = String(file.dropFirst(SessionTimer.prefix.count).dropLast(".timer".count))
      return self.file(file).flatMap(SessionTimer.init(unit:)).map { Entry(name: name, timer: $0) }
    }
  }

  /// Whether one of the two unit files exists, whoever wrote it.
  func contains(_ name: String) -> Bool { files(of: name).contains(where: FilePath.exists) }

  /// The paths of the service and the timer.
  func files(of name: String) -> [String] {
    [".service", ".timer"].map { "\(path)/\(SessionTimer.prefix)\(name)\($0)" }
  }

  /// Writes both files, the service first, because the timer needs it.
  func write(_ units: TimerUnits) throws {
    FilePath.createFolder(path)
    for (file, text) in zip(files(of: units.name), [units.serviceFile, units.timerFile]) {
      try UnfinishedFile.write(text.utf8, to: file, isPrivate: false)
    }
  }

  /// Whether systemd starts the timer after a restart.
  func isEnabled(_ name: String) -> Bool {
    var facts = stat()
    return lstat(link(of: name).forSystem, &facts) == 0
  }

  private func link(of name: String) -> String { "\(path)/timers.target.wants/\(SessionTimer.prefix)\(name).timer" }

  /// The contents of the service and the timer; nil for a file that does not exist.
  func texts(of name: String) -> [[UInt8]?] { files(of: name).map { FilePath.contents(of: $0) } }

  /// Writes the files as they were before a timer that failed. Those that did not exist are removed.
  func restore(_ texts: [[UInt8]?], of name: String) {
    if !texts.contains(where: { $0 != nil }) { return remove(name) }
    for (file, text) in zip(files(of: name), texts) {
      if let text {
        try? UnfinishedFile.write(text, to: file, isPrivate: false)
      } else {
        unlink(file.forSystem)
      }
    }
  }

  /// Removes both files, and the files that systemd has created for them.
  func remove(_ name: String) {
    let added = [link(of: name), "\(stamps)/stamp-\(SessionTimer.prefix)\(name).timer"]
    for file in files(of: name) + added { unlink(file.forSystem) }
  }

  private func file(_ name: String) -> String? {
    FilePath.contents(of: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
  }
}
