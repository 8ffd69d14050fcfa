@testable import Engine
import Glibc
import Synchronization
import TestSupport
import Testing

private let signals = Atomic<Int>(0)

@Suite struct WakeUpTests {
  private struct State {
    var thread: pthread_t?
    var answer: Bool?
  }

  @Test func `a call ends a wait, even if it came before the wait`() {
    let wake = WakeUp()
    wake.call()
    wake.call()
    #expect(wake.wait(seconds: 3_600))
    #expect(!wake.wait(seconds: 0))
  }

  @Test func `a signal does not end a wait`() {
    let wake = WakeUp()
    let state = Mutex(State())
    let end = Flag()
    let before = signals.load(ordering: .acquiring)
    signal(SIGUSR2) { _ in signals.add(1, ordering: .acquiringAndReleasing) }
    let isStarted = OSThread.start {
      // A thread inherits the signal mask of its creator.
      var reached = sigset_t()
      sigaddset(&reached, SIGUSR2)
      pthread_sigmask(SIG_UNBLOCK, &reached, nil)
      state.withLock { $0.thread = pthread_self() }
      let answer = wake.wait(seconds: 3_600)
      state.withLock { $0.answer = answer }
      // Keeps the thread alive, so that the signals reach it.
      _ = eventually { end.isRaised }
    }
    #expect(isStarted && eventually { state.withLock { $0.thread != nil } })
    for count in 1...100 {
      if let thread = state.withLock({ $0.thread }) { pthread_kill(thread, SIGUSR2) }
      #expect(eventually { signals.load(ordering: .acquiring) == before + count })
    }
    #expect(state.withLock { $0.answer } == nil)
    wake.call()
    #expect(eventually { state.withLock { $0.answer } == true })
    end.raise()
  }
}
