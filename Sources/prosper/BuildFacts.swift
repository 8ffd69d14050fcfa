import Player

/// The version of this program and how it was built, which `prosper --version --json` prints.
enum BuildFacts {
  static let version = "0.1.0"

  /// Whether the arguments ask for the facts as JSON. The argument parser only prints the version.
  static func areRequested(by arguments: [String]) -> Bool {
    arguments == ["--version", "--json"] || arguments == ["--json", "--version"]
  }

  /// One JSON object on one line.
  static var json: String {
    var line = JSONLine()
    line.add("v", 1)
    line.add("version", version)
    line.add("sessionFormat", 1)
    line.add("architecture", architecture)
    line.add("build", build)
    return line.description
  }

  /// As `uname -m` prints it.
  private static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "aarch64"
    #else
      "unknown"
    #endif
  }

  private static var build: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }
}
