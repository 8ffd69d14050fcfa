import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

struct SpellingTests {
  @Test(arguments: [
    ("250ms", 0.25), ("90s", 90), ("1.5s", 1.5), ("1m", 60), ("1m30s", 90), ("1h", 3600), ("1h1m1s1ms", 3661.001),
    ("0.5h", 1800), ("4:30", 270), ("0:10", 10), ("90:00", 5400), ("1:02:03.5", 3723.5), ("0s", 0),
  ])
  func `a duration is parsed`(_ text: String, _ seconds: Double) {
    #expect(TimeSpelling.seconds(text) == seconds)
  }

  @Test(arguments: [
    "", "90", "s", "-1s", "+1s", "1 m", "1s1m", "1:60", "1:5", "1:60:00", ":30", "1:", "1e3s", ".5s", "1.s", "nan",
    "infs",
    "٣s", "1sms", "1:02:03:04",
  ])
  func `an invalid duration is rejected`(_ text: String) {
    #expect(TimeSpelling.seconds(text) == nil)
  }

  @Test(arguments: [
    (4.5, "4.5 s"), (60, "1:00"), (61.25, "1:01.25"), (3600, "1:00:00"), (-5, "-5 s"), (0, "0 s"), (59.9999, "1:00"),
  ])
  func `a time is formatted`(_ seconds: Double, _ text: String) {
    #expect(TimeSpelling.text(seconds) == text)
  }

  @Test(arguments: [("-6dB", -6.0), ("+12dB", 12), ("0dB", 0), ("-60dB", -60), ("1.5dB", 1.5)])
  func `a volume in decibels is parsed`(_ text: String, _ decibels: Double) {
    #expect(VolumeSpelling.decibels(text) == decibels)
  }

  @Test(arguments: ["", "dB", "6", "-6 dB", "-6db", "--6dB", "1e1dB", "nandB", "٣dB"])
  func `an invalid volume is rejected`(_ text: String) {
    #expect(VolumeSpelling.decibels(text) == nil)
  }

  @Test(arguments: [("crosfade", "crossfade"), ("titel", "title"), ("TITLE", "title"), ("nmae", "name")])
  func `the most similar name is suggested for a mistyped one`(_ typed: String, _ meant: String) {
    #expect(Suggestion.nearest(to: typed, among: ["crossfade", "title", "name", "volume"]) == meant)
  }

  @Test(arguments: ["0", "-0", "7", "10.25", "1e3", "-1.5E-3", "0e+1"])
  func `a number in JSON notation is recognized`(_ word: String) {
    #expect(Node.isNumber(word))
  }

  @Test(arguments: ["", "-", "01", "+1", ".5", "1.", "1e", "1e+", "0x10", "1_000", "1:30", ".inf", "1 ", "٣"])
  func `numbers in other notations are rejected`(_ word: String) {
    #expect(!Node.isNumber(word))
  }

  @Test func `nothing is suggested if no name is similar`() {
    #expect(Suggestion.nearest(to: "xyzzy", among: ["title", "name"]) == nil)
  }
}
