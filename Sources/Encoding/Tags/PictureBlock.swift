import AudioFiles

extension CoverPicture {
  var mediaType: String { format == .png ? "image/png" : "image/jpeg" }

  /// The picture as a block of FLAC files, which Ogg files contain as a comment: a front cover without a description.
  var block: [UInt8] {
    let type = Array(mediaType.utf8)
    let image = ImageFacts(of: self)
    return [3, type.count].flatMap(big) + type
      + [0, image.width, image.height, image.depth, image.colours, bytes.count].flatMap(big) + bytes
  }
}

private func big(_ number: Int) -> [UInt8] { ByteOrder.big.bytes(Int64(number), count: 4) }

/// The size of an image in pixels, the bits of a pixel, and the number of colours of its palette, 0 without one. All are 0
/// if they can't be found.
struct ImageFacts: Hashable {
  private(set) var width = 0
  private(set) var height = 0
  private(set) var depth = 0
  private(set) var colours = 0

  init(of picture: CoverPicture) {
    if picture.format == .png { readPNG(picture.bytes[...]) } else { readJPEG(picture.bytes[...]) }
  }

  private mutating func readPNG(_ bytes: ArraySlice<UInt8>) {
    guard 33 <= bytes.count else { return }
    (width, height) = (Int(bytes[16..<20].number(.big)), Int(bytes[20..<24].number(.big)))
    // Grey, RGB, palette, grey with transparency, RGB with transparency.
    let channels = [0: 1, 2: 3, 4: 2, 6: 4][bytes[25]]
    if let channels { return depth = Int(bytes[24]) * channels }
    depth = 24
    var rest = bytes.dropFirst(8)
    while let length = rest.takeNumber(.big), length + 8 <= rest.count {
      if rest.starts(with: Array("PLTE".utf8)) { colours = length / 3 }
      rest = rest.dropFirst(length + 8)
    }
  }

  private mutating func readJPEG(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes.dropFirst(2)
    while 10 <= rest.count, let mark = rest.dropFirst().first, rest.first == 0xFF {
      let start = rest.startIndex
      let length = Int(rest[start + 2]) << 8 | Int(rest[start + 3])
      // The frames of all kinds of encoding; the others are tables.
      if 0xC0...0xCF ~= mark, ![0xC4, 0xC8, 0xCC].contains(mark) {
        height = Int(rest[(start + 5)..<(start + 7)].number(.big))
        width = Int(rest[(start + 7)..<(start + 9)].number(.big))
        return depth = Int(rest[start + 4]) * Int(rest[start + 9])
      }
      // A mark may be preceded by any number of bytes of 255.
      rest = mark == 0xFF ? rest.dropFirst() : rest.dropFirst(2 + length)
    }
  }
}
