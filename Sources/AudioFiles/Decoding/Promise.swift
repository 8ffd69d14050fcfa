import CSndFile

/// How many frames a file says it has: of a file that was cut, more than are there. Nil where nothing is said, as in a FLAC
/// file that was written into a pipe or an Ogg file without its end.
func promisedFrames(_ info: SF_INFO) -> Int64? { 0...mostFrames ~= info.frames ? info.frames : nil }

/// No recording has more frames, and with fewer no arithmetic of frames and rates overflows.
let mostFrames: Int64 = 1 << 40
