import ArgumentParser
import Glibc
import Sessions

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Prints what a session will do, with exact times, before a note is played.",
    usage: """
      prosper show SESSION
      prosper show SESSION --json
      """)

  @Argument(help: "The session file, JSON or YAML.")
  var session: String

  @Flag(help: "The compiled commands, one JSON object a line.")
  var commands = false

  func run() throws {
    let plan = SessionPlan(path: session)
    plan.complain()
    guard let timeline = plan.timeline else { throw plan.status.code }
    let report = TimelineReport(timeline)
    let out = LineWriter(descriptor: 1)
    if commands { report.commands(out.write) } else { report.text(out.write) }
    out.flush()
    if plan.status != .finished { throw plan.status.code }
  }
}

/// Gathers text and writes it in large pieces; a reader that has gone away is no error.
final class LineWriter {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var isOpen = true

  init(descriptor: Int32) {
    self.descriptor = descriptor
    signal(SIGPIPE, SIG_IGN)
  }

  func write(_ text: String) {
    bytes += Array(text.utf8)
    if 65_536 <= bytes.count { flush() }
  }

  /// False when not everything could be written.
  @discardableResult
  func flush() -> Bool {
    var rest = bytes[...]
    while isOpen, !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { isOpen = false } else { rest = rest.dropFirst(count) }
    }
    bytes.removeAll(keepingCapacity: true)
    return isOpen
  }
}
