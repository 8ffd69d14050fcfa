extension Random {
  /// A copy of bytes with one to six changes: another byte, a removed part, a part that is repeated elsewhere, or one of
  /// `shards`, the pieces that mean something in the format.
  package mutating func mutated(_ original: [UInt8], with shards: [String]) -> [UInt8] {
    var bytes = original
    for _ in 0..<next(1...6) {
      if bytes.isEmpty { return [0x20] }
      let location = next(0...bytes.count - 1)
      let end = min(bytes.count, location + next(1...20))
      switch next(0...3) {
      case 0: bytes[location] = UInt8(next(0...127))
      case 1: bytes.removeSubrange(location..<end)
      case 2: bytes.insert(contentsOf: Array(bytes[location..<end]), at: next(0...bytes.count))
      default: bytes.insert(contentsOf: shards[next(0...shards.count - 1)].utf8, at: location)
      }
    }
    return bytes
  }
}
