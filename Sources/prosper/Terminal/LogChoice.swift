import ArgumentParser
import ProsperKit

/// The argument of `--log-level`: the lowest level that is logged, or `off`.
enum LogChoice: String, ExpressibleByArgument, CaseIterable {
  case trace, debug, info, warning, error, off

  /// Nil for `off`.
  var level: Logger.Level? { Logger.Level(rawValue: rawValue) }
}
