import Glibc

/// The MD5 sum of bytes that arrive in parts (RFC 1321). FLAC files contain the sum of their samples.
struct MD5 {
  private var state = SIMD4<UInt32>(0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)
  /// The number of bytes so far.
  private var length: UInt64 = 0
  /// The bytes after the last whole block; fewer than a block.
  private var rest: [UInt8] = []

  private static let block = 64
  private static let constants = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }

  /// Adds the next bytes.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    length &+= UInt64(bytes.count)
    var bytes = bytes
    if !rest.isEmpty {
      let missing = min(Self.block - rest.count, bytes.count)
      rest.append(contentsOf: bytes[..<missing])
      bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
      guard rest.count == Self.block else { return }
      rest.withUnsafeBytes { Self.addBlocks($0, to: &state) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count / Self.block * Self.block
    Self.addBlocks(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), to: &state)
    rest.append(contentsOf: bytes[whole...])
  }

  /// The sum of all bytes so far: 16 bytes.
  var sum: [UInt8] {
    var padded = self
    let zeros = (2 * Self.block - 9 - rest.count) % Self.block
    let size = withUnsafeBytes(of: (length &* 8).littleEndian) { Array($0) }
    let padding = [0x80] + [UInt8](repeating: 0, count: zeros) + size
    padding.withUnsafeBytes { padded.update($0) }
    return (0..<4).flatMap { index in withUnsafeBytes(of: padded.state[index].littleEndian) { Array($0) } }
  }

  /// - Precondition: `bytes` are whole blocks.
  private static func addBlocks(_ bytes: UnsafeRawBufferPointer, to state: inout SIMD4<UInt32>) {
    guard let base = bytes.baseAddress else { return }
    constants.withUnsafeBufferPointer { constants in
      var sums = (state[0], state[1], state[2], state[3])
      for offset in stride(from: 0, to: bytes.count, by: block) {
        addBlock(base + offset, constants, to: &sums)
      }
      state = SIMD4(sums.0, sums.1, sums.2, sums.3)
    }
  }

  /// Adds one block of 64 bytes, in the four rounds of the RFC.
  @inline(__always)
  private static func addBlock(
    _ block: UnsafeRawPointer, _ constants: UnsafeBufferPointer<UInt32>,
    to sums: inout (UInt32, UInt32, UInt32, UInt32)
  ) {
    var (a, b, c, d) = sums
    /// Adds a word of the block and the constant of the step to `a`.
    @inline(__always) func add(_ function: UInt32, _ word: Int, _ step: Int, _ bits: UInt32) {
      let value = UInt32(littleEndian: block.loadUnaligned(fromByteOffset: 4 * (word & 15), as: UInt32.self))
      let sum = a &+ function &+ value &+ constants[step]
      (a, d, c, b) = (d, c, b, b &+ (sum &<< bits | sum &>> (32 &- bits)))
    }
    for step in stride(from: 0, to: 16, by: 4) {
      add(d ^ (b & (c ^ d)), step, step, 7)
      add(d ^ (b & (c ^ d)), step + 1, step + 1, 12)
      add(d ^ (b & (c ^ d)), step + 2, step + 2, 17)
      add(d ^ (b & (c ^ d)), step + 3, step + 3, 22)
    }
    for step in stride(from: 16, to: 32, by: 4) {
      add(c ^ (d & (b ^ c)), 5 * step + 1, step, 5)
      add(c ^ (d & (b ^ c)), 5 * step + 6, step + 1, 9)
      add(c ^ (d & (b ^ c)), 5 * step + 11, step + 2, 14)
      add(c ^ (d & (b ^ c)), 5 * step + 16, step + 3, 20)
    }
    for step in stride(from: 32, to: 48, by: 4) {
      add(b ^ c ^ d, 3 * step + 5, step, 4)
      add(b ^ c ^ d, 3 * step + 8, step + 1, 11)
      add(b ^ c ^ d, 3 * step + 11, step + 2, 16)
      add(b ^ c ^ d, 3 * step + 14, step + 3, 23)
    }
    for step in stride(from: 48, to: 64, by: 4) {
      add(c ^ (b | ~d), 7 * step, step, 6)
      add(c ^ (b | ~d), 7 * step + 7, step + 1, 10)
      add(c ^ (b | ~d), 7 * step + 14, step + 2, 15)
      add(c ^ (b | ~d), 7 * step + 21, step + 3, 21)
    }
    sums = (sums.0 &+ a, sums.1 &+ b, sums.2 &+ c, sums.3 &+ d)
  }
}
