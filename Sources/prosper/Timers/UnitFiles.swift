import Glibc
import ProsperKit

/// Unit files of the systemd user manager that belong together.
struct UnitFiles {
  let folder: String
  /// The names of the files in the order in which they are written: the last one is the unit that is started, which
  /// needs the others.
  let names: [String]
  /// The target with which systemd starts the unit, such as `timers.target`.
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

  private var unit: String { names.last ?? "" }
  private var link: String { "\(folder)/\(target).wants/\(unit)" }

  /// Whether systemd starts the unit after a restart.
  private var isEnabled: Bool {
    var facts = stat()
    return lstat(link.forSystem, &facts) == 0
  }

  /// Writes the files, and starts the unit. If it can't be started, the files that they should replace are restored.
  ///
  /// - Parameters:
  ///   - restarts: whether a unit that runs already is stopped first.
  ///   - cron: the lines with which cron does the same, for a computer without systemd.
  ///   - explain: completes the failure of a unit that can't be started.
  /// - Throws: `UserManager.Failure`, or the exit code after an error has been printed.
  func install(
    _ texts: [String], restarts: Bool = false, cron: [String],
    explain: (UserManager.Failure) -> UserManager.Failure = { $0 }
  ) throws {
    do throws(UserManager.Failure) { try UserManager.check() } catch { throw error.offering(cron) }
    let (earlier, wasEnabled) = (paths.map { FilePath.contents(of: $0) }, isEnabled)
    do { try write(texts) } catch {
      restore(earlier)
      StandardError.say(
        "\(folder): can't be written (\((error as? ErrorNumber)?.message ?? "\(error)")); make it writable")
      throw ExitStatus.cannotCreate.code
    }
    do throws(UserManager.Failure) {
      try UserManager.reload()
      try UserManager.enable(unit, restarts: restarts)
    } catch {
      restore(earlier)
      UserManager.forget(unit)
      if wasEnabled { try? UserManager.enable(unit, restarts: restarts) }
      throw explain(error)
    }
  }

  private func write(_ texts: [String]) throws {
    FilePath.createFolder(folder)
    for (path, text) in zip(paths, texts) { try UnfinishedFile.write(text.utf8, to: path, isPrivate: false) }
  }

  /// Writes the files as they were before. Those that did not exist are removed.
  private func restore(_ texts: [[UInt8]?]) {
    if !texts.contains(where: { $0 != nil }) { return remove() }
    for (path, text) in zip(paths, texts) {
      if let text {
        try? UnfinishedFile.write(text, to: path, isPrivate: false)
      } else {
        unlink(path.forSystem)
      }
    }
  }

  /// Removes the files, and the link with which systemd starts the unit.
  func remove() {
    for path in paths + [link] { unlink(path.forSystem) }
  }

  /// Stops the unit and removes its files, also if systemd does not answer.
  func uninstall() throws(UserManager.Failure) {
    defer { remove() }
    try UserManager.disable(unit)
  }
}
