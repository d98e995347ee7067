import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import logger from '@adonisjs/core/services/logger'
import { filesDisk } from '../forms/files/files_disk.js'
import { namesOnDisk } from '../export/export_files.js'
import { sweepDaily } from './orphans.js'

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
export async function keepFile(path: string): Promise<string> {
  const key = randomBytes(24).toString('hex')
  await keepPart(key, 'file', path)
  return key
}

/** Stores a part of an import in the place of an earlier one. */
export async function keepPart(key: string, part: Part, path: string): Promise<void> {
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
export async function withKept<Result>(
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
export async function dropKept(key: string): Promise<void> {
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
