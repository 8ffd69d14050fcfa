import Foundation
import GeneratedSounds
import Schedule
import Signal
import Sounds
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// The sessions that `prosper new` makes from templates and sound files.
struct DraftTests {
  private static func checked(_ session: Session, _ library: any SoundLibrary) throws -> Timeline {
    let reader = SessionReader(catalogue: GeneratorDescription.builtIn)
    for format in SessionWriterTests.formats {
      let text = SessionWriter(format, in: "/s").text(of: session)
      let reading = reader.read(text: text, path: format == .json ? "s.json" : "s.yaml", folder: "/s")
      #expect(reading.diagnostics.isEmpty, "\(reading.diagnostics)\n\(text)")
      var read = try #require(reading.session).withoutLocations
      read.folder = ""
      #expect(read == session.withoutLocations, "\(text)")
    }
    let (timeline, warnings) = try Timeline.compile(session, library: library)
    #expect(warnings.isEmpty && CueWarnings(timeline, of: session).coveredVoices.isEmpty, "\(warnings)")
    return timeline
  }

  @Test(arguments: SessionTemplate.allCases)
  func `a template has the requested length, and no problem`(template: SessionTemplate) throws {
    for minutes in [1, 1.25, 2, 3.5, 7, 10, 25, 61, 480, 1440] as [Double] {
      let timeline = try Self.checked(template.session(minutes: minutes), GeneratedSoundLibrary())
      #expect(timeline.stages.last?.end == timeline.rate.frames(minutes * 60), "\(minutes)")
    }
  }

  private static func file(_ name: String, _ seconds: Double, level: Double = -30) -> ExaminedSound {
    ExaminedSound(path: "/s/\(name)", title: name, length: seconds, level: Level(decibels: level))
  }

  private static func library(_ sounds: [ExaminedSound]) -> DeclaredSounds {
    DeclaredSounds(
      seconds: Dictionary(sounds.map { (SoundSource(.file(path: $0.path)).label, $0.length) }) { first, _ in first })
  }

  @Test func `long sounds become tracks, medium ones overlays, short ones gongs`() throws {
    let sounds = [
      Self.file("bell.wav", 8), Self.file("one.flac", 300), Self.file("guide.ogg", 45), Self.file("two.flac", 240),
    ]
    let session = try SoundDraft(of: sounds, title: "Mine").session(minutes: nil)
    let timeline = try Self.checked(session, Self.library(sounds))
    #expect(session.title == "Mine" && session.stages.map(\.name) == ["one.flac", "two.flac"])
    #expect(session.stages.map { $0.tracks.map(\.title) } == [["one.flac"], ["two.flac"]])
    #expect(session.stages.map { $0.overlays.map(\.sound.title) } == [["guide.ogg"], []])
    let bells = timeline.stages.flatMap(\.cues).filter { $0.layer == .effect }
    #expect(bells.map(\.at) == [0, timeline.stages[1].end])
  }

  @Test(arguments: [(-30.0, 0.0), (-20, 0), (-19, 0), (-18, -2), (-6, -14), (-0.4, -20)])
  func `loud sounds get a volume that brings them down to -20 dB`(level: Double, decibels: Double) throws {
    let session = try SoundDraft(of: [Self.file("a.wav", 300, level: level)], title: "t").session(minutes: nil)
    #expect(session.stages[0].tracks[0].volume == VolumeSpelling.gain(decibels))
  }

  @Test func `with minutes, the stages share that time, and the error for too little states a time that fits`() throws {
    let sounds = [Self.file("one.flac", 300), Self.file("two.flac", 600), Self.file("guide.ogg", 100)]
    let draft = SoundDraft(of: sounds, title: "t")
    let timeline = try Self.checked(try draft.session(minutes: 30), Self.library(sounds))
    #expect(timeline.stages.map { $0.end.map(timeline.rate.seconds) } == [600, 1800])
    let error = #expect(throws: DraftError.self) { try draft.session(minutes: 1) }
    guard case .noRoom(1, let shortest?)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let short = try Self.checked(try draft.session(minutes: shortest), Self.library(sounds))
    #expect(short.stages.last?.end == short.rate.frames(shortest * 60))
  }

  /// In some rounds the overlays are too long for the tracks.
  @Test func `every sound of a random selection is used, and none is cut off or covered`() throws {
    var random = SplitMix(seed: 5)
    for round in 0..<120 {
      let sounds = (0..<Int(1 + random.fraction() * 12)).map { index in
        Self.file("\(round)-\(index).wav", (pow(10, 0.3 + random.fraction() * 3) * 10).rounded() / 10)
      }
      let session = try SoundDraft(of: sounds, title: "t").session(minutes: nil)
      _ = try Self.checked(session, Self.library(sounds))
      #expect(Set(session.sounds.map(\.source)) == Set(sounds.map { SoundSource(.file(path: $0.path)) }))
    }
  }

  @Test func `sounds with the same title get stages with different names`() throws {
    let sounds = ["a", "b", "c"].map {
      ExaminedSound(path: "/s/\($0).wav", title: "Voices", length: 130, level: Level(decibels: -30))
    }
    let session = try SoundDraft(of: sounds + [Self.file("x.wav", 119)], title: "t").session(minutes: nil)
    #expect(session.stages.map(\.name) == ["Voices", "Voices 2", "Voices 3", "Voices 4"])
  }

  @Test func `a title contains no characters that a session file can't contain`() {
    #expect("a\u{202E}b\u{FEFF} \u{2066}\u{2069} c\nd_e".titleWords(dividedAt: "_") == "ab c d e")
    #expect("\u{202A}\u{1B}".titleWords().isEmpty)
  }
}
