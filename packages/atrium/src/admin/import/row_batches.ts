import { requestsFirst } from '#base/requests_first'
import { readRows } from '../sheets/read_rows.js'
import type { FileRow, FileShape } from '../sheets/file_shape.js'

/** Rows that are read, judged and written together: some milliseconds, so that requests wait no longer. [D6] */
export const ROWS_AT_ONCE = 200

/**
 * The rows of a file, to be taken as many together as their reader wants. Call `close` at the end.
 */
export class RowSource {
  readonly #rows: AsyncIterator<FileRow>

  constructor(path: string, shape: FileShape, maxRows?: number) {
    this.#rows = readRows(path, shape, { rows: maxRows })[Symbol.asyncIterator]()
  }

  /**
   * @returns at most so many rows; none at the end of the file
   * @throws FileFault
   */
  async take(most: number): Promise<FileRow[]> {
    const batch: FileRow[] = []
    while (batch.length < most) {
      const { done, value } = await this.#rows.next()
      if (done) break
      batch.push(value)
    }
    return batch
  }

  async close(): Promise<void> {
    await this.#rows.return?.()
  }
}

/**
 * The rows of a file in groups of at most so many. Requests of the process go first in between.
 *
 * @param maxRows  in the whole file, empty ones included
 * @throws ReadingLimit, FileFault
 */
export async function* rowBatches(
  path: string,
  shape: FileShape,
  most: number,
  maxRows?: number
): AsyncGenerator<FileRow[]> {
  const source = new RowSource(path, shape, maxRows)
  try {
    for (;;) {
      const batch = await source.take(most)
      if (batch.length > 0) yield batch
      if (batch.length < most) return
      await requestsFirst()
    }
  } finally {
    await source.close()
  }
}
