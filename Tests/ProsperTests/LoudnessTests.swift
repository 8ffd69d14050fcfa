import Foundation
import Signal
import TestSupport
import Testing

/// Levelled sessions and `measure`, compared with the measurements of ffmpeg.
struct LoudnessTests {
  /// The integrated loudness in LUFS that ffmpeg measures, of a part in seconds.
  private static func loudness(of file: String, from start: Double = 0, to end: Double? = nil) throws -> Double {
    let span = ["-ss", "\(start)"] + (end.map { ["-to", "\($0)"] } ?? [])
    let filter = "ebur128=framelog=verbose"
    let run = try ffmpeg(["-hide_banner", "-nostats"] + span + ["-i", file, "-af", filter, "-f", "null", "-"])
    let line = run.split(separator: "\n").last { $0.contains("I:") && $0.contains("LUFS") }
    return try #require(line.flatMap { Double($0.split(separator: " ")[1]) }, "\(run)")
  }

  private static func make(_ file: String, _ options: [String]) throws {
    _ = try ffmpeg(["-v", "error", "-y"] + options + [file])
  }

  /// What ffmpeg prints on stdout and stderr.
  private static func ffmpeg(_ words: [String]) throws -> String {
    let script = #"exec /usr/bin/ffmpeg "$@" 2>&1"#
    return try output(of: "/bin/sh", ["-c", script, "sh"] + words, environment: [:], mustSucceed: true)
  }

  /// The files of a teacher: a quiet phone memo and a loud studio voice, mono and stereo, m4a, music and a bell.
  private static func recordings(in scratch: Scratch) throws {
    let voice = "anoisesrc=r=44100:c=pink:d=6:seed=3,lowpass=3000,tremolo=f=4:d=0.8"
    try make(scratch.path("memo.m4a"), ["-f", "lavfi", "-i", voice + ",volume=-34dB", "-ac", "1"])
    try make(scratch.path("studio.flac"), ["-f", "lavfi", "-i", voice + ",volume=8dB", "-ac", "2"])
    try make(scratch.path("phone.mp3"), ["-f", "lavfi", "-i", voice + ",volume=-20dB", "-ac", "1", "-ar", "22050"])
    let music = "sine=220:r=48000:d=60,tremolo=f=0.3:d=0.5,volume=-10dB"
    try make(scratch.path("music.ogg"), ["-f", "lavfi", "-i", music, "-ac", "2", "-c:a", "libvorbis"])
  }

  @Test func `every voice of a levelled session has its loudness within half a unit`() async throws {
    let scratch = try Scratch()
    try Self.recordings(in: scratch)
    // The music is silent during the voices, which are measured one by one.
    let session = try scratch.write(
      "s.yaml",
      """
      prosper: 1
      title: Teacher
      loudness: {music: -30, overlays: -20, gongs: -26}
      stages:
        - name: Voices
          duration: 30s
          overlays: [{sound: memo.m4a, at: 0}, {sound: studio.flac, at: 10s}, {sound: phone.mp3, at: 20s}]
        - name: Music
          duration: 20s
          tracks: [music.ogg]
        - name: Bell
          duration: 30s
          gongs: [{sound: "generate:bowl", at: start}]
      """)
    let out = scratch.path("out.flac")
    let run = try await Prosper.run(["play", session, "-o", out], in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    for start in [0.0, 10, 20] {
      let level = try Self.loudness(of: out, from: start, to: start + 6)
      #expect(abs(level + 20) <= 0.5, "the voice at \(start) s has \(level) LUFS")
    }
    #expect(abs(try Self.loudness(of: out, from: 30, to: 50) + 30) <= 0.5)
    let check = try await Prosper.run(["check", "--strict", session], in: scratch)
    #expect(check.status == 0 && check.out.isEmpty, "\(check.out)")
    let unlevelled = try scratch.write(
      "u.yaml", try String(contentsOfFile: session, encoding: .utf8).replacing(#/loudness: .*\n/#, with: ""))
    let warned = try await Prosper.run(["check", "--strict", unlevelled], in: scratch)
    #expect(warned.status == 65 && warned.out.contains("softer than 'studio.flac'"), "\(warned.out)")
    try await Self.checkShown(session, in: scratch)
  }

  /// Every sound reaches the loudness of its layer by the gain that `show` states.
  private static func checkShown(_ session: String, in scratch: Scratch) async throws {
    let shown = try await Prosper.run(["show", session, "--json"], in: scratch)
    let sounds = try #require(
      (try JSONSerialization.jsonObject(with: Data(shown.out.utf8)) as? [String: Any])?["sounds"] as? [[String: Any]])
    #expect(sounds.count == 5)
    for sound in sounds {
      let (layer, loudness, gain) = (sound["layer"] as? String, sound["loudness"] as? Double, sound["gain"] as? Double)
      let target = ["music": -30.0, "overlays": -20, "gongs": -26][layer ?? ""]
      #expect(abs((loudness ?? 0) + (gain ?? 0) - (target ?? 0)) < 0.002, "\(sound)")
    }
  }

  @Test func `the loudness of a file is measured once, and again after it has changed`() async throws {
    let scratch = try Scratch()
    let wave = URL(fileURLWithPath: scratch.path("a.wav"))
    func write(amplitude: Double) throws {
      let sine = TestSound.sine(1_000, rate: 48_000, count: 96_000, amplitude: amplitude)
      try Data(TestWave.stereo(sine, rate: 48_000)).write(to: wave)
      // A file that has just been changed is not cached.
      let past = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -60)]
      try FileManager.default.setAttributes(past, ofItemAtPath: wave.path)
    }
    let session = try scratch.write(
      "s.yaml", "{prosper: 1, title: t, stages: [{name: A, tracks: [a.wav]}]}")
    try write(amplitude: 0.1)
    let first = try await Prosper.run(["show", session], in: scratch)
    #expect(first.out.contains("track    a.wav  -20.0 LUFS"), "\(first.out)")
    try write(amplitude: 0.2)
    let second = try await Prosper.run(["show", session], in: scratch)
    #expect(second.out.contains("track    a.wav  -14.0 LUFS"), "\(second.out)")
  }

  @Test func `measure prints the levels of files and of each stage of a session, and what a target asks`() async throws
  {
    let scratch = try Scratch()
    let sine = TestSound.sine(1_000, rate: 48_000, count: 240_000, amplitude: pow(10, -23.0 / 20))
    let mono = TestWave.float(sine.map(\.left), channels: 1, rate: 48_000)
    try Data(mono).write(to: URL(fileURLWithPath: scratch.path("mono.wav")))
    let session = try scratch.write(
      "s.yaml",
      "{prosper: 1, title: t, sampleRate: 48000, stages: [{name: A, tracks: [mono.wav]}, {name: B, duration: 4s}]}")
    let run = try await Prosper.run(["measure", "--json", scratch.path("mono.wav"), session], in: scratch)
    let lines = try run.lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
    #expect(run.status == 0 && lines.count == 2, "\(run.err)")
    let levels = lines.map { $0["integrated"] as? Double ?? 0 }
    #expect(abs(levels[0] + 26) < 0.01 && lines[0]["channels"] as? Int == 1)
    #expect(abs(levels[1] + 22.99) < 0.2 && lines[1]["channels"] as? Int == 2)
    #expect(lines[1]["longestSilence"] as? Double == 4)
    let stages = try #require(lines[1]["stages"] as? [[String: Any]])
    #expect(stages.map { $0["name"] as? String } == ["A", "B"])
    #expect(stages.map { $0["seconds"] as? Double } == [5, 4])
    #expect(abs((stages[0]["integrated"] as? Double ?? 0) + 22.99) < 0.01 && stages[1]["integrated"] is NSNull)
    let target = try await Prosper.run(["measure", "--target", "podcast-mono", scratch.path("mono.wav")], in: scratch)
    #expect(target.status == 1)
    #expect(
      target.err == "\(scratch.path("mono.wav")): podcast-mono: the loudness is -26.0 LUFS instead of -19.0 LUFS\n")
    #expect(try await Prosper.run(["measure", "--target", "ebu-r128", session], in: scratch).status == 0)
    let missing = try await Prosper.run(["measure", scratch.path("no.wav")], in: scratch)
    #expect(missing.status == 66 && missing.err.hasSuffix("no.wav: no such file; check the path\n"))
    let unknown = try await Prosper.run(["measure", "--target", "podcasts", session], in: scratch)
    #expect(unknown.status == 64 && unknown.err.contains("did you mean 'podcast'?"))
  }

  @Test(arguments: ["wav", "flac", "mp3", "opus", "ogg"])
  func `a levelled file has its loudness and its peak when it is decoded`(format: String) async throws {
    let scratch = try Scratch()
    // Loud strikes over soft rain: the limiter has to work.
    let session = try scratch.write(
      "s.yaml",
      """
      prosper: 1
      title: Loud
      stages:
        - name: A
          duration: 20s
          tracks: [{generate: rain, volume: -12dB}]
          gongs: [{sound: "generate:bowl", every: 4s}]
      """)
    let file = scratch.path("out." + format)
    let run = try await Prosper.run(
      ["play", session, "-o", file, "--loudness", "-14", "--true-peak", "-2", "--events", "off"], in: scratch)
    #expect(run.status == 0 && run.err.contains("-14.0 LUFS") && run.err.contains("largest reduction"), "\(run.err)")
    #expect(abs(try Self.loudness(of: file) + 14) <= 0.1)
    let measured = try await Prosper.run(["measure", "--json", file], in: scratch)
    let levels = try JSONSerialization.jsonObject(with: Data(measured.out.utf8)) as? [String: Any] ?? [:]
    let peak = try #require(levels["truePeak"] as? Double)
    #expect(peak <= -2 && -4 < peak, "\(peak)")
    // Nothing else is left in the folder.
    #expect(try scratch.names().filter { $0.hasSuffix(".part") } == [])
  }

  @Test(arguments: ["mp3", "opus", "flac"])
  func `a limiter that takes most of the gain away still leads to the loudness`(format: String) async throws {
    let scratch = try Scratch()
    try Self.make(
      scratch.path("g.wav"),
      [
        "-f", "lavfi", "-i", "anoisesrc=d=60:c=pink:a=0.4:seed=3:r=48000", "-af",
        "volume='if(lt(t,20),1,0.29)':eval=frame",
      ])
    let session = try scratch.write(
      "g.yaml", "{prosper: 1, title: t, stages: [{name: A, tracks: [g.wav], duration: 60s}]}")
    let file = scratch.path("x." + format)
    let run = try await Prosper.run(["play", session, "-o", file, "--loudness", "-10", "--events", "off"], in: scratch)
    #expect(run.status == 0 && run.err.contains("-10.0 LUFS"), "\(run.err)")
    #expect(abs(try Self.loudness(of: file) + 10) <= 0.1)
  }

  @Test func `tags and pictures are no bit rate, and a place of publication keeps its format`() async throws {
    let scratch = try Scratch()
    try Self.make(
      scratch.path("cover.png"), ["-f", "lavfi", "-i", "nullsrc=s=200x200,geq=random(1)*255:128:128", "-frames:v", "1"])
    let text = "{prosper: 1, title: t, cover: cover.png, stages: [{name: A, tracks: ['generate:rain'], duration: 20s}]}"
    let (session, file) = (try scratch.write("c.yaml", text), scratch.path("c.mp3"))
    let play = ["play", session, "-o", file, "--for", "insight-timer", "--events", "off"]
    #expect(try await Prosper.run(play, in: scratch).status == 0)
    let size = try FileManager.default.attributesOfItem(atPath: scratch.path("cover.png"))[.size] as? Int ?? 0
    #expect(20_000 < size, "the picture is more than a twentieth of the file")
    let measured = try await Prosper.run(["measure", "--target", "insight-timer", file], in: scratch)
    #expect(measured.status == 0, "\(measured.err)")
    for options in [["--rate", "44100"], ["--quality", "2"], ["--bitrate", "64k"]] {
      let run = try await Prosper.run(play + options, in: scratch)
      #expect(run.status == 64 && run.err.contains("has a format of its own; leave \(options[0]) out"), "\(run.err)")
    }
  }

  @Test func `a largest peak alone changes no loudness but that of the peaks`() async throws {
    let scratch = try Scratch()
    // A tone of -20 dBFS, in which one of a hundred periods has -1 dBFS.
    let tone = (0..<480_000).map { index in
      let amplitude = index / 48 % 100 == 0 ? pow(10, -1.0 / 20) : 0.1
      return amplitude * sin(2 * Double.pi * 1_000 * Double(index) / 48_000)
    }
    try Data(TestWave.float(tone.flatMap { [Float($0), Float($0)] }, channels: 2, rate: 48_000))
      .write(to: URL(fileURLWithPath: scratch.path("a.wav")))
    let session = try scratch.write(
      "s.yaml", "{prosper: 1, title: t, stages: [{name: A, tracks: [a.wav], repeat: 'off'}]}")
    for (peak, limited) in [(-6.0, true), (-0.5, false)] {
      let file = scratch.path("out.wav")
      let run = try await Prosper.run(
        ["play", session, "-o", file, "--true-peak", "\(peak)", "--encoding", "f32", "--events", "off"], in: scratch)
      #expect(run.status == 0 && run.err.contains("gain +0.0 dB"), "\(run.err)")
      #expect(run.err.contains("largest reduction") == limited, "\(run.err)")
      let measured = try await Prosper.run(["measure", "--json", file], in: scratch)
      let levels = try #require(try JSONSerialization.jsonObject(with: Data(measured.out.utf8)) as? [String: Any])
      let truePeak = try #require(levels["truePeak"] as? Double)
      #expect(abs(truePeak - (limited ? peak : -1)) < 0.1, "\(measured.out)")
    }
  }

  @Test func `a place of publication gets its channels, rate, bit rate and levels`() async throws {
    let scratch = try Scratch()
    let wave = TestSound.sine(440, rate: 48_000, count: 480_000, amplitude: 0.05)
    try Data(TestWave.stereo(wave, rate: 48_000)).write(to: URL(fileURLWithPath: scratch.path("a.wav")))
    let session = try scratch.write(
      "s.yaml", "{prosper: 1, title: t, stages: [{name: A, tracks: [a.wav], duration: 12s, repeat: 'off'}]}")
    let file = scratch.path("book.mp3")
    let acx = try await Prosper.run(["play", session, "-o", file, "--for", "acx", "--events", "off"], in: scratch)
    #expect(acx.status == 0, "\(acx.err)")
    #expect(try await Prosper.run(["measure", "--target", "acx", file], in: scratch).status == 0)
    let mono = scratch.path("mono.flac")
    let made = try await Prosper.run(
      ["play", session, "-o", mono, "--channels", "1", "--rate", "44100", "--events", "off"], in: scratch)
    #expect(made.status == 0, "\(made.err)")
    let levels = try await Prosper.run(["measure", "--json", mono], in: scratch)
    #expect(levels.out.contains(#""sampleRate":44100,"seconds":12.000,"channels":1"#), "\(levels.out)")
    // Rain is a noise floor that ACX does not accept, which is told, although the file is written.
    let rain = try scratch.write(
      "r.yaml", "{prosper: 1, title: t, stages: [{name: A, duration: 5s, tracks: ['generate:rain']}]}")
    let noisy = try await Prosper.run(["play", rain, "-o", file, "--for", "acx", "--events", "off"], in: scratch)
    #expect(noisy.status == 1 && noisy.err.contains("does not meet acx: the noise floor is -"), "\(noisy.err)")
  }

  @Test(arguments: [
    (["--loudness", "-16"], "need an output file; add --output FILE.flac"),
    (["--loudness", "-16", "-o", "a.wav", "-o", "null"], "need a single output; leave the others out"),
    (["--loudness", "3", "-o", "a.wav"], "--loudness must be a number of LUFS from -60 to -5"),
    (["--true-peak", "1", "-o", "a.wav"], "--true-peak must be a number of dBTP from -20 to 0"),
    (["--channels", "3", "-o", "a.wav"], "--channels must be 1 or 2"),
    (["--for", "acx", "-o", "a.wav"], "--for acx needs an MP3 file; write --output FILE.mp3"),
    (["--for", "radio", "-o", "a.wav"], "there is no target 'radio'"),
    (["--rate", "44100", "-o", "a.opus"], "its format has no sample rate of 44100 Hz; the next is 48000 Hz"),
  ])
  func `a form that a file can't have is refused before the render`(options: [String], words: String) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", "{prosper: 1, title: t, stages: [{name: A, duration: 5s}]}")
    let options = options.map { $0.hasPrefix("a.") ? scratch.path($0) : $0 }
    let run = try await Prosper.run(["play", session] + options, in: scratch)
    #expect(run.status == 64 && run.err.contains(words), "\(run.err)")
  }

  @Test func `a silent session, and a loudness beyond the limiter, are refused, and nothing is written`() async throws {
    let scratch = try Scratch()
    let silent = try scratch.write("s.yaml", "{prosper: 1, title: t, stages: [{name: A, duration: 5s}]}")
    let bells = try scratch.write(
      "b.yaml",
      "{prosper: 1, title: t, stages: [{name: A, duration: 5s, gongs: [{sound: 'generate:wood', at: start}]}]}")
    let file = scratch.path("a.wav")
    let first = try await Prosper.run(["play", silent, "-o", file, "--loudness", "-16"], in: scratch)
    #expect(first.status == 74, "\(first.err)")
    #expect(
      first.err.hasSuffix(
        "the session is silent, so no gain gives it -16.0 LUFS; add sound, or ask for no loudness\n"), "\(first.err)")
    let second = try await Prosper.run(
      ["play", bells, "-o", file, "--loudness", "-6", "--true-peak", "-15"], in: scratch)
    #expect(second.status == 74 && second.err.contains("the limiter can't reach -6.0 LUFS"), "\(second.err)")
    let reached = try #require(second.err.firstMatch(of: /only (-[0-9.]+) LUFS/).flatMap { Double($0.1) })
    #expect(-40 < reached && reached < -6, "\(second.err)")
    #expect(try scratch.names().allSatisfy { !$0.hasPrefix("a.wav") && !$0.hasSuffix(".part") })
  }
}
