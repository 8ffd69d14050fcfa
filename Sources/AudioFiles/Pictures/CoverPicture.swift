package import Sounds

/// A picture inside a sound file, such as the cover of an album.
package struct CoverPicture: Hashable, Sendable {
  /// The formats that desktops show. The first bytes of a picture decide, because tags often state another format.
  package enum Format: String, Sendable {
    case jpg, png, gif, webp
  }

  /// A complete image file.
  package let bytes: [UInt8]
  package let format: Format
  /// Whether the tags call it the front cover, and not an artist, a logo or a booklet.
  let isFrontCover: Bool

  /// The largest picture that is read, in bytes.
  static let largest = 16 << 20
  /// The largest picture that is written, in bytes. A FLAC file has room for 16 MiB.
  private static let largestWritten: Int64 = 10_000_000
  private static let frontCover = 3

  /// Nil if the bytes are not an image of a known format.
  ///
  /// - Parameter kind: the number with which ID3 and FLAC say what the picture shows.
  init?(_ bytes: ArraySlice<UInt8>, kind: Int) {
    guard let format = Format(of: bytes), bytes.count <= Self.largest else { return nil }
    (self.bytes, self.format, isFrontCover) = (Array(bytes), format, kind == Self.frontCover)
  }

  /// Reads a JPEG or PNG file, for the tags of an output file. Waits for the disk.
  package init(ofFile path: String) throws(SourceError) {
    let file: RegularFile
    do throws(SourceError) { file = try RegularFile(path: path) } catch {
      guard case .notARegularFile(_, let kind) = error else { throw error }
      throw .unreadable(path: path, cause: "it is a \(kind); give the path of a JPEG or PNG file")
    }
    if Self.largestWritten < file.size {
      throw .unsupported(path: path, what: "a picture has at most 10 MB; make it smaller")
    }
    let bytes = file.bytes(at: 0, count: Int(file.size))
    try file.requireIntactReads()
    guard let picture = CoverPicture(bytes[...], kind: Self.frontCover), [.jpg, .png].contains(picture.format) else {
      throw .unsupported(path: path, what: "is not a picture; give the path of a JPEG or PNG file")
    }
    self = picture
  }

  /// The front cover if there is one, otherwise the first picture.
  static func best(of pictures: [CoverPicture]) -> CoverPicture? {
    pictures.first { $0.isFrontCover } ?? pictures.first
  }
}

extension CoverPicture.Format {
  fileprivate init?(of bytes: ArraySlice<UInt8>) {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpg
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
      self = .png
    } else if bytes.starts(with: Array("GIF8".utf8)) {
      self = .gif
    } else if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      self = .webp
    } else {
      return nil
    }
  }
}

extension AudioFileLibrary {
  /// The picture in the tags of an MP3, FLAC, Ogg Vorbis or Opus file; nil if it has none, and for a sound that can't
  /// be read or is still being downloaded. Waits for the disk.
  package func picture(of source: SoundSource) -> CoverPicture? {
    guard let file = try? file(of: source), file.download == nil else { return nil }
    let sound = file.withoutTags
    let head = sound.bytes(at: 0, count: 4)
    if head == Array("fLaC".utf8) { return CoverPicture.best(of: FLACPictures.all(in: sound)) }
    if head == OggPage.mark { return CoverPicture.best(of: OggPictures.all(in: sound)) }
    return CoverPicture.best(of: ID3Tag.pictures(in: file))
  }
}
