import Glibc
import ProsperKit

/// Unit files of the systemd user manager that belong together.
struct UnitFiles {
  let folder: String
  /// The names of the files in the order in which they are written.
  let names: [String]
  /// The files that are the units to start, which need the others.
  let units: [String]
  /// The target with which systemd starts the units, such as `timers.target`.
  let target: String

  /// The folder of the user's unit files: `$XDG_CONFIG_HOME/systemd/user`, or `~/.config/systemd/user`.
  ///
  /// - Throws: the exit code, after an error has been printed, if there is none.
  static func folder() throws -> String {
    guard let config = configuration(ProcessInput.environment) else {
      StandardError.say("HOME is not set, so there is no folder for systemd's units; set HOME to an absolute path")
      throw ExitStatus.cannotCreate.code
    }
    return config + "/systemd/user"
  }

  /// A variable with a relative path is ignored.
  private static func configuration(_ environment: [String: String]) -> String? {
    let absolute = { (name: String) in environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
    return absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { $0 + "/.config" }
  }

  var paths: [String] { names.map { "\(folder)/\($0)" } }

  /// Whether one of the files exists, whoever wrote it.
  var exist: Bool { paths.contains(where: FilePath.exists) }

  private func link(of unit: String) -> String { "\(folder)/\(target).wants/\(unit)" }

  /// The units that systemd starts after a restart.
  private var enabled: [String] {
    units.filter { unit in
      var facts = stat()
      return lstat(link(of: unit).forSystem, &facts) == 0
    }
  }

  /// Writes the files, and starts the units. If one can't be started, the files that they should replace are restored.
  ///
  /// - Parameters:
  ///   - restarts: whether units that run already are stopped first.
  ///   - cron: the lines with which cron does the same, for a computer without systemd.
  ///   - explain: completes the failure if a unit can't be started.
  /// - Throws: `UserManager.Failure`, or the exit code after an error has been printed.
  func install(
    _ texts: [String], restarts: Bool = false, cron: [String],
    explain: (UserManager.Failure) -> UserManager.Failure = { $0 }
  ) throws {
    do throws(UserManager.Failure) { try UserManager.check() } catch { throw error.offering(cron) }
    let (earlier, enabled) = (paths.map { FilePath.contents(of: $0) }, enabled)
    do { try write(texts) } catch {
      restore(earlier)
      StandardError.say(
        "\(folder): can't be written (\((error as? ErrorNumber)?.message ?? "\(error)")); make it writable")
      throw ExitStatus.cannotCreate.code
    }
    do throws(UserManager.Failure) {
      try UserManager.reload()
      try UserManager.enable(units, restarts: restarts)
    } catch {
      restore(earlier)
      UserManager.forget(units)
      if !enabled.isEmpty { try? UserManager.enable(enabled, restarts: restarts) }
      throw explain(error)
    }
  }

  private func write(_ texts: [String]) throws {
    FilePath.createFolder(folder)
    for (path, text) in zip(paths, texts) { try UnfinishedFile.write(text.utf8, to: path, isPrivate: false) }
  }

  /// Writes the files as they were before. Those that did not exist are removed.
  private func restore(_ texts: [[UInt8]?]) {
    for (name, text) in zip(names, texts) {
      if let text {
        try? UnfinishedFile.write(text, to: "\(folder)/\(name)", isPrivate: false)
      } else {
        for path in ["\(folder)/\(name)", link(of: name)] { unlink(path.forSystem) }
      }
    }
  }

  /// Removes the files, and the links with which systemd starts the units.
  func remove() {
    for path in paths + units.map(link) { unlink(path.forSystem) }
  }

  /// Stops the units and removes their files, also if systemd does not answer.
  func uninstall() throws(UserManager.Failure) {
    defer { remove() }
    try UserManager.disable(units)
  }
}
