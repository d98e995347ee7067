import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Group } from '@japa/runner/core'
import { FileError } from '#admin/jobs/job_errors'
import type { FileFormat, Cell, ChosenShape, FileRow, FileShape } from '#admin/sheets/file_shape'
import { inspectFile } from '#admin/sheets/inspect_file'
import { readRows } from '#admin/sheets/read_rows'
import { type SheetOptions, sheetWriter } from '#admin/sheets/sheet_writer'

/** Files of a group of tests, in a folder that is removed after each. */
export class SheetFiles {
  #folder = ''

  constructor(group: Group) {
    group.each.setup(async () => {
      this.#folder = await mkdtemp(join(tmpdir(), 'atrium-sheets-'))
      return async () => await rm(this.#folder, { recursive: true })
    })
  }

  async write(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(this.#folder, name)
    await writeFile(path, content)
    return path
  }

  /** A table as a file of a format. */
  async table(
    format: FileFormat,
    rows: ReadonlyArray<readonly Cell[]>,
    options: SheetOptions
  ): Promise<string> {
    const path = join(this.#folder, `table.${format}`)
    const writer = sheetWriter(format, createWriteStream(path), options)
    for (const row of rows) await writer.write(row)
    await writer.end()
    return path
  }

  /** What is found in a file with this content. */
  async read(name: string, content: string | Uint8Array, chosen?: ChosenShape) {
    return await readFile(await this.write(name, content), chosen)
  }
}

/** What is found in a file, and the error that ends it. */
export async function readFile(
  path: string,
  chosen?: ChosenShape
): Promise<{ shape: FileShape | null; rows: FileRow[]; error: FileError | null }> {
  const rows: FileRow[] = []
  let shape: FileShape | null = null
  try {
    shape = await inspectFile(path, path, chosen)
    for await (const row of readRows(path, shape)) rows.push(row)
    return { shape, rows, error: null }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return { shape, rows, error }
  }
}
