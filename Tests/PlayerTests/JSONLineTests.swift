import Testing

@testable import Player

struct JSONLineTests {
  @Test func `a line of JSON keeps the order of its keys and escapes special characters`() {
    var line: JSONLine = [
      "v": 1, "session": Rounded(10.021), "back": Rounded(-0.0504), "text": "a\"\\\n\u{1}\u{2028}é", "on": true,
      "gain": Float(0.1), "none": Double.infinity,
    ]
    line.add([
      "list": ["x", "y"], "left out": IfAny(String?.none), "null": String?.none, "object": ["a": IfAny(1)] as JSONLine,
    ])
    let expected =
      #"{"v":1,"session":10.021,"back":-0.050,"text":"a\"\\\n\u0001\u2028é","on":true,"gain":0.1,"none":null,"#
      + #""list":["x","y"],"null":null,"object":{"a":1}}"#
    #expect(line.description == expected)
  }
}
