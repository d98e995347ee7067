/*
 * The folder of a test run: databases, copies of the project, caches and the browser's files. In memory,
 * where the machine has room there: on a disk, making its thousands of files can take a fifth of the run.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { PlainError, root } from './runtime.js'

/** Files in memory, on Linux */
const MEMORY = '/dev/shm'

/** Free bytes there that are enough for a run */
const ENOUGH = 2 ** 30

const NAME = /^atrium-test-(\d+)$/

/** @returns its path, named after this process. Removes the folders of processes that were killed. */
export function makeTemporaryFolder() {
  const place = hasRoom(MEMORY) ? MEMORY : join(root, 'tmp')
  const path = join(place, `atrium-test-${process.pid}`)
  try {
    mkdirSync(path, { recursive: true })
  } catch ({ code }) {
    throw new PlainError(`${place} can't be written (${code}): give this user the right to do so.`)
  }
  for (const name of readdirSync(place)) {
    const pid = NAME.exec(name)?.[1]
    /* Of another user, it stays. */
    if (pid && !isRunning(Number(pid))) removeIfAllowed(join(place, name))
  }
  return path
}

function removeIfAllowed(path) {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {}
}

function hasRoom(place) {
  if (!existsSync(place)) return false
  const { bavail, bsize } = statfsSync(place)
  return bavail * bsize >= ENOUGH
}

/** A process of another user is running, too. */
function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}
