import Player
import Schedule

/// Measures the cost of commands and events without their work: one line each, in nanoseconds and in empty calls.
@main
enum ControlBench {
  static func main() async {
    let quick = Stopwatch(calls: 10_000)
    let slow = Stopwatch(calls: 300)
    let empty = quick.measure { keep(()) }
    let rows = [
      ("empty call", empty),
      ("PlayerState, created", created(quick)),
      ("PlayerState, validated", validated(quick)),
      ("event to a JSON line", written(slow)),
      ("published to ten readers, none waiting", published(slow)),
      ("published to ten readers, each waiting", await awaited(Stopwatch(calls: 200))),
      ("empty call of an actor", await calledOfActor(slow)),
      ("operation of the queue, without metrics", await performed(slow, metrics: false)),
      ("operation of the queue, with metrics", await performed(slow, metrics: true)),
    ]
    print(pad("", 42) + "     ns     empty calls")
    for (name, nanoseconds) in rows {
      print(pad(name, 42) + number(nanoseconds, width: 9) + number(nanoseconds / empty, width: 12))
    }
    print("bytes: a PlayerState \(MemoryLayout<PlayerState>.size), an event \(MemoryLayout<StampedEvent>.size)")
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func number(_ value: Double, width: Int) -> String {
    let tenths = Int((value * 10).rounded())
    let text = "\(tenths / 10).\(tenths % 10)"
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

extension ControlBench {
  private static let first = TrackInfo(id: TrackID(trackPlay: 1), title: "rain on the roof", duration: 600)
  private static let second = TrackInfo(id: TrackID(trackPlay: 2), title: "a bowl, and another", duration: 480)
  private static let crossfade = PlayerState.crossfading(from: first, to: second, progress: 0.47)

  private static func created(_ watch: Stopwatch) -> Double {
    let (from, to) = (first, second)
    return watch.measure { keep(PlayerState.crossfading(from: from, to: to, progress: hide(0.47))) }
  }

  private static func validated(_ watch: Stopwatch) -> Double {
    let state = hide(crossfade)
    return watch.measure { keep(state.defect == nil) }
  }

  private static var event: StampedEvent {
    StampedEvent(run: 12.345, session: 10.021, stage: "Arrive", event: .state(crossfade, previous: "playing"))
  }

  private static func written(_ watch: Stopwatch) -> Double {
    let event = hide(event)
    return watch.measure { keep(event.json(sequence: 12_345)) }
  }

  private static func published(_ watch: Stopwatch) -> Double {
    let events = Multicast<StampedEvent>()
    let readers = (0..<10).map { _ in events.reader(.bufferingNewest(64)) }
    let event = hide(event)
    defer { keep(readers) }
    return watch.measure { events.publish(event) }
  }

  /// The cost of publishing for the publishing thread, while others receive the values.
  private static func awaited(_ watch: Stopwatch) async -> Double {
    let events = Multicast<StampedEvent>()
    let tasks = (0..<10).map { _ in
      let reader = events.reader(.bufferingNewest(64))
      return Task { for await delivery in reader { keep(delivery) } }
    }
    let event = hide(event)
    let nanoseconds = watch.measure { events.publish(event) }
    events.finish()
    for task in tasks { await task.value }
    return nanoseconds
  }

  private actor Nobody {
    func nothing() {}
  }

  private static func calledOfActor(_ watch: Stopwatch) async -> Double {
    let nobody = Nobody()
    return await watch.measure { await nobody.nothing() }
  }

  private static func performed(_ watch: Stopwatch, metrics: Bool) async -> Double {
    let queue = AsyncOperationQueue(metrics: metrics)
    return await watch.measure { keep(await queue.perform([Operation(name: "nothing") { _ in .done }])) }
  }
}
