@testable import Player
import Testing

@Suite struct MulticastTests {
  @Test func `each reader receives each value`() async {
    let numbers = Multicast<Int>()
    let (first, second) = (numbers.reader(), numbers.reader())
    for number in 1...5 { numbers.publish(number) }
    numbers.finish()
    #expect(await all(first) == [1, 2, 3, 4, 5])
    #expect(await all(second) == [1, 2, 3, 4, 5])
  }

  @Test func `a reader starts with the latest value if the multicast repeats it`() async {
    let states = Multicast<String>(repeatsLatest: true)
    states.publish("preparing")
    states.publish("playing")
    let reader = states.reader()
    states.publish("paused")
    states.finish()
    #expect(await all(reader) == ["playing", "paused"])
    #expect(await all(states.reader()) == ["paused"])
    let events = Multicast<String>()
    events.publish("gong")
    let late = events.reader()
    events.finish()
    #expect(await all(late) == [])
  }

  @Test func `a reader that never reads loses the oldest values and learns how many`() async {
    let numbers = Multicast<Int>()
    let reader = numbers.reader(.bufferingNewest(3))
    let patient = numbers.reader(.bufferingNewest(20_000))
    for number in 1...20_000 { numbers.publish(number) }
    numbers.finish()
    var deliveries: [(Int, Int)] = []
    for await delivery in reader { deliveries.append((delivery.value, delivery.number)) }
    #expect(deliveries.map(\.0) == [19_998, 19_999, 20_000])
    #expect(deliveries.map(\.1) == [19_998, 19_999, 20_000])
    #expect(await all(patient).count == 20_000)
  }

  @Test func `with a hundred readers and ten publishers at once, every value is delivered or counted as lost`() async {
    let numbers = Multicast<Int>()
    let readers = (0..<100).map { _ in numbers.reader() }
    let totals = await withTaskGroup(of: Int.self) { group in
      for reader in readers {
        group.addTask {
          var last = 0
          for await delivery in reader {
            #expect(last < delivery.number)
            last = delivery.number
          }
          return last
        }
      }
      await publish(by: 10, each: 500, into: numbers)
      numbers.finish()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(totals == Array(repeating: 5_000, count: 100))
  }

  @Test func `the values of one publisher keep their order`() async {
    let numbers = Multicast<Int>()
    let reader = numbers.reader(.bufferingNewest(4))
    let reading = Task {
      var heard: [Int] = []
      for await delivery in reader { heard.append(delivery.value) }
      return heard
    }
    for number in 0..<10_000 { numbers.publish(number) }
    numbers.finish()
    let heard = await reading.value
    #expect(zip(heard, heard.dropFirst()).allSatisfy(<) && heard.last == 9_999)
  }

  @Test func `a released reader is removed`() async {
    let numbers = Multicast<Int>()
    var reader: Multicast<Int>.Reader? = numbers.reader()
    let kept = numbers.reader()
    #expect(numbers.readerCount == 2 && reader != nil)
    reader = nil
    #expect(numbers.readerCount == 1)
    numbers.publish(1)
    numbers.finish()
    #expect(await all(kept) == [1])
  }

  @Test func `a cancelled task stops reading, whether it is waiting or not`() async {
    let numbers = Multicast<Int>()
    for isEarly in [true, false] {
      let waiting = Task { [reader = numbers.reader()] in await all(reader) }
      if !isEarly { await Task.yield() }
      waiting.cancel()
      #expect(await waiting.value == [])
    }
  }

  @Test func `readers end when the publisher is released`() async {
    var numbers: Multicast<Int>? = Multicast()
    let reading = Task { [reader = numbers?.reader()] in
      guard let reader else { return [-1] }
      return await all(reader)
    }
    numbers?.publish(7)
    numbers = nil
    #expect(await reading.value == [7])
  }

  @Test func `a value published after the end is not delivered`() async {
    let numbers = Multicast<Int>()
    numbers.finish()
    numbers.publish(1)
    #expect(await all(numbers.reader()) == [])
  }

  private func publish(by publishers: Int, each count: Int, into numbers: Multicast<Int>) async {
    await withTaskGroup { group in
      for _ in 0..<publishers { group.addTask { for number in 0..<count { numbers.publish(number) } } }
    }
  }
}

private func all<Value: Sendable>(_ reader: Multicast<Value>.Reader) async -> [Value] {
  var values: [Value] = []
  for await delivery in reader { values.append(delivery.value) }
  return values
}
