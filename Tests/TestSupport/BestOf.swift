import Foundation

/// Measures what depends on real time, and measures again only if the machine was late.
///
/// A `MachineControl` runs beside each attempt. A measure that is not as wanted counts as a failure at once if the
/// control was in time. If it was late, the attempt runs again, and stderr says so. Expectations inside the attempt hold
/// in every try.
///
/// - Parameters:
///   - count: The greatest number of tries.
///   - hasServer: Whether the control includes a client of a sound server.
///   - handovers: How many threads must be woken one after another within a few milliseconds; each may be late.
///   - isWanted: Whether a measure is as it should be.
/// - Returns: The first measure that is as wanted.
/// - Throws: What the attempt throws, or `Unwanted`.
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

/// The same with any control: `begin` starts it and returns how to end it.
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
    say("The machine was late: \(lateness). Try \(tries.count) of \(count) measured \(measure); it runs again.\n")
  }
}

/// The measures of all tries, each with how late the machine was.
package struct Unwanted: Error {
  package var tries: [String]
}
