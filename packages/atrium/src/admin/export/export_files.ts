import { basename } from 'node:path'
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { filesDisk, pathsOnDisk } from '../forms/files/files_disk.js'
import { PrivateFolder } from '../forms/files/private_folder.js'
import type { FileFormat } from '../sheets/file_shape.js'

/*
 * Folder of export files, next to the folders with the files of models; no model can have this name
 */
const FOLDER = '.exports'

const NAME = /^[0-9a-f]{32}\.[a-z]{3,6}$/

const HOUR = 3_600_000

/**
 * Stores the file of an export on the disk of uploaded files, so that every server of the application can send it.
 *
 * @param path  path of the complete file, which only the server's user can read; the file can be moved
 * @returns the key of the stored file
 */
export async function keepExport(path: string, format: FileFormat): Promise<string> {
  const key = `${randomBytes(16).toString('hex')}.${format}`
  const disk = await filesDisk()
  if (disk instanceof PrivateFolder) {
    await disk.take(placeOf(key), path)
    return key
  }
  const content = createReadStream(path)
  try {
    await disk.putStream(placeOf(key), content, { contentType: 'application/octet-stream' })
  } finally {
    content.destroy()
  }
  return key
}

/**
 * Opens a stored file. The caller reads the stream to the end or destroys it.
 *
 * @returns undefined if there is none
 */
export async function openExport(
  key: unknown
): Promise<{ size: number; stream: Readable } | undefined> {
  if (typeof key !== 'string' || !NAME.test(key)) return undefined
  const disk = await filesDisk()
  const place = placeOf(key)
  if (!(await disk.exists(place))) return undefined
  const { contentLength } = await disk.getMetaData(place)
  return { size: contentLength, stream: await disk.getStream(place) }
}

/** Removes a stored file if it exists. */
export async function removeExport(key: string): Promise<void> {
  if (!NAME.test(key)) return
  const disk = await filesDisk()
  await disk.delete(placeOf(key))
}

/**
 * Removes the files that are older than a number of hours, including those without a job.
 *
 * @returns the number of removed files
 */
export async function pruneExports(hours: number): Promise<number> {
  const disk = await filesDisk()
  const oldest = Date.now() - hours * HOUR
  let removed = 0
  for (const name of await storedNames()) {
    const { lastModified } = await disk.getMetaData(placeOf(name))
    if (lastModified.getTime() > oldest) continue
    await disk.delete(placeOf(name))
    removed++
  }
  return removed
}

async function storedNames(): Promise<string[]> {
  const paths = await pathsOnDisk(FOLDER)
  const names = paths.map((path) => basename(path))
  return names.filter((name) => NAME.test(name))
}

function placeOf(key: string): string {
  return `${FOLDER}/${key}`
}
