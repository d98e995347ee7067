import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { requestsFirst } from '#base/event_loop'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import { attributeValue } from '#base/values/to_api'
import { readRows } from '../sheets/read_rows.js'
import type { FileRow, FileShape } from '../sheets/file_shape.js'
import type {
  FieldOrder,
  ImportError,
  ImportProgress,
  ImportPreview,
  DryRun,
} from '../models/admin_import.js'
import { type DateOrder, OrderFinder } from '../sheets/date_order.js'
import { ReadingLimit } from '../jobs/job_errors.js'
import { writesInPartsTo } from '../jobs/part_size.js'
import type { ImportSpec, MappedColumn } from './import_spec.js'
import { isInvalid, type CheckedRow } from './rows/checked_row.js'
import { RowChecker } from './rows/row_checker.js'
import type { WithJobs } from '../jobs/jobs.js'
import type { WithLimits } from '../config/define_config.js'
import type { Site } from '../views/site.js'

/**
 * Number of rows that are read, validated and written together; this takes some milliseconds, so that requests do not
 * wait longer.
 */
export const ROWS_PER_PART = 200

/** The parts of the site that imports need */
export type ImportSite = Site & WithJobs & WithLimits

/** Reads the rows of a file, as many at a time as the caller requests. The caller has to call `close` at the end. */
export class RowSource {
  readonly #rows: AsyncIterator<FileRow>

  constructor(path: string, shape: FileShape, maxRows?: number) {
    this.#rows = readRows(path, shape, { rows: maxRows })[Symbol.asyncIterator]()
  }

  /**
   * Reads the next rows.
   *
   * @param most  maximum number of rows
   * @returns an empty list at the end of the file
   * @throws FileError
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
 * Yields the rows of a file in batches of a maximum size. Requests to the process are handled between two batches.
 *
 * @param maxRows  maximum number of rows in the whole file, including empty rows
 * @throws ReadingLimit, FileError
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

/**
 * Determines the order of day, month and year in each column of dates, from all values of the column. Reads the file
 * once, unless an order was selected or there are no such columns.
 *
 * @param onProgress  called after each part; can throw to stop the search
 * @returns the columns with dates for which the order matters
 * @throws FileError
 */
export async function findDateOrders(
  { columns, options }: ImportSpec,
  { path, shape, maxRows }: { path: string; shape: FileShape; maxRows?: number },
  onProgress: () => Promise<void> | void = () => {}
): Promise<FieldOrder[]> {
  const dates = columns.filter(hasDates)
  if (options.dateOrder !== null || dates.length === 0) return []
  const finders = dates.map(({ field, index }) => ({ field, index, finder: new OrderFinder() }))
  for await (const rows of rowBatches(path, shape, ROWS_PER_PART, maxRows)) {
    for (const { cells, line } of rows) {
      for (const { finder, index } of finders) finder.add(cells[index], line)
    }
    await onProgress()
  }
  return finders
    .map(({ field, finder }) => ({ field: field.name, ...finder.found }))
    .filter(({ example }) => example !== null)
}

/** Returns the import plan, completed by the detected date orders. */
export function withDateOrders(spec: ImportSpec, found: readonly FieldOrder[]): ImportSpec {
  const orderOf = (name: string): DateOrder | undefined =>
    found.find(({ field }) => field === name)?.order ?? undefined
  const columns = spec.columns.map((one) => ({ ...one, dateOrder: orderOf(one.field.name) }))
  return { ...spec, columns }
}

function hasDates({ byTitle, field }: MappedColumn): boolean {
  return !byTitle && (field.column?.kind === 'date' || field.column?.kind === 'datetime')
}

/** Maximum number of errors that are stored with an import */
export const MOST_ERRORS = 100

/** Counts the effects of rows. */
export class Tally {
  readonly counts: ImportProgress

  /** @param before  counts of earlier parts of the same run */
  constructor(before?: ImportProgress | null) {
    const none = { new: 0, changed: 0, unchanged: 0, faulty: 0, faults: [] }
    this.counts = structuredClone(before ?? none)
  }

  /** Number of rows so far */
  get rows(): number {
    const { new: created, changed, unchanged, faulty: invalid } = this.counts
    return created + changed + unchanged + invalid
  }

  /**
   * Counts the rows.
   *
   * @returns the errors of the invalid rows
   */
  add(checkedRows: readonly CheckedRow[]): ImportError[] {
    const faults: ImportError[] = []
    for (const checkedRow of checkedRows) {
      if (isInvalid(checkedRow)) {
        this.counts.faulty++
        faults.push(...checkedRow.errors)
      } else this.counts[checkedRow.kind!]++
    }
    const room = MOST_ERRORS - this.counts.faults.length
    if (room > 0) this.counts.faults.push(...faults.slice(0, room))
    return faults
  }
}

/* Maximum number of rows in the preview */
const MOST_SHOWN = 10

/*
 * Number of rows above which the page warns that a single transaction blocks other writers of SQLite for some seconds.
 */
const LONG = 5000

/**
 * Dry run: validates every row of a file, and writes none.
 *
 * @param errorsTo    path of a new file for all errors, as lines of JSON
 * @param onProgress  called after each part with the number of rows so far; can throw to stop the dry run
 * @throws FileError
 */
export async function tryRows(
  site: ImportSite,
  spec: ImportSpec,
  file: { path: string; shape: FileShape },
  errorsTo: string | null,
  onProgress: (rows: number) => Promise<void> | void = () => {}
): Promise<DryRun> {
  const { view } = spec.importer
  const client = readersOf(view.client()) ?? view.client()
  const { rows: maxRows, invalidRows } = site.imports
  const dates = await findDateOrders(spec, { ...file, maxRows }, () => onProgress(0))
  const checker = new RowChecker(site, withDateOrders(spec, dates))
  const tally = new Tally()
  const preview: ImportPreview[] = []
  const output = errorsTo === null ? null : createWriteStream(errorsTo, { mode: 0o600 })
  try {
    for await (const rows of rowBatches(file.path, file.shape, ROWS_PER_PART, maxRows)) {
      const checkedRows = await checker.check(rows, client, true)
      for (const checkedRow of checkedRows) {
        if (preview.length < MOST_SHOWN) preview.push(...previewOf(spec, checkedRow))
      }
      const faults = tally.add(checkedRows)
      const lines = faults.map((error) => `${JSON.stringify(error)}\n`).join('')
      if (output && lines !== '' && !output.write(lines)) await once(output, 'drain')
      if (tally.counts.faulty > invalidRows) throw tooManyInvalid(tally, invalidRows)
      await onProgress(tally.rows)
    }
  } finally {
    output?.end()
    if (output) await finished(output)
  }
  const shown = { notes: notesOf(site, spec, tally), preview, ...(dates.length > 0 && { dates }) }
  return { ...tally.counts, ...shown }
}

function tooManyInvalid({ counts }: Tally, most: number): ReadingLimit {
  const [{ line, message }] = counts.faults
  return new ReadingLimit('sheets.errors.manyInvalid', { most, message }, line)
}

/** Returns the catalogue keys of the notes, below `import.notes`. */
function notesOf(site: Site & WithJobs, { importer }: ImportSpec, { counts }: Tally): string[] {
  const client = importer.view.client()
  const isSqlite = client.dialect.name.includes('sqlite')
  const isOne = isSqlite && !writesInPartsTo(site, client)
  return isOne && counts.new + counts.changed > LONG ? ['holdsWriter'] : []
}

function previewOf({ importer }: ImportSpec, checkedRow: CheckedRow): ImportPreview[] {
  if (isInvalid(checkedRow) || (checkedRow.kind !== 'new' && checkedRow.kind !== 'changed'))
    return []
  const { changes, kind, row, seen } = checkedRow
  const { titleColumn } = importer.view
  const title =
    titleColumn && seen
      ? attributeValue(titleColumn, seen.$original)
      : changes.get(titleColumn?.apiName ?? '')?.after
  return [
    {
      line: row.line,
      title: title === null || title === undefined ? null : String(title).slice(0, 200),
      kind,
      changes: [...changes].map(([field, change]) => ({ field, ...change })),
    },
  ]
}
