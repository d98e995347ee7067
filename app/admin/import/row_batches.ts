import { requestsFirst } from '#crud/internals'
import { readRows } from '../sheets/read_rows.js'
import type { FileRow, FileShape } from '../sheets/file_shape.js'

/** Rows that are read, judged and written at once: some milliseconds, so that requests wait no longer. [D6] */
export const ROWS_AT_ONCE = 200

/**
 * The rows of a file in groups of at most so many. Requests of the process go first in between.
 *
 * @throws FileFault
 */
export async function* rowBatches(
  path: string,
  shape: FileShape,
  most: number
): AsyncGenerator<FileRow[]> {
  let batch: FileRow[] = []
  for await (const row of readRows(path, shape)) {
    batch.push(row)
    if (batch.length < most) continue
    yield batch
    batch = []
    await requestsFirst()
  }
  if (batch.length > 0) yield batch
}
