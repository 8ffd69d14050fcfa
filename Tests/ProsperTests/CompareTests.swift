import Foundation
import Signal
import TestSupport
import Testing

/// `prosper compare`, as a user runs it.
struct CompareTests {
  /// Half a minute: rain, and from 12 s on noise, with a voice that lowers it and a bell.
  private static let session = """
    prosper: 1
    title: Sit
    sampleRate: 8000
    stages:
      - name: Arrive
        duration: 12s
        tracks: [{generate: rain, volume: -3dB}]
      - name: Sitting
        duration: 18s
        crossfade: 1s
        tracks: [{generate: pink, volume: -12dB}]
        overlays:
          - {sound: {generate: brown, end: 4s}, at: 3s, volume: -6dB, duck: {by: -9dB, attack: 200ms, release: 300ms}}
        gongs: [{sound: {generate: bell, decay: 0.25}, at: 10s}]

    """

  /// Compares the session with a changed one.
  private static func compare(
    _ old: String, _ new: String, _ options: [String] = [], in scratch: Scratch
  ) async throws -> Prosper {
    let a = try scratch.write("a.yaml", session)
    #expect(session.contains(old))
    let b = try scratch.write("b.yaml", session.replacing(old, with: new))
    return try await Prosper.run(["compare", a, b] + options, in: scratch)
  }

  private static func render(_ name: String, _ options: [String] = [], in scratch: Scratch) async throws -> String {
    let (session, file) = (try scratch.write("s.yaml", session), scratch.path(name))
    let run = try await Prosper.run(["play", session, "-q", "-o", file] + options, in: scratch)
    #expect(run.status == 0, "\(run.err)")
    return file
  }

  @Test(arguments: [
    ("a.flac", []), ("a.wav", ["--encoding", "s16"]), ("a.aiff", []), ("m.flac", ["--channels", "1"]),
  ])
  func `a session is the same as its render, in either order`(name: String, options: [String]) async throws {
    let scratch = try Scratch()
    let file = try await Self.render(name, options, in: scratch)
    for words in [[file, scratch.path("s.yaml")], [scratch.path("s.yaml"), file]] {
      let run = try await Prosper.run(["compare"] + words, in: scratch)
      #expect(run.status == 0 && run.err.isEmpty, "\(run.out)")
      #expect(run.out.hasPrefix("same: residual -"), "\(run.out)")
    }
  }

  @Test func `a limit below what 16 bits can hold makes a file different`() async throws {
    let scratch = try Scratch()
    let file = try await Self.render("a.wav", ["--encoding", "s16"], in: scratch)
    let run = try await Prosper.run(["compare", file, scratch.path("s.yaml"), "--residual", "-110"], in: scratch)
    #expect(run.status == 1 && run.out.contains("dBFS, limit -110.0 dBFS\n"), "\(run.out)")
  }

  @Test(arguments: [
    ("by: -9dB", "by: -12dB", "music: B is 3.0 dB softer from 15.0 to 19.3 s (stage 'Sitting')"),
    ("at: 10s", "at: 60", nil), ("at: 10s", "at: 10.02s", "gongs: B is 20 ms later from 22.0 to "),
    ("volume: -6dB", "volume: -7dB", "overlays: B is 1.0 dB softer from 15.0 to 19.0 s (stage 'Sitting')"),
    ("at: 3s", "at: 5s", "overlays: B is 2 s later from 15.0 to 21.0 s (stage 'Sitting'); that leaves -inf dBFS"),
    ("volume: -3dB", "volume: -3.5dB", "music: B is 0.5 dB softer from 0.0 to 13.0 s (stages 'Arrive' to 'Sitting')"),
    ("title: Sit", "title: Sit\nvolume: -6dB", "output: B is 6.0 dB softer throughout; that leaves -"),
    ("duration: 18s", "duration: 16s", "length: B ends 2 s earlier than A, at 28.000 s"),
    ("duration: 18s", "duration: 19s", "music: only B has sound from 29.9 s on (stage 'Sitting')"),
  ])
  func `the layer, the seconds and the size of a difference are told`(
    old: String, new: String, words: String?
  ) async throws {
    let scratch = try Scratch()
    let run = try await Self.compare(old, new, in: scratch)
    guard let words else {
      // A gong after the end of its stage.
      #expect(run.status == 65 && run.err.contains("b.yaml:"), "\(run.err)")
      return
    }
    #expect(run.status == 1 && run.err.isEmpty && run.lines.contains { $0.hasPrefix(words) }, "\(run.out)")
  }

  @Test func `a missing gong is told with the first and the worst second`() async throws {
    let scratch = try Scratch()
    let gongs = "    gongs: [{sound: {generate: bell, decay: 0.25}, at: 10s}]\n"
    let run = try await Self.compare(gongs, "", in: scratch)
    let lines = run.lines.map(String.init)
    #expect(run.status == 1 && lines.count == 7, "\(run.out)")
    #expect(lines.first?.hasPrefix("different: residual -") == true)
    #expect(lines.dropFirst().first == "A is \(scratch.path("a.yaml")), B is \(scratch.path("b.yaml"))")
    #expect(lines.contains { $0.hasPrefix("first: 22.00") && $0.contains(" s (stage 'Sitting'), -") }, "\(run.out)")
    #expect(lines.contains { $0.hasPrefix("worst: the second from 22 s (stage 'Sitting'), -") })
    #expect(lines.contains("music: the same") && lines.contains("overlays: the same"))
    #expect(lines.last?.hasPrefix("gongs: only A has sound from 22.0 to 2") == true)
  }

  @Test func `a terminal shows what is being done, and how much of it`() async throws {
    let scratch = try Scratch()
    let a = try scratch.write("a.yaml", Self.session)
    let b = try scratch.write("b.yaml", Self.session.replacing("at: 10s", with: "at: 11s"))
    let terminal = try Terminal(columns: 100)
    let run = try await Prosper.run(["compare", a, b], environment: ["TERM": "xterm"], in: scratch, on: terminal)
    let text = try await onOwnThread { try terminal.hangUp() }
    #expect(run.status == 1)
    for words in ["comparing · ", "looking for a shift · ", "comparing with the shift · "] {
      #expect(text.contains(words), "\(text)")
    }
    #expect(text.contains("gongs: B is 1 s later from 22.0 to 2"))
  }

  @Test func `json is one object with the same facts`() async throws {
    let scratch = try Scratch()
    let run = try await Self.compare("by: -9dB", "by: -12dB", ["--json"], in: scratch)
    #expect(run.status == 1 && run.lines.count == 1 && run.out.hasPrefix(#"{"v":1,"a":""#), "\(run.out)")
    let line = try JSONSerialization.jsonObject(with: Data(run.out.utf8)) as? [String: Any] ?? [:]
    #expect(line["same"] as? Bool == false && line["sampleRate"] as? Int == 8_000)
    #expect(line["secondsA"] as? Double == 30 && line["addedSeconds"] as? Double == 0 && line["limit"] as? Int == -80)
    #expect(line["explanation"] is NSNull)
    let first = try #require(line["first"] as? [String: Any])
    #expect(first["stage"] as? String == "Sitting" && abs((first["second"] as? Double ?? 0) - 15.05) < 0.05)
    let layers = try #require(line["layers"] as? [[String: Any]])
    #expect(layers.map { $0["name"] as? String } == ["music", "overlays", "gongs"])
    #expect(layers.map { $0["same"] as? Bool } == [false, true, true])
    let span = try #require((layers[0]["spans"] as? [[String: Any]])?.first)
    #expect(span["from"] as? Double == 15 && span["kind"] as? String == "level")
    #expect(span["stage"] as? String == "Sitting")
    #expect(abs((span["gain"] as? Double ?? 0) + 3) < 0.05)
    let same = try await Self.compare("by: -9dB", "by: -9.0dB", ["--json"], in: scratch)
    #expect(same.status == 0 && same.out.contains(#""same":true"#) && same.out.contains(#""residual":null"#))
  }

  @Test func `the difference as a file, added to B, is A`() async throws {
    let scratch = try Scratch()
    let (a, b, diff) = (scratch.path("a.wav"), scratch.path("b.wav"), scratch.path("diff.wav"))
    let compared = try await Self.compare("at: 3s", "at: 5s", ["--diff", diff], in: scratch)
    #expect(compared.status == 1, "\(compared.err)")
    for (session, file) in [("a.yaml", a), ("b.yaml", b)] {
      let words = ["play", scratch.path(session), "-q", "-o", file, "--encoding", "f32"]
      #expect(try await Prosper.run(words, in: scratch).status == 0)
    }
    let waves = try [a, b, diff].map { try FloatWave(at: $0) }
    #expect(waves.map(\.rate) == [8_000, 8_000, 8_000] && waves.allSatisfy { $0.frames.count == 240_000 })
    let sums = zip(waves[1].frames, waves[2].frames).map { $0 + $1 }
    #expect(zip(sums, waves[0].frames).allSatisfy { abs($0.left - $1.left) < 1e-6 && abs($0.right - $1.right) < 1e-6 })
    #expect(try scratch.names().allSatisfy { !$0.hasSuffix(".part") })
  }

  @Test func `the page needs no other file and no script, and follows the colour scheme`() async throws {
    let scratch = try Scratch()
    let page = scratch.path("r.html")
    let run = try await Self.compare("name: Sitting", "name: Sitting & <b>", ["--report", page], in: scratch)
    #expect(run.status == 0)
    let other = try await Self.compare("by: -9dB", "by: -12dB", ["--report", page], in: scratch)
    #expect(other.status == 1, "\(other.err)")
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("B is 3.0 dB softer from 15.0 to 19.3 s") && html.contains("prefers-color-scheme:dark"))
    #expect(html.components(separatedBy: "<svg").count == 5 && html.hasSuffix("</html>\n"))
    for word in ["<script", "http:", "https:", "<link", "<img", "<b>"] { #expect(!html.contains(word), "\(word)") }
    let program = """
      import sys
      from html.parser import HTMLParser
      class Reader(HTMLParser):
        stack = []
        def handle_starttag(self, tag, attrs):
          if tag not in ('meta',): self.stack.append(tag)
        def handle_startendtag(self, tag, attrs): pass
        def handle_endtag(self, tag): assert self.stack.pop() == tag, tag
      reader = Reader()
      reader.feed(open(sys.argv[1]).read())
      assert reader.stack == [], reader.stack
      """
    _ = try output(of: "/usr/bin/python3", ["-c", program, page], environment: [:], mustSucceed: true)
  }

  @Test func `names are escaped in the page and in the text`() async throws {
    let scratch = try Scratch()
    let a = try scratch.write("a <b>&.yaml", Self.session)
    let b = try scratch.write("b\u{1B}[1m.yaml", Self.session.replacing("name: Arrive", with: "name: \"<i>\""))
    let page = scratch.path("r.html")
    let run = try await Prosper.run(["compare", a, b, "--residual", "-200", "--report", page], in: scratch)
    #expect(run.status == 0, "\(run.err)")
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("a &lt;b&gt;&amp;.yaml") && !html.contains("\u{1B}") && !html.contains("<i>"))
    let louder = try scratch.write("c\u{1B}[1m.yaml", Self.session.replacing("-3dB", with: "-2dB"))
    let different = try await Prosper.run(["compare", a, louder], in: scratch)
    #expect(different.status == 1 && !different.out.contains("\u{1B}"), "\(different.out)")
  }

  @Test func `files are converted to the rate of the first, and sessions rendered at that of a file`() async throws {
    let scratch = try Scratch()
    for (name, rate) in [("a.wav", 48_000), ("b.wav", 44_100)] {
      let tone = (0..<rate).map { index in
        let fade = sin(.pi * Double(index) / Double(rate))
        return Frame(mono: Float(0.5 * fade * fade * sin(2 * .pi * 440 * Double(index) / Double(rate))))
      }
      try Data(TestWave.float(tone, rate: rate)).write(to: URL(fileURLWithPath: scratch.path(name)))
    }
    for words in [["a.wav", "b.wav"], ["b.wav", "a.wav"]] {
      let run = try await Prosper.run(["compare"] + words.map { scratch.path($0) }, in: scratch)
      #expect(run.status == 0, "\(run.out)")
    }
    let session = try scratch.write("s.yaml", "{prosper: 1, title: t, stages: [{name: A, tracks: [a.wav]}]}")
    for words in [[session, scratch.path("b.wav")], [scratch.path("b.wav"), session]] {
      let run = try await Prosper.run(["compare", "--json"] + words, in: scratch)
      #expect(run.status == 0 && run.out.contains(#""sampleRate":44100,"#), "\(run.out)")
    }
  }

  @Test func `each fault has its exit code and one line`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let open = try scratch.write("o.yaml", Self.session.replacing("duration: 18s", with: "duration: open"))
    let wrong = try scratch.write("w.yaml", Self.session.replacing("stages:", with: "stagse:"))
    let text = try scratch.write("t.wav", "not a sound at all, although its name says so")
    let missing = scratch.path("no.flac")
    _ = try await Self.render("n.wav", in: scratch)
    let cases: [([String], Int32, String)] = [
      ([session], 64, "missing expected argument '<b>'"),
      ([session, session, "--residual", "3"], 64, "--residual must be a number of dBFS from -200 to 0"),
      (
        [scratch.path("n.wav"), scratch.path("n.wav"), "--diff", scratch.path("n.wav")], 64,
        "is a file that is compared; choose another name"
      ),
      ([session, session, "--report", session], 64, "is a file that is compared; choose another name"),
      ([session, session, "--diff", scratch.path("d.flac")], 64, "write .wav, .aiff or .caf"),
      (
        [session, session, "--diff", scratch.path("d.wav"), "--report", scratch.path("d.wav")], 64,
        "is also written by this command"
      ),
      (["-", "-"], 64, "stdin can be read only once"),
      ([session, wrong], 65, "unknown key 'stagse'; did you mean 'stages'?"),
      ([session, text], 65, "t.wav: is not in a supported format"),
      ([missing, session], 66, "no.flac: no such file; check the path"),
      ([session, scratch.path("no.yaml")], 66, "no.yaml: no such file"),
      ([session, open], 64, "stage 'Sitting' is open, so the session has no end; give it a duration"),
      ([session, session, "--diff", scratch.path("no/d.wav")], 73, "can't be created"),
      ([session, session, "--report", scratch.path("no/r.html")], 73, "can't be created"),
    ]
    for (words, status, message) in cases {
      let run = try await Prosper.run(["compare"] + words, in: scratch)
      #expect(run.status == status && run.err.contains(message), "\(words): \(run.status) \(run.err)")
    }
  }

  @Test func `a damaged file is compared, told, and the exit code is 65`() async throws {
    let scratch = try Scratch()
    let file = try await Self.render("a.flac", in: scratch)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let cut = scratch.path("cut.flac")
    try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut))
    let run = try await Prosper.run(["compare", file, cut], in: scratch)
    #expect(run.status == 65 && run.out.hasPrefix("different: "))
    #expect(run.err.contains("cut.flac: is damaged"), "\(run.err)")
  }
}
