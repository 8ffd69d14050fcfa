import Engine
@testable import Player
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

/// Many readers of one player, while it plays, pauses, resumes and stops.
@Suite struct ReadersTests {
  let library = TestLibrary(["A": .constant(0.1, length: 80_000), "B": .constant(0.2, length: 80_000)])

  private var session: Programme {
    let shape = FadeShape(length: 16_000, curve: .equalPower)
    let tracks = [track("A", 80_000), track("B", 80_000)]
    return programme([Programme.Stage("S", tracks, for: .frames(144_000), crossfade: shape)])
  }

  private static let steps: [(Double, [Command])] = [
    (1, [.play]), (2, [.pause]), (3, [.resume]), (9, [.pause]), (10, [.resume]), (12, [.stop]),
  ]

  @Test func `a hundred readers receive the same events through play, pause, resume and stop`() async {
    let reported = Mutex<[String]>([])
    let player = AudioPlayerService(
      playing: session, from: library, into: CollectingSink(), script: TimedCommands(Self.steps)
    ) { event in reported.withLock { $0.append(event.json(sequence: 0)) } }
    let readers = (0..<100).map { _ in player.events(.bufferingNewest(10_000)) }
    // These never read, and delay nobody.
    let idlers = (0..<10).map { _ in player.events(.bufferingNewest(1)) }
    let received = await withTaskGroup(of: [String].self) { group in
      for reader in readers {
        group.addTask {
          var texts: [String] = []
          for await delivery in reader {
            texts.append(delivery.value.json(sequence: 0))
            #expect(delivery.number == texts.count)
          }
          return texts
        }
      }
      _ = await player.play()
      return await group.reduce(into: []) { $0.append($1) }
    }
    let expected = reported.withLock { $0 }
    let areSame = received.allSatisfy { $0 == expected }
    #expect(areSame && received.count == 100 && idlers.count == 10)
    #expect(expected.contains { $0.contains(#""state":"crossfadePaused""#) })
    #expect(expected.last?.contains(#""reason":"stopped""#) == true)
  }

  @Test func `a hundred readers that come and go block no command of a live player`() async {
    // The session must not end by itself, however long the commands take on a busy machine.
    var endless = session
    endless.stages[0].duration = .open
    endless.stages[0].playlist.repetition = .playlist
    let player = AudioPlayerService(playing: endless, from: library, into: NullSink(pace: .listener)) { _ in }
    let heard = await withTaskGroup(of: String?.self) { group in
      group.addTask {
        _ = await player.play()
        return nil
      }
      for number in 0..<100 {
        group.addTask {
          let reader = player.events(.bufferingNewest(1 + number))
          var last: String?
          for await delivery in reader {
            last = delivery.value.event.name
            if number % 2 == 0 { break }
          }
          return last
        }
      }
      group.addTask {
        for command in [Command.pause, .resume, .toggle, .resume, .stop] {
          #expect(await player.perform(command) == .done)
        }
        return nil
      }
      return await group.reduce(into: [String?]()) { $0.append($1) }
    }
    #expect(heard.compactMap { $0 }.contains("session.finished"))
    #expect(player.status.moment.state == "finished")
  }
}
