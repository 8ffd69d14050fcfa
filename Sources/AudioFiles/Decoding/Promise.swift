import CSndFile

/// How many frames a file says it has: of a file that was cut, more than are there. Nil where nothing is said, as in a FLAC
/// file that was written into a pipe or an Ogg file without its end.
func promisedFrames(_ info: SF_INFO) -> Int64? { info.frames == Int64.max ? nil : info.frames }
