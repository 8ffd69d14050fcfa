/// What depends on the machine's haste, tried until it is quick once: a machine that stalls for seconds proves nothing.
///
/// Facts that are no times are asserted within the attempt, and so hold in every try.
///
/// - Parameters:
///   - count: how often it is tried at most.
///   - isQuick: whether a try keeps its time.
/// - Returns: the first try that does.
/// - Throws: what the attempt throws, or the measures of all tries when none was quick.
@discardableResult
package func best<Measure>(
  of count: Int = 5, where isQuick: (Measure) throws -> Bool, _ attempt: () async throws -> Measure
) async throws -> Measure {
  var slow: [String] = []
  for _ in 0..<count {
    let measure = try await attempt()
    if try isQuick(measure) { return measure }
    slow.append("\(measure)")
  }
  throw NeverQuick(tries: slow)
}

package struct NeverQuick: Error {
  package var tries: [String]
}
