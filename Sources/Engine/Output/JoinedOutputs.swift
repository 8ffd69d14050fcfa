package import Signal

/// Several outputs without a listener: a render into more than one file. All get the same blocks.
package final class JoinedOutputs: Sink {
  private let sinks: [any Sink]

  package var pace: Pace { .players }

  /// - Parameter sinks: all are without a listener.
  package init(_ sinks: [any Sink]) { self.sinks = sinks }

  package func start(at rate: SampleRate) throws(SinkError) { for sink in sinks { try sink.start(at: rate) } }

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    for sink in sinks { try sink.write(block) }
  }

  package func finish() throws(SinkError) { for sink in sinks { try sink.finish() } }

  package func abandon() { for sink in sinks { sink.abandon() } }

  package var heard: FrameCount { sinks.first?.heard ?? 0 }
}
