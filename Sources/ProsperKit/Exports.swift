// The values that programs see are public where they are declared, and part of this library.
@_exported public import struct Schedule.CrossfadePauseSnapshot
@_exported public import enum Schedule.PlayerAction
@_exported public import struct Schedule.PlayerError
@_exported public import enum Schedule.PlayerState
@_exported public import enum Schedule.ResumeStrategy
@_exported public import struct Schedule.TrackID
@_exported public import struct Schedule.TrackInfo
