import CSndFile

/// How many frames a file states to have; a truncated file has fewer. nil if it states nothing, as a FLAC file that was
/// written into a pipe, or an Ogg file without its end.
func promisedFrames(_ info: SF_INFO) -> Int64? { 0...mostFrames ~= info.frames ? info.frames : nil }

/// The most frames that a file may have: no recording is longer, and no arithmetic with frames and rates overflows
/// below it.
let mostFrames: Int64 = 1 << 40
