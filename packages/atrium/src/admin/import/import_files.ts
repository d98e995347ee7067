import { lstat, readdir, rm, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import logger from '@adonisjs/core/services/logger'
import { filesDisk } from '../forms/files/files_disk.js'
import { namesOnDisk } from '../export/export_files.js'
import type { AdminSite } from '../admin_site.js'
import { ImportRefused } from './errors.js'
import type AdminImport from '../models/admin_import.js'
import type { DryRun } from '../models/admin_import.js'
import type { ImportSpec } from './import_spec.js'
import { tryRows } from './dry_run.js'

/* No upload and no job takes as long. */
const HOURS = 24

const HOUR = 3_600_000

/* As `mkdtemp` names them: of imports, of uploads and of exports */
const ORPHAN_NAME = /^atrium-(?:import|upload|export)-[\w-]{6,40}$/

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
    if (!ORPHAN_NAME.test(name)) continue
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
async function sweepDaily(): Promise<void> {
  if (Date.now() - sweptAt < HOURS * HOUR) return
  sweptAt = Date.now()
  await sweepTemporary()
}

/* No model has this name, so that no address of a file leads here. */
const FOLDER = '.imports'

const NAME = /^([0-9a-f]{48})\.(?:file|faults)$/

/** A file of an import on the disk: that of the person, or the errors that a trial has found in it */
export type Part = 'file' | 'faults'

/**
 * Stores a file under a random name, which no address has. [D3]
 *
 * @returns the name
 */
export async function storeImportFile(path: string): Promise<string> {
  const key = randomBytes(24).toString('hex')
  await storePart(key, 'file', path)
  return key
}

/** Stores a part of an import in the place of an earlier one. */
export async function storePart(key: string, part: Part, path: string): Promise<void> {
  const disk = await filesDisk()
  const content = createReadStream(path)
  try {
    await disk.putStream(placeOf(key, part), content, { contentType: 'application/octet-stream' })
  } finally {
    content.destroy()
  }
}

/**
 * Does work with copies of stored parts, as several servers may share the disk. The copies are removed afterwards.
 *
 * @param work  gets the path of the copy of a part, null if there is none, and a path for a new file
 */
export async function withStoredFile<Result>(
  key: string,
  work: (pathOf: (part: Part) => Promise<string | null>, scratch: string) => Promise<Result>
): Promise<Result> {
  sweepDaily().catch((error) => {
    logger.error({ err: error }, 'Temporary files that were left could not be removed')
  })
  const folder = await mkdtemp(join(tmpdir(), 'atrium-import-'))
  try {
    return await work((part) => copyOf(key, part, join(folder, part)), join(folder, 'scratch'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Removes the file of an import and what belongs to it; a failure is only logged. */
export async function deleteStoredFile(key: string): Promise<void> {
  try {
    const disk = await filesDisk()
    for (const part of ['file', 'faults'] as const) {
      const place = placeOf(key, part)
      if (await disk.exists(place)) await disk.delete(place)
    }
  } catch (error) {
    logger.error({ err: error }, 'The file of an import could not be removed')
  }
}

/**
 * The keys of files that were stored before a time and that are still there.
 */
export async function keysBefore(time: Date): Promise<Set<string>> {
  const disk = await filesDisk()
  const keys = new Set<string>()
  for (const name of await namesOnDisk(disk, FOLDER)) {
    const key = NAME.exec(name)?.[1]
    if (key === undefined || keys.has(key)) continue
    /* Another process may have removed it in the meantime. */
    const data = await disk.getMetaData(`${FOLDER}/${name}`).catch(() => null)
    if (data && data.lastModified < time) keys.add(key)
  }
  return keys
}

async function copyOf(key: string, part: Part, path: string): Promise<string | null> {
  const disk = await filesDisk()
  const place = placeOf(key, part)
  if (!(await disk.exists(place))) return null
  await pipeline(await disk.getStream(place), createWriteStream(path, { mode: 0o600 }))
  return path
}

function placeOf(key: string, part: Part): string {
  return `${FOLDER}/${key}.${part}`
}

/**
 * The dry run of a stored file; all its errors are stored next to it.
 *
 * @throws FileError
 * @throws ImportRefused  if the file is gone
 */
export async function dryRunOfStoredFile(
  site: AdminSite,
  spec: ImportSpec,
  { fileKey, shape }: AdminImport,
  onProgress?: (rows: number) => Promise<void>
): Promise<DryRun> {
  return await withStoredFile(fileKey, async (pathOf, scratch) => {
    const path = await pathOf('file')
    if (path === null) throw new ImportRefused('import.refused.fileGone')
    const dryRun = await tryRows(site, spec, { path, shape }, scratch, onProgress)
    await storePart(fileKey, 'faults', scratch)
    return dryRun
  })
}
