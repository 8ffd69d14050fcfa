import Glibc
import ProsperKit

/// Formats log entries as lines: date and time in UTC, level, message, and the metadata as `key=value`.
struct LineHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  /// Receives each line without a line break, on the thread that logs.
  private let write: @Sendable (String) -> Void

  init(level: Logger.Level, write: @escaping @Sendable (String) -> Void) {
    logLevel = level
    self.write = write
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Formats one entry. Metadata of the entry overrides that of the provider, which overrides that of the logger.
  func log(event: LogEvent) {
    var all = metadata
    if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
    if let given = event.metadata { all.merge(given) { $1 } }
    let pairs = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    let level = event.level.rawValue
    let padding = String(repeating: " ", count: max(0, 7 - level.count))
    write("\(Self.timestamp()) \(level)\(padding) \(event.message)\(pairs)")
  }

  /// The current time, as in `2026-01-31T07:00:00.250Z`. Foundation's formatters are not used, because they take longer
  /// than the rest of the line.
  private static func timestamp() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var parts = tm()
    gmtime_r(&now.tv_sec, &parts)
    let date = "\(parts.tm_year + 1_900)-\(padded(parts.tm_mon + 1, to: 2))-\(padded(parts.tm_mday, to: 2))"
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded($0, to: 2) }.joined(separator: ":")
    return "\(date)T\(time).\(padded(Int32(now.tv_nsec / 1_000_000), to: 3))Z"
  }

  private static func padded(_ number: Int32, to width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
