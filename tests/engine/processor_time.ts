import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks of Linux per second, in /proc */
const TICKS = 100

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
  const timeOf = (pid: number): number =>
    [...processes]
      .filter(([, { parent }]) => parent === pid)
      .reduce((sum, [child]) => sum + timeOf(child), processes.get(pid)!.seconds)
  return timeOf(process.pid)
}

/** Each with its time and that of its ended children */
function runningProcesses() {
  const processes = new Map<number, { parent: number; seconds: number }>()
  for (const name of pids()) {
    try {
      /* The name of the program, in brackets, may hold blanks. */
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      const ticks = stat.slice(11, 15).reduce((sum, value) => sum + Number(value), 0)
      processes.set(Number(name), { parent: Number(stat[1]), seconds: ticks / TICKS })
    } catch {
      /* It ended in the meantime. */
    }
  }
  return processes
}

function pids(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}
