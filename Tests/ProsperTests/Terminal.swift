import Foundation
import Synchronization
import TestSupport

/// A pseudo-terminal without a user. What a program writes to it is kept.
final class Terminal: Sendable {
  /// The end that the program uses.
  let line: FileHandle
  private let master: Int32
  private let bytes = Written()
  private let reading: Background<Void>

  /// TIOCSPTLCK and TIOCGPTPEER, which Swift does not import.
  private static let (setLock, openPeer): (UInt, UInt) = (0x4004_5431, 0x5441)

  init(columns: UInt16) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var lock: Int32 = 0
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard 0 <= master, ioctl(master, Self.setLock, &lock) == 0, ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else {
      throw NoTerminal(code: errno)
    }
    let other = ioctl(master, Self.openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard 0 <= other else { throw NoTerminal(code: errno) }
    line = FileHandle(fileDescriptor: other, closeOnDealloc: false)
    let (master, bytes) = (master, bytes)
    reading = Background {
      var block = [UInt8](repeating: 0, count: 65_536)
      while case let count = read(master, &block, block.count), 0 < count {
        bytes.append(block[..<count])
      }
    }
  }

  deinit { close(master) }

  /// Types keys.
  func type(_ keys: String) { _ = Array(keys.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) } }

  /// Whether the terminal echoes input and passes it on line by line, as terminals do by default.
  var isAsFound: Bool {
    var mode = termios()
    let wanted = tcflag_t(ECHO | ICANON)
    return tcgetattr(master, &mode) == 0 && mode.c_lflag & wanted == wanted
  }

  /// What has been written so far.
  var text: String { bytes.text }

  /// Everything that was written, once no program has the terminal open.
  func hangUp() throws -> String {
    close(line.fileDescriptor)
    try reading.value()
    return text
  }
}

private final class Written: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

  func append(_ more: ArraySlice<UInt8>) { bytes.withLock { $0 += more } }
}

struct NoTerminal: Error {
  var code: Int32
}

/// The text that a person finally sees.
struct Screen {
  private(set) var lines: [String] = [""]

  init(showing text: String) {
    for piece in text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      if 0 < piece.offset { lines.append("") }
      for part in piece.element.split(separator: "\r", omittingEmptySubsequences: false).enumerated() {
        overwrite(part.element, fromTheBeginning: 0 < part.offset)
      }
    }
  }

  /// Of the escape sequences, only the one that erases the rest of the line is applied; colours are removed.
  private mutating func overwrite(_ text: Substring, fromTheBeginning: Bool) {
    let erases = text.hasPrefix("\u{1B}[K")
    let shown = text.replacing(#/\u{1B}\[[0-9;]*[mK]/#, with: "")
    let old = lines.removeLast()
    lines.append(fromTheBeginning ? shown + (erases ? "" : String(old.dropFirst(shown.count))) : old + shown)
  }
}
