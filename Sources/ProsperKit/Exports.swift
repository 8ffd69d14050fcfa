// The values that programs see are public where they are declared, and part of this library. Everything else in these
// modules is visible only within the package, for the command line.
@_exported public import AudioFiles
@_exported public import ControlSocket
@_exported public import Desktop
@_exported public import Encoding
@_exported public import Engine
@_exported public import Files
@_exported public import GeneratedSounds
@_exported public import Imports
@_exported public import Levels
@_exported public import Logging
@_exported public import Markup
@_exported public import NetworkOutputs
@_exported public import Player
@_exported public import PulseAudio
@_exported public import SavedState
@_exported public import Schedule
@_exported public import Scripts
@_exported public import SessionFiles
@_exported public import enum Signal.FadeCurve
@_exported public import typealias Signal.FrameTime
@_exported public import struct Signal.Gain
@_exported public import struct Signal.Level
@_exported public import enum Signal.SampleEncoding
@_exported public import struct Signal.SampleRate
@_exported public import Sounds
@_exported public import Speech
@_exported public import Timelines
@_exported public import Web
