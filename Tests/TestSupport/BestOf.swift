import Foundation

/// Runs a test that depends on real time, and repeats it only if the machine was late.
///
/// A `MachineControl` measures during each attempt how late the machine wakes threads. If a measure is not as wanted
/// and the machine was in time, the test fails at once. If the machine was late, the attempt is repeated, and stderr
/// reports this. Expectations inside the attempt must hold in every attempt.
///
/// - Parameters:
///   - count: The maximum number of attempts.
///   - hasServer: Whether the control measurement includes a client of a sound server.
///   - handovers: How many threads the measured code wakes, one after another. Each may be woken late.
///   - isWanted: Whether a measure is as wanted.
/// - Returns: The first measure that is as wanted.
/// - Throws: What the attempt throws, or `Unwanted` if no measure is as wanted.
@discardableResult
package func best<Measure>(
  of count: Int = 3, hasServer: Bool = false, handovers: Int = 1, where isWanted: (Measure) throws -> Bool,
  _ attempt: () async throws -> Measure
) async throws -> Measure {
  try await best(
    of: count, where: isWanted,
    controlledBy: {
      let control = try await onOwnThread { try MachineControl(hasServer: hasServer, handovers: handovers) }
      return { try await onOwnThread { control.end() } }
    }, attempt)
}

/// The same with any control measurement: `begin` starts it, and returns a function that ends it.
func best<Measure>(
  of count: Int, where isWanted: (Measure) throws -> Bool,
  controlledBy begin: () async throws -> () async throws -> MachineControl.Lateness,
  say: (String) -> Void = { FileHandle.standardError.write(Data($0.utf8)) }, _ attempt: () async throws -> Measure
) async throws -> Measure {
  var tries: [String] = []
  while true {
    let end = try await begin()
    let result: Result<Measure, any Error>
    do { result = .success(try await attempt()) } catch { result = .failure(error) }
    let lateness = try await end()
    let measure = try result.get()
    if try isWanted(measure) { return measure }
    tries.append("\(measure), while \(lateness)")
    guard lateness.isMachineLate, tries.count < count else { throw Unwanted(tries: tries) }
    let shown = "\(measure)"
    let measured = shown.count <= 200 ? shown : shown.prefix(200) + "..."
    say("The machine was late: \(lateness). Try \(tries.count) of \(count) measured \(measured); it runs again.\n")
  }
}

/// The measures of all attempts, each with the lateness of the machine.
package struct Unwanted: Error {
  package var tries: [String]
}
