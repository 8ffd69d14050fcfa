import ProsperKit

/// The service of the systemd user manager that runs `prosper serve`.
struct ServeService {
  /// The name of its unit, after the prefix of all units of prosper.
  static let name = "serve"
  private static let unit = SessionTimer.prefix + name

  var program = UnitProgram()
  /// The arguments of `prosper serve`.
  let words: [String]

  /// Events are printed as text, for the journal, unless the arguments say otherwise.
  private var command: [String] { ["serve", "--events", "text"] + words }

  /// A service that fails because its address or a folder is not there yet starts again until they are.
  var file: String {
    """
    # Written by 'prosper serve --install'; 'prosper serve --uninstall' removes it.
    [Unit]
    Description=The page of prosper
    After=pipewire-pulse.socket pulseaudio.socket

    [Service]
    Type=exec
    \(program.workingDirectory)ExecStart=\(program.command(command))
    Restart=on-failure
    RestartSec=5
    SuccessExitStatus=143
    TimeoutStopSec=10

    [Install]
    WantedBy=default.target

    """
  }

  private static func files() throws -> UnitFiles {
    let name = unit + ".service"
    return UnitFiles(folder: try UnitFiles.folder(), names: [name], units: [name], target: "default.target")
  }

  /// Writes and starts the service, in place of an earlier one.
  func install() throws {
    try UserManager.reporting(for: "prosper serve --install") {
      let files = try Self.files()
      try files.install([file], restarts: true, cron: [program.cronLine("@reboot", command)])
      print("'\(Self.unit)' serves the page")
      for path in files.paths { print("wrote \(path.withoutControls)") }
      print(UserManager.lingerHint("runs"))
      print("to see its address and its code, run: journalctl --user-unit \(Self.unit) -o cat")
    }
  }

  /// Stops and removes the service.
  static func uninstall() throws {
    try UserManager.reporting(for: "prosper serve --install") {
      let files = try files()
      guard files.exist else { return print("nothing to do: the service is not installed") }
      defer { print("removed \(unit)") }
      try files.uninstall()
      try UserManager.reload()
    }
  }
}
