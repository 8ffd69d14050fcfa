import Foundation
import Testing

@testable import Web

/// Who is let in, and from where.
struct AccessTests {
  @Test func `five wrong codes lock pairing for a minute, even for the right one`() {
    let clock = TestClock()
    let access = Access(Tokens(), now: { clock.now })
    let wrong = access.code == "000000" ? "000001" : "000000"
    for _ in 0..<4 { #expect(access.pair(with: wrong) == .wrongCode) }
    #expect(access.pair(with: wrong) == .locked(seconds: 60))
    clock.pass(seconds: 59)
    #expect(access.pair(with: access.code) == .locked(seconds: 2))
    clock.pass(seconds: 1.5)
    #expect(access.pair(with: access.code) == .paired(token: access.tokens.control))
  }

  @Test func `each lock takes twice as long as the one before, at most sixteen minutes, until a correct code`() {
    let clock = TestClock()
    let access = Access(Tokens(), now: { clock.now })
    let wrong = access.code == "000000" ? "000001" : "000000"
    for seconds in [60, 120, 240, 480, 960, 960] {
      for _ in 0..<4 { #expect(access.pair(with: wrong) == .wrongCode) }
      #expect(access.pair(with: wrong) == .locked(seconds: seconds))
      clock.pass(seconds: Double(seconds))
    }
    #expect(access.pair(with: access.code) == .paired(token: access.tokens.control))
    for _ in 0..<4 { #expect(access.pair(with: wrong) == .wrongCode) }
    #expect(access.pair(with: wrong) == .locked(seconds: 60))
  }

  @Test func `a correct code forgives the wrong ones, and may be typed with spaces`() {
    let access = Access(Tokens())
    let wrong = access.code == "000000" ? "000001" : "000000"
    for _ in 0..<3 {
      for _ in 0..<4 { #expect(access.pair(with: wrong) == .wrongCode) }
      let typed = access.code.prefix(3) + " " + access.code.suffix(3)
      #expect(access.pair(with: String(typed)) == .paired(token: access.tokens.control))
    }
  }

  @Test func `the link for participants leads nowhere unless they are admitted`() {
    let tokens = Tokens()
    #expect(Access(tokens).grant(of: tokens.view) == .view)
    let closed = Access(tokens, admitsViewers: false)
    #expect(closed.grant(of: tokens.view) == nil && closed.grant(of: tokens.control) == .control)
  }

  @Test func `a code has six digits, and a token 128 random bits`() {
    for _ in 0..<100 {
      let code = Access(Tokens()).code
      #expect(code.count == 6 && code.allSatisfy(\.isWholeNumber))
    }
    let tokens = (0..<100).flatMap { _ in
      let tokens = Tokens()
      return [tokens.control, tokens.view]
    }
    #expect(Set(tokens).count == 200 && tokens.allSatisfy { $0.count == 32 })
  }

  @Test func `kept tokens are read again, and nothing else is taken for them`() {
    let tokens = Tokens()
    #expect(Tokens(text: tokens.text) == tokens)
    for text in ["", "\n", tokens.control, tokens.text + "more\n", tokens.text.replacing(tokens.view, with: "x")] {
      #expect(Tokens(text: text) == nil)
    }
  }

  @Test func `each token permits its own, and no other text anything`() {
    let access = Access(Tokens())
    #expect(access.grant(of: access.tokens.control) == .control)
    #expect(access.grant(of: access.tokens.view) == .view)
    for text in [nil, "", Tokens().control, access.tokens.control + "0", String(access.tokens.control.dropLast())] {
      #expect(access.grant(of: text) == nil)
    }
  }

  @Test(arguments: [
    ("192.168.1.20:7007", true), ("192.168.1.20", true), ("[fe80::1]:7007", true), ("[::1]", true),
    ("localhost:7007", true), ("box", true), ("BOX.local:7007", true), ("box.lan", true), ("box.example.org", true),
    ("evil.com", false), ("evil.com:7007", false), ("box.evil.com", false), ("192.168.1.20.evil.com", false),
    ("localhost.evil.com", false), ("", false), (":7007", false), ("box:x", false), ("[::1", false), ("[::1]x", false),
    ("box:7007:1", false), ("box.example.org.", false),
  ])
  func `only the machine's own names and addresses are answered`(host: String, isOwn: Bool) {
    #expect(HostCheck(name: "box.example.org").accepts(host: host) == isOwn)
  }

  @Test func `a request from another page is refused, one from no page is not`() {
    let check = HostCheck(name: "box")
    #expect(check.accepts(origin: nil, host: "box:7007"))
    #expect(check.accepts(origin: "http://box:7007", host: "box:7007"))
    for origin in ["http://evil.com", "null", "https://box:7007", "http://box", "http://box:70077"] {
      #expect(!check.accepts(origin: origin, host: "box:7007"))
    }
    #expect(!check.accepts(origin: "http://box", host: nil))
  }

  @Test(arguments: [
    ("7100", "0.0.0.0:7100"), (":7100", "0.0.0.0:7100"), ("127.0.0.1", "127.0.0.1:7007"),
    ("127.0.0.1:0", "127.0.0.1:0"),
    ("localhost:7100", "127.0.0.1:7100"), ("::1", "[::1]:7007"), ("[::1]:7100", "[::1]:7100"), ("[::]", "[::]:7007"),
  ])
  func `an address is numeric, and has a port or the standard one`(text: String, address: String) {
    #expect(ListenAddress(text)?.description == address)
  }

  @Test(arguments: ["box", "1.2.3", "1.2.3.4:", "1.2.3.4:70000", "[::1", "[::1]x", "a:b:c", "1.2.3.4:-1"])
  func `anything else is no address`(text: String) { #expect(ListenAddress(text) == nil) }
}
