import ProsperKit

/// The version of this program and how it was built, which `prosper --version --json` prints.
enum BuildFacts {
  static let version = Release.version

  /// The text for a program that was called for its version; nil for other arguments. Other programs ask for it before
  /// each use, and starting the argument parser takes longer than the answer.
  static func answer(to arguments: [String]) -> String? {
    switch arguments {
    case ["--version"]: "prosper \(version)"
    case ["--version", "--json"], ["--json", "--version"]: json
    default: nil
    }
  }

  /// One JSON object on one line.
  private static var json: String {
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
