import { lstat, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/* No upload and no job takes as long. */
const HOURS = 24

const HOUR = 3_600_000

/* As `mkdtemp` names them: of imports, of uploads and of exports */
const NAME = /^atrium-(?:import|upload|export)-[\w-]{6,40}$/

/**
 * Removes folders of temporary files that a killed process of the application has left: those of the same user of the
 * machine that are older than a day.
 *
 * @returns the number of removed folders
 */
export async function sweepTemporary(folder = tmpdir()): Promise<number> {
  const oldest = Date.now() - HOURS * HOUR
  let removed = 0
  for (const name of await readdir(folder)) {
    if (!NAME.test(name)) continue
    const path = join(folder, name)
    /* Another process may be sweeping, too. */
    const found = await lstat(path).catch(() => null)
    if (!found?.isDirectory() || found.mtimeMs > oldest) continue
    if (found.uid !== (process.getuid?.() ?? found.uid)) continue
    await rm(path, { recursive: true, force: true })
    removed++
  }
  return removed
}

let sweptAt = 0

/** The same, if this process has not done so for a day: in a worker of its own nothing else does. */
export async function sweepDaily(): Promise<void> {
  if (Date.now() - sweptAt < HOURS * HOUR) return
  sweptAt = Date.now()
  await sweepTemporary()
}
