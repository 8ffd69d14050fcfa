import ArgumentParser
import Glibc
import ProsperKit

/// The exit codes of prosper. They never change, because scripts rely on them.
enum ExitStatus: Int32 {
  case finished = 0
  case expectationFailed = 1
  case usage = 64
  case invalidData = 65
  case missingInput = 66
  case noServer = 69
  case defect = 70
  case cannotCreate = 73
  case cannotWrite = 74
  case serverLost = 75
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  /// `prosper ctl` found no player, or one that does not answer.
  static let noPlayer = noServer
  /// `prosper schedule` found no systemd that answers.
  static let noSystemd = noServer
  /// A player refused a command of `prosper ctl` or `prosper metrics`.
  static let refused = expectationFailed

  var code: ExitCode { ExitCode(rawValue) }

  /// The code for an output that failed.
  init(_ error: SinkError) {
    switch error {
    case .noServer, .noSuchDevice, .unreachable, .refused: self = .noServer
    case .lost, .deviceLost: self = .serverLost
    case .cannotCreate, .noThread: self = .cannotCreate
    case .cannotWrite, .closed: self = .cannotWrite
    case .unsupported: self = .usage
    }
  }

  /// The code for a session that was played.
  ///
  /// - Parameters:
  ///   - isStrict: whether a damaged source makes a finished session fail.
  ///   - signal: the first signal that asked prosper to end; nil if there was none.
  init(_ result: PlaybackResult, isStrict: Bool, signal: Int32?) {
    switch result.reason {
    case .terminated where signal == SIGHUP: self = .hungUp
    case .interrupted: self = .interrupted
    case .terminated: self = .terminated
    case .outputFailed: self = result.failure.map { ExitStatus($0) } ?? .defect
    // What the system lacks is no fault of a source.
    case .completed where result.damage.contains(where: \.isShortage): self = .missingInput
    case .completed, .stopped: self = isStrict && !result.damage.isEmpty ? .invalidData : .finished
    }
  }
}

extension ExitStatus {
  /// This status, or `cannotWrite` if the session finished but its events could not be written.
  func after(_ loss: WriteLoss?) -> ExitStatus {
    guard let loss else { return self }
    StandardError.say(loss.description)
    return self == .finished ? .cannotWrite : self
  }
}
