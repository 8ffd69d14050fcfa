import Foundation
import Glibc
import Synchronization
import Testing

@testable import TestSupport

@Suite struct MachineControlTests {
  /// Threads that occupy all processors several times over, until this object is released.
  private final class Load {
    private let isOver = Flag()

    init() {
      for _ in 0..<8 * ProcessInfo.processInfo.activeProcessorCount {
        Thread.detachNewThread { [isOver] in while !isOver.isRaised {} }
      }
    }

    deinit { isOver.raise() }
  }

  @Test func `a machine whose processors are all occupied is late`() async throws {
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

  @Test func `pacat reports an underrun after a stop of one second`() async throws {
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

  @Test func `five milliseconds or an underrun count as late, and less does not`() {
    #expect(!MachineControl.Lateness().isMachineLate)
    #expect(!MachineControl.Lateness(waking: .milliseconds(4), computing: .milliseconds(4)).isMachineLate)
    #expect(MachineControl.Lateness(waking: .milliseconds(5)).isMachineLate)
    #expect(MachineControl.Lateness(waking: .milliseconds(2), handovers: 3).isMachineLate)
    #expect(!MachineControl.Lateness(waking: .milliseconds(1), handovers: 3).isMachineLate)
    #expect(MachineControl.Lateness(computing: .milliseconds(5)).isMachineLate)
    #expect(MachineControl.Lateness(underruns: 1).isMachineLate)
  }
}
