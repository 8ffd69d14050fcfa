@testable import Engine
import Signal
import Testing

@Suite struct RenderCommandQueueTests {
  private func command(_ frame: FrameTime, _ mark: Float) -> RenderCommand {
    RenderCommand(at: frame, action: .master(Fade(from: mark, to: 0, start: frame, length: 1, curve: .linear)))
  }

  private func mark(_ command: RenderCommand?) -> Float? {
    guard case .master(let fade)? = command?.action else { return nil }
    return fade.from
  }

  @Test func `commands are taken in the order of their frames, and those of one frame in the order of their arrival`() {
    var queue = RenderCommandQueue(capacity: 8)
    for (frame, mark) in [(30, 1), (10, 2), (30, 3), (20, 4), (10, 5)] as [(FrameTime, Float)] {
      queue.insert(command(frame, mark))
    }
    var marks: [Float?] = []
    for frame in [9, 10, 10, 10, 40, 40, 40, 40] as [FrameTime] { marks.append(mark(queue.take(dueAt: frame))) }
    #expect(marks == [nil, 2, 5, nil, 4, 1, 3, nil])
  }

  @Test func `the queue holds as many commands as its capacity, however often it has been emptied`() {
    var queue = RenderCommandQueue(capacity: 4)
    for round in 0..<10 as Range<FrameTime> {
      for index in 0..<4 as Range<FrameTime> { queue.insert(command(round * 10 + index, Float(index))) }
      let isFull = queue.isFull
      #expect(isFull)
      for index in 0..<4 {
        let next = mark(queue.take(dueAt: round * 10 + 9))
        #expect(next == Float(index))
      }
      let nextFrame = queue.nextFrame
      #expect(nextFrame == .endless)
    }
  }
}
