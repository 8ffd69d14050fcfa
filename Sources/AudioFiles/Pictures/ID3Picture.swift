/// The picture in a frame of an ID3 tag.
enum ID3Picture {
  /// Nil for other frames, and for one that is compressed or encrypted.
  static func picture(in frame: ID3Tag.Frame) -> CoverPicture? {
    guard frame.name == "APIC" || frame.name == "PIC", let body = stored(frame), let encoding = body.first else {
      return nil
    }
    // Version 2 states the format with three letters, later ones as text with a zero at its end.
    var rest = body.dropFirst()
    rest = frame.version == 2 ? rest.dropFirst(3) : rest.drop { $0 != 0 }.dropFirst()
    guard let kind = rest.first else { return nil }
    let image = withoutText(rest.dropFirst(), isWide: encoding == 1 || encoding == 2)
    return CoverPicture(image, kind: Int(kind))
  }

  /// The bytes of a frame without what was added to store them; nil if they are compressed or encrypted.
  private static func stored(_ frame: ID3Tag.Frame) -> ArraySlice<UInt8>? {
    guard frame.version == 4 else { return frame.flags & 0xC0 == 0 ? frame.body : nil }
    if frame.flags & 0x0C != 0 { return nil }
    // The length of the original precedes the bytes.
    let body = frame.flags & 0x01 != 0 ? frame.body.dropFirst(4) : frame.body
    return frame.flags & 0x02 != 0 ? synchronised(body)[...] : body
  }

  /// What follows a text with one zero at its end, or with two if its characters have two bytes.
  private static func withoutText(_ bytes: ArraySlice<UInt8>, isWide: Bool) -> ArraySlice<UInt8> {
    guard isWide else { return bytes.drop { $0 != 0 }.dropFirst() }
    var rest = bytes
    while 2 <= rest.count, rest.prefix(2).contains(where: { $0 != 0 }) { rest = rest.dropFirst(2) }
    return rest.dropFirst(2)
  }
}
