import { once } from 'node:events'
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import type { HttpContext } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import { requestsFirst } from '#base/event_loop'
import type { Site } from '../../views/site.js'
import { ImportRefused } from '../import_access.js'
import { NotAllowed } from '../../http/errors.js'
import { JobFailure } from '../../jobs/job_errors.js'
import type { JobRun } from '../../jobs/job_run.js'
import type AdminImport from '../../models/admin_import.js'
import type { ImportError } from '../../models/admin_import.js'
import { ImportStore } from '../import_store.js'
import { importSpec, type ImportSpec } from '../import_spec.js'
import { importerOf } from '../import_fields.js'
import { storePart } from '../import_files.js'
import { PartSize } from '../../jobs/part_size.js'
import type { FileRow } from '../../sheets/file_shape.js'
import { ImportAction, PART, writeRows } from '../rows/row_writer.js'
import { ROWS_PER_PART, RowSource, Tally } from '../dry_run.js'
import { isInvalid, type CheckedRow } from '../rows/checked_row.js'
import { RowChecker } from '../rows/row_checker.js'
import { chunks } from '#base/chunks'

/** An import that a job works on. */
interface ImportInJob {
  ctx: HttpContext
  one: AdminImport
  spec: ImportSpec
}

/**
 * Returns the import of a job, with the current permissions of the owner.
 *
 * @throws JobFailure
 * @throws NotAllowed
 */
export async function importInJob(site: Site, run: JobRun): Promise<ImportInJob> {
  const { job } = run
  const ctx = await run.context()
  const one = await new ImportStore().find(Number(job.payload.import))
  if (!one) throw new JobFailure('import.job.gone')
  const view = site.models.get(one.model)
  if (!view) throw new JobFailure('jobs.errors.modelGone', { model: one.model })
  if (!view.admits(ctx)) throw new NotAllowed()
  try {
    const spec = await importSpec(site, await importerOf(ctx, view), one.shape, one)
    return { ctx, one, spec }
  } catch (error) {
    if (error instanceof ImportRefused) throw new JobFailure(error.key, error.data)
    throw error
  }
}

/**
 * Stores the errors of the rows that a run in parts skips. They replace those of the dry run, because records may have
 * changed since then. For the rows before an interruption, the stored errors remain.
 */
export class SkippedRows {
  #output: WriteStream | undefined

  /**
   * @param key      key of the import's file
   * @param stored   path of the stored errors; null if there are none
   * @param scratch  path of a new file
   */
  constructor(
    private readonly key: string,
    private readonly stored: string | null,
    private readonly scratch: string
  ) {}

  /** Runs the work and stores the errors, even if the work fails. */
  async during(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } finally {
      await this.#keep()
    }
  }

  /**
   * Adds the errors of a finished part.
   *
   * @param line  line of the first row of the part
   */
  async add(line: number, errors: readonly ImportError[]): Promise<void> {
    this.#output ??= await this.#begin(line)
    for (const error of errors) await write(this.#output, JSON.stringify(error))
  }

  async #begin(first: number): Promise<WriteStream> {
    const output = createWriteStream(this.scratch, { mode: 0o600 })
    if (this.stored === null) return output
    const input = createReadStream(this.stored, 'utf8')
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      const { line } = JSON.parse(text) as ImportError
      if (line >= first) break
      await write(output, text)
    }
    input.destroy()
    return output
  }

  async #keep(): Promise<void> {
    const output = this.#output
    if (!output) return
    await finished(output.end())
    await storePart(this.key, 'faults', this.scratch)
  }
}

async function write(output: WriteStream, text: string): Promise<void> {
  if (!output.write(`${text}\n`)) await once(output, 'drain')
}

/** Thrown to end the transaction of a part with invalid rows. */
class InvalidPart extends Error {
  constructor(readonly checkedRows: readonly CheckedRow[]) {
    super('The part has invalid rows')
  }
}

/**
 * Writes the rows of an import in several transactions, each including the progress of the job. On SQLite, which has a
 * single writer, each transaction is short.
 */
export class ImportInParts {
  readonly #size: PartSize

  /**
   * @param isShort  true for short transactions
   * @param leftOut  stores the errors of invalid rows, which are skipped; null: invalid rows end the import
   */
  constructor(
    private readonly site: Site,
    private readonly run: JobRun,
    private readonly store: ImportStore,
    private readonly isShort: boolean,
    private readonly leftOut: SkippedRows | null
  ) {
    this.#size = new PartSize(isShort)
  }

  /**
   * Writes the rows of the file.
   *
   * @returns the tally of all invalid rows if they ended the import; null if everything is written
   */
  async perform(path: string): Promise<Tally | null> {
    const { one, spec } = await importInJob(this.site, this.run)
    const source = new RowSource(path, one.shape)
    const checker = new RowChecker(this.site, spec)
    try {
      await this.#skip(source, checker)
      for (;;) {
        const rows = await source.take(Math.min(this.#size.rows, PART.rows))
        if (rows.length === 0) return null
        const present = await importInJob(this.site, this.run)
        checker.continueAs(present.spec)
        const invalid = await this.#part(present, checker, rows)
        if (invalid) return await this.#countInvalid(source, checker, invalid)
        await this.#size.pause()
      }
    } finally {
      await source.close()
    }
  }

  /** Skips the rows that earlier runs have written. */
  async #skip(source: RowSource, checker: RowChecker): Promise<void> {
    const { spec } = await importInJob(this.site, this.run)
    for (let left = this.run.done; left > 0;) {
      const rows = await source.take(Math.min(ROWS_PER_PART, left))
      if (rows.length === 0) return
      left -= rows.length
      await checker.skip(rows, reading(spec.importer.view.client()))
      await requestsFirst()
    }
  }

  /** @returns the checked rows of the part if invalid rows end the import; otherwise null */
  async #part(
    present: ImportInJob,
    checker: RowChecker,
    rows: readonly FileRow[]
  ): Promise<readonly CheckedRow[] | null> {
    try {
      const errors = await this.#write(present, checker, rows)
      await this.leftOut?.add(rows[0].line, errors)
      return null
    } catch (error) {
      if (error instanceof InvalidPart) return error.checkedRows
      throw error
    }
  }

  async #write(
    { one, spec }: ImportInJob,
    checker: RowChecker,
    rows: readonly FileRow[]
  ): Promise<ImportError[]> {
    const { importer } = spec
    const errors: ImportError[] = []
    const client = importer.view.client()
    const tally = new Tally(this.run.done > 0 ? one.counts : null)
    const action = new ImportAction(importer, one.fileName, tally, one.eventId)
    const isTogether = this.run.store.isIn(client)
    await this.run.step(client, rows.length, async (transaction) => {
      await this.#size.measure(rows.length, async () => {
        for (const some of chunks(rows, ROWS_PER_PART)) {
          const checkedRows = await checker.check(some, transaction, false)
          this.#refuse(checkedRows)
          await writeRows(this.site, importer, checkedRows, transaction, () => {
            this.#refuse(checkedRows)
            errors.push(...tally.add(checkedRows))
          })
          if (!this.isShort) await requestsFirst()
        }
        if (isTogether) await this.#keep(one, tally, action, transaction)
      })
      return { notes: { ...this.run.job.notes, event: action.eventId } }
    })
    if (!isTogether) {
      await action.settle()
      await this.#keep(one, tally, action)
    }
    return errors
  }

  /** @throws InvalidPart */
  #refuse(checkedRows: readonly CheckedRow[]): void {
    if (!this.leftOut && checkedRows.some(isInvalid)) throw new InvalidPart(checkedRows)
  }

  /** Saves the progress, in the transaction of the rows if there is one. */
  async #keep(
    one: AdminImport,
    tally: Tally,
    { eventId }: ImportAction,
    client?: TransactionClientContract
  ): Promise<void> {
    one.counts = structuredClone(tally.counts)
    one.eventId = eventId
    await this.store.save(one, client)
  }

  /** Counts all further invalid rows, so that they can be corrected together. */
  async #countInvalid(
    source: RowSource,
    checker: RowChecker,
    invalid: readonly CheckedRow[]
  ): Promise<Tally> {
    const tally = new Tally()
    tally.add(invalid.filter(isInvalid))
    for (;;) {
      await this.run.goOn()
      const { spec } = await importInJob(this.site, this.run)
      const rows = await source.take(ROWS_PER_PART)
      if (rows.length === 0) return tally
      const client = reading(spec.importer.view.client())
      const checkedRows = await checker.check(rows, client, false)
      tally.add(checkedRows.filter(isInvalid))
      await requestsFirst()
    }
  }
}

function reading<Client extends Parameters<typeof readersOf>[0]>(client: Client) {
  return readersOf(client) ?? client
}
