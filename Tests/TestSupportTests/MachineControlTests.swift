import Foundation
import Glibc
import Synchronization
import Testing

@testable import TestSupport

@Suite struct MachineControlTests {
  /// Threads that take all the processors there are, several times over, until this is gone.
  private final class Load {
    private let isOver = Flag()

    init() {
      for _ in 0..<8 * ProcessInfo.processInfo.activeProcessorCount {
        Thread.detachNewThread { [isOver] in while !isOver.isUp {} }
      }
    }

    deinit { isOver.raise() }
  }

  @Test func `a machine whose processors are all taken is late`() async throws {
    let lateness = try await onOwnThread {
      let load = Load()
      let control = try MachineControl()
      letPass(seconds: 1)
      withExtendedLifetime(load) {}
      return control.end()
    }
    #expect(lateness.isMachineLate)
    #expect(.milliseconds(5) < lateness.computing)
  }

  @Test func `pacat that was stopped for a second ran dry`() async throws {
    let underruns = try await onOwnThread {
      let player = try ControlPlayer()
      player.waitUntilItPlays()
      player.pacat.send(SIGSTOP)
      letPass(seconds: 1)
      player.pacat.send(SIGCONT)
      _ = eventually { player.underruns > 0 }
      return player.end()
    }
    #expect(underruns > 0)
  }

  @Test func `nothing late is in time, and five milliseconds or an underrun are not`() {
    #expect(!MachineControl.Lateness().isMachineLate)
    #expect(!MachineControl.Lateness(waking: .milliseconds(4), computing: .milliseconds(4)).isMachineLate)
    #expect(MachineControl.Lateness(waking: .milliseconds(5)).isMachineLate)
    #expect(MachineControl.Lateness(waking: .milliseconds(2), handovers: 3).isMachineLate)
    #expect(!MachineControl.Lateness(waking: .milliseconds(1), handovers: 3).isMachineLate)
    #expect(MachineControl.Lateness(computing: .milliseconds(5)).isMachineLate)
    #expect(MachineControl.Lateness(underruns: 1).isMachineLate)
  }
}
