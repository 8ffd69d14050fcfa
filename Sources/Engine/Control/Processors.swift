import Glibc

/// The processors that this process may use, which determine the default of `--jobs`.
package enum Processors {
  /// How many processors this process may use, at least 1.
  package static let available = max(1, allowed(in: status()))

  /// - Parameter status: the content of `/proc/self/status`, with the line `Cpus_allowed:	ff,ffffffff`.
  static func allowed(in status: String) -> Int {
    let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
    return line?.drop { $0 != ":" }.reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) } ?? 0
  }

  private static func status() -> String {
    let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard 0 <= descriptor else { return "" }
    defer { close(descriptor) }
    return String(unsafeUninitializedCapacity: 8_192) { max(0, read(descriptor, $0.baseAddress, $0.count)) }
  }
}
