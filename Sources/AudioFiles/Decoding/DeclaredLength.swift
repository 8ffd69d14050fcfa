import CSndFile

/// The number of frames that a file states; a truncated file has fewer. nil if it states none, for example a FLAC file
/// that was written to a pipe, or an Ogg file whose end is missing.
func declaredFrames(_ info: SF_INFO) -> Int64? { 0...mostFrames ~= info.frames ? info.frames : nil }

/// The maximum number of frames of a file. No recording is longer, and up to this number, no computation with frames
/// and rates overflows.
let mostFrames: Int64 = 1 << 40
