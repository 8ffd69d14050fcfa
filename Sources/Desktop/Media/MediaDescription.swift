import MessageBus

/// The description of the media player object for `Introspect`, and the properties that never change.
enum MediaDescription {
  /// The properties of the interface `org.mpris.MediaPlayer2`.
  static let root: [String: BusValue] = [
    "CanQuit": .bool(true), "CanRaise": .bool(false), "HasTrackList": .bool(false), "Identity": .string("prosper"),
    "SupportedUriSchemes": .strings([]), "SupportedMimeTypes": .strings([]),
  ]

  /// The answer to `Introspect`.
  static let text = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
    "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>
    \(standard)
    <interface name="\(MediaRequest.root)">
    \(methods(["Raise", "Quit"]))
    \(properties(["CanQuit": "b", "CanRaise": "b", "HasTrackList": "b", "Identity": "s",
      "SupportedUriSchemes": "as", "SupportedMimeTypes": "as"]))
    </interface>
    <interface name="\(MediaRequest.player)">
    \(methods(["Next", "Previous", "Pause", "PlayPause", "Stop", "Play"]))
    <method name="Seek"><arg direction="in" name="Offset" type="x"/></method>
    <method name="SetPosition">
    <arg direction="in" name="TrackId" type="o"/><arg direction="in" name="Position" type="x"/>
    </method>
    <method name="OpenUri"><arg direction="in" name="Uri" type="s"/></method>
    <signal name="Seeked"><arg name="Position" type="x"/></signal>
    \(properties(["PlaybackStatus": "s", "Metadata": "a{sv}", "CanGoNext": "b", "CanGoPrevious": "b", "CanPlay": "b",
      "CanPause": "b", "CanSeek": "b", "CanControl": "b", "MinimumRate": "d", "MaximumRate": "d"]))
    \(properties(["Rate": "d", "Volume": "d"], access: "readwrite"))
    <property name="Position" type="x" access="read">
    <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
    </property>
    </interface>
    </node>

    """

  /// The interfaces that every object has.
  private static let standard = """
    <interface name="org.freedesktop.DBus.Introspectable">
    <method name="Introspect"><arg name="xml_data" type="s" direction="out"/></method>
    </interface>
    <interface name="org.freedesktop.DBus.Properties">
    <method name="Get">
    <arg name="interface_name" type="s" direction="in"/><arg name="property_name" type="s" direction="in"/>
    <arg name="value" type="v" direction="out"/>
    </method>
    <method name="GetAll">
    <arg name="interface_name" type="s" direction="in"/><arg name="properties" type="a{sv}" direction="out"/>
    </method>
    <method name="Set">
    <arg name="interface_name" type="s" direction="in"/><arg name="property_name" type="s" direction="in"/>
    <arg name="value" type="v" direction="in"/>
    </method>
    <signal name="PropertiesChanged">
    <arg name="interface_name" type="s"/><arg name="changed_properties" type="a{sv}"/>
    <arg name="invalidated_properties" type="as"/>
    </signal>
    </interface>
    """

  private static func methods(_ names: [String]) -> String {
    names.map { "<method name=\"\($0)\"/>" }.joined(separator: "\n")
  }

  private static func properties(_ types: KeyValuePairs<String, String>, access: String = "read") -> String {
    types.map { "<property name=\"\($0.key)\" type=\"\($0.value)\" access=\"\(access)\"/>" }.joined(separator: "\n")
  }
}
