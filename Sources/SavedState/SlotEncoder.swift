import Foundation
import Player
import Schedule

/// Encodes positions as the content of a slot: a checksum, a space, JSON, and a line feed.
///
/// A position is saved every second, but only its numbers change that often. The other parts are encoded once and kept
/// as text. After the first position, no code of Foundation runs, so its pages need not stay in memory.
struct SlotEncoder {
  /// A part of a position, and its JSON.
  private struct Part<Value: Encodable & Equatable> {
    private var value: Value?
    private var json = ""

    /// The JSON of a value; nil if it can't be encoded.
    mutating func json(of value: Value) -> String? {
      if value != self.value {
        guard let data = try? JSONEncoder().encode(value) else { return nil }
        (self.value, json) = (value, String(decoding: data, as: UTF8.self))
      }
      return json
    }
  }

  private var session = Part<String>()
  private var print = Part<SessionFingerprint>()
  private var settings = Part<[String: String]>()
  private var journal = Part<Journal>()
  private var volumes = Part<Volumes>()

  /// The content of a slot, padded with spaces to whole pages; nil if it does not fit.
  mutating func content(of saved: SavedPosition) -> [UInt8]? {
    guard let session = session.json(of: saved.session), let print = print.json(of: saved.print),
      saved.position.seconds.isFinite, saved.savedAt.isFinite, saved.fittedLength?.isFinite ?? true
    else { return nil }
    var position = #"{"stage":\#(saved.position.stage),"seconds":\#(saved.position.seconds)"#
    if let journal = saved.position.journal.flatMap({ journal.json(of: $0) }) { position += #","past":"# + journal }
    if let volumes = saved.position.volumes.flatMap({ volumes.json(of: $0) }) { position += #","volumes":"# + volumes }
    let json =
      #"{"session":\#(session),"print":\#(print),"place":\#(position)},"#
      + (saved.fittedLength.map { #""fittedLength":\#($0),"# } ?? "")
      + (saved.settings.flatMap { settings.json(of: $0) }.map { #""settings":\#($0),"# } ?? "")
      + (saved.seed.map { #""seed":\#($0),"# } ?? "")
      + #""savedAt":\#(saved.savedAt),"order":\#(saved.order ?? 0),"number":\#(saved.number)}"#
    return Self.slot(json)
  }

  private static func slot(_ json: String) -> [UInt8]? {
    var text = Array(json.utf8)
    let length = (text.count + 18 + SavedPosition.page - 1) / SavedPosition.page * SavedPosition.page
    if SavedPosition.slot < length { return nil }
    text += repeatElement(UInt8(ascii: " "), count: length - 18 - text.count)
    return Array("\(Fingerprint(text).text) ".utf8) + text + [UInt8(ascii: "\n")]
  }
}
