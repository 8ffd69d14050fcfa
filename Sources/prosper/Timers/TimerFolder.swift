import Glibc
import ProsperKit

/// The timers in the folder of the user's unit files.
struct TimerFolder {
  let path: String
  /// The folder in which systemd saves when each persistent timer elapsed last.
  private let stamps: String

  /// - Throws: the exit code, after an error has been printed, if the folder is unknown.
  init() throws {
    path = try UnitFiles.folder()
    let data = ProcessInput.variable("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    stamps = (data ?? (ProcessInput.variable("HOME") ?? "") + "/.local/share") + "/systemd/timers"
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

  /// The services and the timers, which need them.
  func units(of names: [String]) -> UnitFiles {
    let units = names.map { SessionTimer.prefix + $0 }
    return UnitFiles(
      folder: path, names: units.flatMap { [$0 + ".service", $0 + ".timer"] }, units: units.map { $0 + ".timer" },
      target: "timers.target")
  }

  /// Stops a timer, and removes its files and what systemd has saved of it. A session that it has started continues.
  func remove(_ entry: Entry) throws(UserManager.Failure) {
    defer { unlink("\(stamps)/stamp-\(entry.unit)".forSystem) }
    try units(of: [entry.name]).uninstall()
  }

  private func file(_ name: String) -> String? {
    FilePath.contents(of: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
  }
}
