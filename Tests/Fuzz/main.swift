import AudioFiles
import CFuzzer
import Foundation
import GeneratedSounds
import Player
import Signal
import Sounds

/// Random input of every kind that prosper accepts from outside: `scripts/fuzz` builds and runs this. The first
/// argument names the target; the others are libFuzzer's.
let targets: [String: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32] = [
  "session": { bytes, count in fuzz(bytes, count, Fuzz.session) },
  "list": { bytes, count in fuzz(bytes, count, Fuzz.list) },
  "script": { bytes, count in fuzz(bytes, count, Fuzz.script) },
  "line": { bytes, count in fuzz(bytes, count, Fuzz.line) },
  "audio": { bytes, count in fuzz(bytes, count, Fuzz.audio) },
  "place": { bytes, count in fuzz(bytes, count, Fuzz.place) },
  "head": { bytes, count in fuzz(bytes, count, Fuzz.head) },
]

func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int, _ body: ([UInt8]) -> Void) -> Int32 {
  body(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}

guard 1 < CommandLine.arguments.count, let target = targets[CommandLine.arguments[1]] else {
  print("fuzz: name one of \(targets.keys.sorted().joined(separator: ", "))")
  exit(64)
}
// The program's own arguments, without the target. They must stay valid as long as it runs.
let words = ([CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(2)).map { strdup($0) }
let vector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count + 1)
for (index, word) in words.enumerated() { vector[index] = word }
vector[words.count] = nil
var count = Int32(words.count)
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = vector
exit(LLVMFuzzerRunDriver(&count, &arguments, target))
