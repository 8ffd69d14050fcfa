import Files
import TestSupport
import Testing

/// Names of files keep their bytes as text.
@Suite struct FileNameTests {
  @Test(arguments: [
    "plain.wav", "\u{FC}mlaut.wav", "a\u{10EE80}b", "\u{10EE7F}\u{10EF00}", "tab\tline\n", "",
  ])
  func `valid names stay as they are for the system`(_ name: String) {
    #expect(String(ofSystem: Array(name.utf8)).systemBytes == Array(name.utf8))
  }

  @Test func `a byte that is not UTF-8 is one private character, and a byte again`() {
    let name = String(ofSystem: Array("o-".utf8) + [0xFC] + Array(".wav".utf8))
    #expect(name == "o-\u{10EEFC}.wav")
    #expect(name.readable == "o-\u{FFFD}.wav")
    #expect(name.forSystem == [111, 45, -4, 46, 119, 97, 118, 0])
  }

  @Test func `every sequence of bytes has a text of its own`() {
    var texts = Set<[UInt8]>()
    let bytes: [UInt8] = [0x2F, 0x61, 0x80, 0xBB, 0xBF, 0xC3, 0xE2, 0xED, 0xEE, 0xF4, 0x8E, 0xFF]
    for first in bytes {
      for second in bytes {
        for third in bytes {
          for fourth in bytes {
            let name = [first, second, third, fourth]
            let text = String(ofSystem: name)
            #expect(text.systemBytes == name)
            texts.insert(Array(text.utf8))
          }
        }
      }
    }
    #expect(texts.count == 12 * 12 * 12 * 12)
  }

  @Test func `characters that a text can't contain become bytes`() {
    let name = "a\u{7}\u{202E}b".withBytes { $0.value < 0x20 || $0 == "\u{202E}" }
    #expect(name == "a\u{10EE07}\u{10EEE2}\u{10EE80}\u{10EEAE}b")
    #expect(name.systemBytes == Array("a\u{7}\u{202E}b".utf8))
  }

  @Test func `a path is relative where that leads to the same file`() throws {
    let folder = try TemporaryFolder()
    for name in ["sessions", "audio", "audio/deep"] { FilePath.createFolder(folder.path(name)) }
    let sound = try folder.write([1], to: "audio/a.wav")
    #expect(FilePath.relative(sound, to: folder.path("audio")) == "a.wav")
    #expect(FilePath.relative(sound, to: folder.path("sessions")) == "../audio/a.wav")
    #expect(FilePath.relative(sound, to: folder.path("audio/deep")) == "../a.wav")
    #expect(FilePath.relative(sound, to: "/elsewhere") == nil)
    #expect(FilePath.relative("/a.wav", to: "/") == "a.wav")
  }
}
