/*
 * The folder of a test run: databases, copies of the project, caches and the browser's files. In memory,
 * where the machine has room there: on a disk, making its thousands of files can take a fifth of the run.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { PlainError, root } from './runtime.js'

const DISK = join(root, 'tmp')

/** Files in memory, on Linux */
const MEMORY = '/dev/shm'

/** Free bytes there that are enough for a run */
const ENOUGH = 2 ** 30

const NAME = /^(?:atrium-)?test-(\d+)(-|$)/

/** @returns its path, named after this process */
export function makeTemporaryFolder() {
  for (const place of [DISK, MEMORY].filter(existsSync)) removeAbandoned(place)
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize >= ENOUGH) return makeFolder(MEMORY)
  } catch {
    /* It is missing, or another user's. */
  }
  try {
    return makeFolder(DISK)
  } catch ({ code }) {
    throw new PlainError(`${DISK} can't be written (${code}): give this user the right to do so.`)
  }
}

function makeFolder(place) {
  const path = join(place, `atrium-test-${process.pid}`)
  mkdirSync(path, { recursive: true })
  return path
}

/** Removes what runs have left that were killed. */
function removeAbandoned(place) {
  for (const name of readdirSync(place)) {
    const pid = NAME.exec(name)?.[1]
    if (!pid || isRunning(Number(pid))) continue
    try {
      rmSync(join(place, name), { recursive: true, force: true })
    } catch {
      /* It is another user's. */
    }
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}
