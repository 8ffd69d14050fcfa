import CSndFile
import Glibc
package import Sounds

/// What the tags of a sound file say about who made it, and who may use it.
package struct SoundCredits: Hashable, Sendable {
  package var title: String?
  package var artist: String?
  package var copyright: String?
  package var licence: String?
  package var comment: String?

  /// Reads WAV, AIFF, FLAC and Ogg, and the ID3 tag of an MP3 file. Of other files, it has title and artist.
  package init(ofFile path: String) throws(SourceError) {
    let file = try RegularFile(path: path)
    (title, artist) = (file.tags.title, file.tags.artist)
    for (name, text) in ID3Tag.texts(of: file) { take(text, as: name) }
    let sound = file.withoutTags
    guard sound.contentEnd > 0, let handle = SndFileHandle(ByteView(of: sound)) else { return }
    let kinds = [
      ("title", SF_STR_TITLE), ("artist", SF_STR_ARTIST), ("copyright", SF_STR_COPYRIGHT),
      ("licence", SF_STR_LICENSE), ("comment", SF_STR_COMMENT),
    ]
    for (name, kind) in kinds {
      guard let text = sf_get_string(handle.pointer, Int32(kind)) else { continue }
      let bytes = UnsafeRawBufferPointer(start: text, count: strnlen(text, SoundTags.longest))
      take(tagText(Array(bytes)[...]), as: name)
    }
  }

  /// Keeps a text unless there is one already.
  private mutating func take(_ text: String?, as name: String) {
    guard let text, !text.isEmpty else { return }
    switch name {
    case "title": title = title ?? text
    case "artist": artist = artist ?? text
    case "copyright": copyright = copyright ?? text
    case "licence": licence = licence ?? text
    case "comment": comment = comment ?? text
    default: break
    }
  }
}
