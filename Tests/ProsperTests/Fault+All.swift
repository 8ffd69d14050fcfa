import Foundation
import Glibc
import Signal
import TestSupport

extension Fault {
  static var all: [Fault] { sounds + remote + outputs + servers + players }

  /// One sample, a second and a half from the beginning, is not a number.
  private static let noNumber: [UInt8] = {
    var samples = FaultEnvironment.bed.map(\.left)
    samples[12_000] = .nan
    return TestWave.float(samples, channels: 1, rate: FaultEnvironment.rate)
  }()

  private static let half = TestWave.stereo(FaultEnvironment.bed, rate: FaultEnvironment.rate).prefix(44 + 4 * 12_000)

  private static let sounds: [Fault] = [
    Fault("a sound file is missing", heard: "nothing: the session does not start", isRefused) { ground in
      try FileManager.default.removeItem(atPath: ground.sound)
      return try await ground.render()
    },
    Fault("a sound file contains no sound", heard: "everything but that track", tellsNoTrack) { ground in
      try ground.put(Array("no sound at all".utf8))
      return try await ground.render()
    }.or("with `--lenient`") { ground in
      try ground.put(Array("no sound at all".utf8))
      return try await ground.render("--lenient")
    },
    Fault(
      "a sound file is cut short", heard: "the sound up to the cut, then silence until the next stage",
      {
        ground, _ in try ground.soundsUpTo(1.5)
      }
    ) { ground in
      try ground.put(Array(half))
      return try await ground.render()
    }.or("with `--lenient`") { ground in
      try ground.put(Array(half))
      return try await ground.render("--lenient")
    },
    Fault(
      "a sound file is damaged in the middle", heard: "everything; the damaged block is silent",
      {
        ground, _ in try ground.soundsBut(4_096)
      }
    ) { ground in
      try ground.put(await ground.damagedFLAC())
      return try await ground.render()
    }.or("with `--lenient`") { ground in
      try ground.put(await ground.damagedFLAC())
      return try await ground.render("--lenient")
    },
    Fault(
      "a sound file contains samples that are not numbers", heard: "everything; these samples are silent, with fades",
      {
        ground, _ in try ground.soundsBut(1)
      }
    ) { ground in
      try ground.put(noNumber)
      return try await ground.render()
    }.or("with `--lenient`") { ground in
      try ground.put(noNumber)
      return try await ground.render("--lenient")
    },
    Fault(
      "the disk or network of a sound file stops responding",
      heard: "a fade-out, then silence instead of the sound; all others play", isWhole
    ) { ground in
      let stall = ["STALLED_FILE": ground.sound, "STALLED_AFTER": "70000"]
      return try await ground.play("-o", "null", environment: Prosper.preloading(.stalledFile).merging(stall) { $1 })
    }.or("in a render, after half a minute") { ground in
      let stall = ["STALLED_FILE": ground.sound, "STALLED_AFTER": "70000"]
      return try await ground.play(
        "-o", ground.output, environment: Prosper.preloading(.stalledFile).merging(stall) { $1 })
    },
    Fault("a sound file is removed or replaced while it plays", heard: "the old file to its end", isWhole) {
      ground in
      try await ground.play("-o", "null") {
        $0.waitUntilItSays("\"track\"")
        unlink(ground.sound)
        try? ground.put(Array("another".utf8))
      }
    },
    Fault(
      "a sound file is overwritten while it plays",
      heard: "what was read before, a fade-out, then silence until the next stage",
      { _, run in run.ends("completed", played: 13) }
    ) { ground in
      try await ground.playOverwritten("-o", "null")
    }.or("with `--strict`") { ground in
      try await ground.playOverwritten("-o", "null", "--strict")
    },
  ]

  private static let outputs: [Fault] = [
    Fault("the disk is full", heard: "no file remains", isClean) { ground in
      try await ground.play("-o", ground.output, program: limited("ulimit -f 20"))
    },
    Fault("the folder of the output file is missing", heard: "no file remains", isClean) { ground in
      let folder = ground.scratch.path("gone")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      return try await ground.play("-o", folder + "/out.wav", program: limited("rmdir \(folder)"))
    },
    Fault("the reader of the sound on stdout exits", heard: "what it has read", isClean) { ground in
      try await ground.play("-o", "-", "--events", "off", program: limited("exec > >(head -c 1000 > /dev/null)"))
    },
    Fault("a FIFO has no reader", heard: "a later reader hears what plays from then on", isWhole) { ground in
      try await ground.play("-o", "pipe:" + ground.scratch.path("fifo")) {
        $0.waitUntilItSays("\"track\"")
        ground.wait.watch($0.pid)
      }
    }.holding(0.05),
  ]

  private static let players: [Fault] = [
    Fault(
      "prosper is killed, or the power fails", heard: "with `--resume`: the rest, from one second before",
      {
        _, run in (try run.events().first?["session"] as? Double ?? 0) > 0 && run.ends("completed")
      }
    ) { ground in
      // The rest is rendered without delay, and is long enough for a kill that comes late.
      let long = try String(contentsOfFile: ground.session, encoding: .utf8).replacing("1s", with: "60s")
      _ = try ground.scratch.write("s.yaml", long)
      let killed = try await ground.play("-o", "null") {
        $0.waitUntilItSays(#""session":2.000"#)
        $0.send(SIGKILL)
      }
      guard killed.status == -SIGKILL else { return killed }
      return try await ground.play("--resume", "-o", "null:fast")
    },
    Fault("Ctrl-C", heard: "a fade-out", { _, run in run.ends("interrupted") }) { ground in
      try await ground.play("-o", "null") {
        $0.waitUntilItSays("\"track\"")
        $0.send(SIGINT)
      }
    },
  ]

  private static let isRefused: @Sendable (FaultEnvironment, Prosper) -> Bool = { ground, run in
    run.out.isEmpty && ground.isClean
  }
  private static let isClean: @Sendable (FaultEnvironment, Prosper) -> Bool = { ground, _ in ground.isClean }
  private static let isWhole: @Sendable (FaultEnvironment, Prosper) -> Bool = { _, run in
    run.ends("completed", played: 4)
  }
  private static let tellsNoTrack: @Sendable (FaultEnvironment, Prosper) -> Bool = { _, run in
    run.ends("completed") && !run.out.contains(#""event":"track","stage":"One""#)
  }

  /// Runs prosper in a shell, after another command.
  private static func limited(_ command: String) -> [String] {
    ["/bin/bash", "-c", command + #"; exec "$@""#, "bash", Prosper.executable.path]
  }
}

extension Prosper {
  /// Whether the last event contains this reason and this played time.
  fileprivate func ends(_ reason: String, played: Double? = nil) -> Bool {
    guard let last = try? events().last else { return false }
    return last["reason"] as? String == reason && (played == nil || last["played"] as? Double == played)
  }
}
