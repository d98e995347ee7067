/*
 * The folder of a test run: databases, copies of the project, caches and the browser's files. In memory,
 * where the machine has room there: on a disk, making its thousands of files can take a fifth of the run.
 */
import { accessSync, constants, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Files in memory, on Linux */
const MEMORY = '/dev/shm'

/** Free bytes there that are enough for a run */
const ENOUGH = 2 ** 30

const NAME = /^(?:atrium-)?test-(\d+)(-|$)/

/**
 * @param onDisk  folder to use if the memory is full
 * @returns path of a folder that does not exist yet, named after this process
 */
export function temporaryFolder(onDisk) {
  return hasMemory()
    ? join(MEMORY, `atrium-test-${process.pid}`)
    : join(onDisk, `test-${process.pid}`)
}

/** Removes what runs have left that were killed. */
export function removeAbandonedFolders(onDisk) {
  for (const place of [onDisk, MEMORY]) {
    for (const name of namesIn(place)) {
      const pid = NAME.exec(name)?.[1]
      if (!pid || isRunning(Number(pid))) continue
      try {
        rmSync(join(place, name), { recursive: true, force: true })
      } catch {
        /* It is another user's. */
      }
    }
  }
}

function hasMemory() {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ENOUGH
  } catch {
    return false
  }
}

function namesIn(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}
