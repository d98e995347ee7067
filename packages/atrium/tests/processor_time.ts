import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks of Linux per second, in /proc */
const TICKS = 100

interface Running {
  parent: number
  seconds: number
}

/** Processes that belong to others. They are not read again, which would take milliseconds each time. */
const strangers = new Set<number>()

/**
 * Returns the processor time that this process and all that it started have used so far, in seconds.
 * Without /proc (on other systems than Linux) it is that of this process alone.
 */
export function processorTime(): number {
  const processes = runningProcesses()
  if (!processes.has(process.pid)) {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  const own = ownAmong(processes)
  for (const pid of processes.keys()) if (!own.has(pid)) strangers.add(pid)
  return [...own].reduce((sum, pid) => sum + processes.get(pid)!.seconds, 0)
}

/** This process and its descendants */
function ownAmong(processes: Map<number, Running>): Set<number> {
  const own = new Set([process.pid])
  /* A set is walked to the end, with what is added on the way. */
  for (const parent of own) {
    for (const [pid, one] of processes) if (one.parent === parent) own.add(pid)
  }
  return own
}

/** Each with its time and that of its ended children */
function runningProcesses(): Map<number, Running> {
  const processes = new Map<number, Running>()
  for (const pid of pids()) {
    if (strangers.has(pid)) continue
    try {
      /* The name of the program, in brackets, may hold blanks. */
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      const ticks = stat.slice(11, 15).reduce((sum, value) => sum + Number(value), 0)
      processes.set(pid, { parent: Number(stat[1]), seconds: ticks / TICKS })
    } catch {
      /* It ended in the meantime. */
    }
  }
  return processes
}

function pids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}
