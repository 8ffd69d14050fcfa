import Engine
import Schedule
import Signal
import Sounds

/// The status that the control socket, keys and the desktop read.
extension Transport {
  /// The status at the frame heard now.
  var status: PlayerStatus {
    let current = player.timeline.playhead.current
    var status = PlayerStatus(
      title: programme.title, moment: moment, duration: player.end.map { rate.seconds($0) },
      trackDuration: current.flatMap { $0.length == .endless ? nil : rate.seconds($0.length) })
    status.stages = stageNames
    status.planned = player.timeline.stage.flatMap { planned(inStage: $0, at: heard) }
    status.plannedDuration = player.plannedTimes.end.map { rate.seconds($0) }
    status.trackID = current?.trackID
    status.origin = current?.source.origin
    status.tags = current?.tags ?? SoundTags()
    status.volumeTarget = Double(player.settings[nil].to)
    status.abilities = abilities
    (status.next, status.overlays) = (outlook.next, outlook.overlays)
    status.isOutputLost = session.isSilent
    status.loading = loads.lasting
    status.isMusicPaused = player.schedule.isMusicPaused
    status.shortfalls = player.timeline.totals.shortfalls
    return status
  }

  private var abilities: PlayerAbilities {
    var abilities = PlayerAbilities()
    guard isChangeable else { return abilities }
    abilities.takesCommands = true
    (abilities.hasNext, abilities.hasPrevious) = (outlook.hasNext, outlook.hasPrevious)
    let playhead = player.timeline.playhead
    abilities.canSeek = playhead.current != nil && playhead.state.kind.actions.contains(.seek)
    return abilities
  }
}
