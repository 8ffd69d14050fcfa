import Foundation
import Signal
import TestSupport
import Testing

/// Sessions of usual length, and longer ones.
@Suite struct LongSessionTests {
  static let rate = 24_000

  /// Half an hour of recordings in three sample rates and formats, a voice that ducks them, and bells.
  private static let session = """
    prosper: 1
    title: Half an hour
    sampleRate: \(rate)
    fadeIn: 2s
    fadeOut: 5s
    crossfade: {duration: 6s, curve: equalPower}
    stages:
      - name: Arrive
        duration: 10m
        tracks: [low.mp3, mono.wav, high.flac]
        overlays: [{sound: mono.wav, at: 1m, volume: -3dB, fadeIn: 1s, fadeOut: 1s, duck: {by: -9dB}, repeat: {times: 5, delay: 30s}}]
      - name: Sit
        duration: 20m
        crossfade: 20s
        tracks: [high.flac, low.mp3]
        gongs: [{sound: bell.wav, at: [start, end]}, {sound: bell.wav, every: 90s, strikes: 3, spacing: 700ms}]
    """

  @Test func `half an hour of recordings has no gap, no click and no sample above full scale`() async throws {
    let scratch = try Scratch()
    try await makeRecordings(in: scratch)
    let session = try scratch.write("s.yaml", Self.session)
    let fifo = scratch.path("sound")
    #expect(mkfifo(fifo, 0o600) == 0)
    let listening = Background { try SoundCheck(reading: fifo, window: Self.rate / 10) }
    let run = try await Prosper.run(
      [Prosper.executable.path, "play", session, "-o", "-", "--encoding", "f32", "--events", "off"], in: scratch,
      program: ["/bin/sh", "-c", "exec \"$0\" \"$@\" > \(fifo)"])
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let heard = try await onOwnThread { try listening.value() }
    // The last bell plays to its end after the last stage.
    #expect(heard.count == 1_803 * Self.rate)
    #expect(0.9 < heard.peak && heard.peak <= 1)
    // The steepest slopes of two recordings in an equal-power crossfade, the voice and three bells, added up.
    #expect(heard.largestStep < 0.1)
    #expect(heard.quietest(from: 20, to: 17_950) > 0.1)
  }

  /// Sums of low sines that are never silent and never steep, so that a steep place in the mix is a click.
  private func makeRecordings(in scratch: Scratch) async throws {
    for (name, rate, channels) in [("low", 24_000, 2), ("mono", 44_100, 1), ("high", 48_000, 2)] {
      let samples = (0..<40 * rate).flatMap { frame in
        let time = Double(frame) / Double(rate)
        let sample = Float(0.4 * sin(2 * .pi * 110 * time) * (1 + 0.1 * sin(time)) + 0.1 * sin(2 * .pi * 220 * time))
        return channels == 1 ? [sample] : [sample, -0.9 * sample]
      }
      try write(TestWave.float(samples, channels: channels, rate: rate), to: scratch.path("\(name).wav"))
    }
    let bell = (0..<3 * 48_000).map { frame in
      let time = Double(frame) / 48_000
      return Float(0.5 * min(1, 50 * time) * exp(-2 * time) * sin(2 * .pi * 330 * time))
    }
    try write(TestWave.float(bell, channels: 1, rate: 48_000), to: scratch.path("bell.wav"))
    let lame = try await Prosper.run(
      [scratch.path("low.wav"), scratch.path("low.mp3")], program: ["/usr/bin/lame", "-S"])
    #expect(lame.status == 0)
    let whole = try scratch.write(
      "high.json",
      #"{"prosper": 1, "title": "T", "sampleRate": 48000, "stages": [{"name": "A", "tracks": ["high.wav"]}]}"#)
    let flac = try await Prosper.run(["play", whole, "-o", scratch.path("high.flac")], in: scratch)
    #expect(flac.status == 0)
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  @Test func `a session of a day takes no more memory than one of an hour`() async throws {
    let scratch = try Scratch()
    func session(hours: Int) -> String {
      """
      prosper: 1
      title: Long
      sampleRate: 8000
      stages:
        - name: A
          duration: \(hours)h
          crossfade: 1s
          tracks: [{generate: beep, length: 3}, {generate: bowl}]
          gongs: [{sound: "generate:wood", every: 5m}]
      """
    }
    let peaks = [
      try await peakMemory(of: session(hours: 1), in: scratch),
      try await peakMemory(of: session(hours: 24), in: scratch),
    ]
    #expect(0 < peaks[0] && Double(peaks[1]) <= 1.3 * Double(peaks[0]), "\(peaks) kB")
  }

  /// Only what sounds needs a decoder and a place in the plan. The rest is what the file says, in the session and in its
  /// layout.
  @Test func `ten thousand gongs take little memory until they sound`() async throws {
    let scratch = try Scratch()
    func session(gongs: Int) -> String {
      let list = (0..<gongs).map { "{sound: \"generate:wood\", at: \(Double($0) / 10)}" }
      return "{prosper: 1, title: Many, sampleRate: 8000, stages: [{name: A, duration: 20m, gongs: "
        + "[\(list.joined(separator: ", "))]}]}"
    }
    let few = try await peakMemory(of: session(gongs: 1), in: scratch)
    let many = try await peakMemory(of: session(gongs: 10_000), in: scratch)
    #expect(0 < few && many - few < 35_000, "\(few) and \(many) kB")
  }

  @Test func `fifty thousand strokes of one gong take no more memory than a few`() async throws {
    let scratch = try Scratch()
    func session(every interval: String) -> String {
      "{prosper: 1, title: Many, sampleRate: 8000, stages: [{name: A, duration: 1000s, gongs: "
        + "[{sound: \"generate:wood\", every: \(interval)}]}]}"
    }
    let few = try await peakMemory(of: session(every: "100s"), in: scratch)
    let many = try await peakMemory(of: session(every: "20ms"), in: scratch)
    #expect(0 < few && many - few < 20_000, "\(few) and \(many) kB")
  }

  /// The peak memory of a render, in kilobytes.
  private func peakMemory(of text: String, in scratch: Scratch) async throws -> Int {
    let session = try scratch.write("s.yaml", text)
    let measure = """
      import resource, subprocess, sys
      code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      sys.exit(code)
      """
    let run = try await Prosper.run(
      [Prosper.executable.path, "play", session, "-o", "null:fast"], in: scratch,
      program: ["/usr/bin/python3", "-c", measure])
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    return Int(run.lines.last ?? "") ?? 0
  }
}

/// Measures raw 32-bit stereo sound, piece by piece.
private struct SoundCheck {
  private(set) var count = 0
  private(set) var peak: Float = 0
  /// The largest step from one frame to the next, on the left.
  private(set) var largestStep: Float = 0
  /// The peak of each window.
  private(set) var windows: [Float] = []
  private var last: Float = 0
  private var windowPeak: Float = 0
  private let window: Int

  /// Reads a FIFO to its end.
  init(reading path: String, window: Int) throws {
    self.window = window
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    var held = 0
    while case let got = bytes.withUnsafeMutableBytes({
      read(descriptor, $0.baseAddress?.advanced(by: held), $0.count - held)
    }),
      0 < got
    {
      held += got
      let whole = held / 8 * 8
      bytes.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[..<whole])) }
      for index in whole..<held { bytes[index - whole] = bytes[index] }
      held -= whole
    }
  }

  private mutating func take(_ bytes: UnsafeRawBufferPointer) {
    let samples = bytes.bindMemory(to: Float.self)
    var index = 0
    while index < samples.count {
      let (left, right) = (samples[index], samples[index + 1])
      largestStep = max(largestStep, abs(left - last))
      last = left
      windowPeak = max(windowPeak, max(abs(left), abs(right)))
      count += 1
      if count % window == 0 { endWindow() }
      index += 2
    }
  }

  private mutating func endWindow() {
    windows.append(windowPeak)
    peak = max(peak, windowPeak)
    windowPeak = 0
  }

  /// The lowest peak of a range of windows.
  func quietest(from first: Int, to end: Int) -> Float { windows[first..<end].min() ?? 0 }
}
