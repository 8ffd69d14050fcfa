import Foundation

/// A WAV file with title and artist, in a `LIST` chunk after the samples.
func tagged(_ wave: [UInt8], title: String, artist: String) -> Data {
  func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let size = withUnsafeBytes(of: UInt32(body.count).littleEndian) { Array($0) }
    return Array(name.utf8) + size + body + (body.count % 2 == 0 ? [] : [0])
  }
  let facts = chunk("INAM", Array(title.utf8) + [0]) + chunk("IART", Array(artist.utf8) + [0])
  let body = Array(wave[8...]) + chunk("LIST", Array("INFO".utf8) + facts)
  return Data(chunk("RIFF", body))
}
