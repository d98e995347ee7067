import { lstat, readdir, rm, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import logger from '@adonisjs/core/services/logger'
import { filesDisk, pathsOnDisk } from '../forms/files/files_disk.js'
import { ImportRefused } from './import_access.js'
import type AdminImport from '../models/admin_import.js'
import type { DryRun } from '../models/admin_import.js'
import type { ImportSpec } from './import_spec.js'
import { tryRows, type ImportSite } from './dry_run.js'

/* Age in hours after which temporary files are removed; no upload and no job takes as long. */
const HOURS = 24

const HOUR = 3_600_000

/* Names of folders that `mkdtemp` creates for imports, uploads and exports */
const ORPHAN_NAME = /^atrium-(?:import|upload|export)-[\w-]{6,40}$/

/**
 * Removes folders of temporary files that a killed process of the application has left behind: folders of the same
 * system user that are older than a day.
 *
 * @returns the number of removed folders
 */
export async function sweepTemporary(folder = tmpdir()): Promise<number> {
  const oldest = Date.now() - HOURS * HOUR
  let removed = 0
  for (const name of await readdir(folder)) {
    if (!ORPHAN_NAME.test(name)) continue
    const path = join(folder, name)
    /* Another process can be removing folders at the same time, so a folder can be missing. */
    const found = await lstat(path).catch(() => null)
    if (!found?.isDirectory() || found.mtimeMs > oldest) continue
    if (found.uid !== (process.getuid?.() ?? found.uid)) continue
    await rm(path, { recursive: true, force: true })
    removed++
  }
  return removed
}

let sweptAt = 0

/**
 * Calls `sweepTemporary` unless this process has done so within the last day. A separate worker process calls it
 * nowhere else.
 */
async function sweepDaily(): Promise<void> {
  if (Date.now() - sweptAt < HOURS * HOUR) return
  sweptAt = Date.now()
  await sweepTemporary()
}

/* A folder name that no model can have, so that no URL of a file refers to it. */
const FOLDER = '.imports'

const NAME = /^([0-9a-f]{48})\.(?:file|faults)$/

/** Part of a stored import: the uploaded file, or the errors that a dry run has found */
export type Part = 'file' | 'faults'

/**
 * Stores a file under a random name, which has no URL.
 *
 * @returns the name
 */
export async function storeImportFile(path: string): Promise<string> {
  const key = randomBytes(24).toString('hex')
  await storePart(key, 'file', path)
  return key
}

/** Stores a part of an import, replacing an earlier one. */
export async function storePart(key: string, part: Part, path: string): Promise<void> {
  const disk = await filesDisk()
  const content = createReadStream(path)
  try {
    await disk.putStream(storedPath(key, part), content, {
      contentType: 'application/octet-stream',
    })
  } finally {
    content.destroy()
  }
}

/**
 * Copies stored parts of an import to a temporary folder on demand, because the storage can be remote, and removes the
 * folder afterwards.
 *
 * @param work  called with `pathOf(part)`, which returns the path of a local copy or null if the part does not exist,
 *   and with the path for a temporary file
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

/** Deletes all stored parts of an import. A failure is only logged. */
export async function deleteStoredFile(key: string): Promise<void> {
  try {
    const disk = await filesDisk()
    for (const part of ['file', 'faults'] as const) {
      const place = storedPath(key, part)
      if (await disk.exists(place)) await disk.delete(place)
    }
  } catch (error) {
    logger.error({ err: error }, 'The file of an import could not be removed')
  }
}

/** Returns the keys of the existing files that were stored before a time. */
export async function keysBefore(time: Date): Promise<Set<string>> {
  const disk = await filesDisk()
  const keys = new Set<string>()
  for (const path of await pathsOnDisk(FOLDER)) {
    const name = basename(path)
    const key = NAME.exec(name)?.[1]
    if (key === undefined || keys.has(key)) continue
    /* Another process may have removed the file in the meantime. */
    const data = await disk.getMetaData(`${FOLDER}/${name}`).catch(() => null)
    if (data && data.lastModified < time) keys.add(key)
  }
  return keys
}

async function copyOf(key: string, part: Part, path: string): Promise<string | null> {
  const disk = await filesDisk()
  const place = storedPath(key, part)
  if (!(await disk.exists(place))) return null
  await pipeline(await disk.getStream(place), createWriteStream(path, { mode: 0o600 }))
  return path
}

function storedPath(key: string, part: Part): string {
  return `${FOLDER}/${key}.${part}`
}

/**
 * Runs the dry run of a stored file, and stores all errors next to the file.
 *
 * @throws FileError
 * @throws ImportRefused  if the file no longer exists
 */
export async function dryRunOfStoredFile(
  site: ImportSite,
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
