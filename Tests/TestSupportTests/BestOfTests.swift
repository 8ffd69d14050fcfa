import Testing

@testable import TestSupport

/// Which attempts run again and which count at once, with a control of the test's own.
@Suite struct BestOfTests {
  private struct Broken: Error {}

  private static let late = MachineControl.Lateness(waking: .milliseconds(200))
  private static let inTime = MachineControl.Lateness(waking: .milliseconds(1))

  /// The measure, or nil if the attempt threw; the number of tries; and the messages.
  private struct Outcome {
    var measure: Int?
    var tries: Int
    var said: [String]
  }

  /// Measures 1, 2, 3 and so on. `lateness` is that of each try.
  private func outcome(wanted: Int, _ lateness: [MachineControl.Lateness]) async throws -> Outcome {
    var tries = 0
    var said: [String] = []
    var measure: Int?
    do {
      measure = try await best(
        of: 3, where: { $0 == wanted }, controlledBy: { { lateness[tries - 1] } }, say: { said.append($0) }
      ) {
        tries += 1
        return tries
      }
    } catch is Unwanted {}
    return Outcome(measure: measure, tries: tries, said: said)
  }

  @Test func `an attempt that fails while the machine is in time fails at once`() async throws {
    let outcome = try await outcome(wanted: 2, [Self.inTime, Self.inTime])
    #expect(outcome.measure == nil && outcome.tries == 1 && outcome.said.isEmpty)
  }

  @Test func `an attempt that fails while the machine is late runs again and reports it`() async throws {
    let outcome = try await outcome(wanted: 2, [Self.late, Self.inTime])
    #expect(outcome.measure == 2 && outcome.tries == 2 && outcome.said.count == 1)
    #expect(outcome.said.first?.contains("woken 200 ms late") == true)
  }

  @Test func `an attempt that fails three times fails, however late the machine was`() async throws {
    let outcome = try await outcome(wanted: 4, [Self.late, Self.late, Self.late])
    #expect(outcome.measure == nil && outcome.tries == 3 && outcome.said.count == 2)
  }

  @Test func `an attempt that succeeds counts, however late the machine was`() async throws {
    let outcome = try await outcome(wanted: 1, [Self.late])
    #expect(outcome.measure == 1 && outcome.tries == 1 && outcome.said.isEmpty)
  }

  @Test func `an error is not a measure and is thrown at once`() async throws {
    await #expect(throws: Broken.self) {
      try await best(of: 3, where: { (_: Int) in true }, controlledBy: { { Self.late } }) { throw Broken() }
    }
  }

  @Test func `an issue on a separate thread belongs to the test`() async throws {
    let name = try await onOwnThread { Test.current?.name }
    #expect(name == Test.current?.name && name != nil)
  }
}
