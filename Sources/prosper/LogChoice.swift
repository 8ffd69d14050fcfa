import ArgumentParser
import Logging

/// The argument of `--log-level`: from which level on lines are logged, or that none are.
enum LogChoice: String, ExpressibleByArgument, CaseIterable {
  case trace, debug, info, warning, error, off

  /// Nil for none.
  var level: Logger.Level? { Logger.Level(rawValue: rawValue) }
}
