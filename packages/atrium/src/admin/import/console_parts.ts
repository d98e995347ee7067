import app from '@adonisjs/core/services/app'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { systemActor, ValueError } from '#crud'
import { inTransaction } from '#base/database/transaction'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'
import { revertEventAs } from '../undo/undo_in_job.js'
import type { StepRunner } from '../undo/undo_in_parts.js'
import { PartSize } from '../jobs/part_size.js'
import type { StepOutcome } from '../jobs/job_run.js'
import type { FileShape } from '../sheets/file_shape.js'
import { ImportAction, writeRows } from './rows/row_writer.js'
import type { ImportSpec } from './import_spec.js'
import { ROWS_PER_PART, rowBatches, RowSource, Tally } from './dry_run.js'
import { isInvalid, type CheckedRow } from './rows/checked_row.js'
import { RowChecker } from './rows/row_checker.js'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

interface Options {
  skipInvalid: boolean
  onProgress: (rows: number) => void
}

/**
 * Thrown to roll back a part of the import with rows that have become invalid since they were checked.
 */
class InvalidRows extends Error {
  constructor(readonly checkedRows: readonly CheckedRow[]) {
    super('Rows have become invalid')
  }
}

/**
 * An import by the operator in several transactions, because SQLite has a single writer that a running site would have
 * to wait for. All rows are checked first; an error, Ctrl+C or SIGTERM reverts the written rows.
 */
export class ConsoleParts {
  readonly #tally = new Tally()
  readonly #action: ImportAction
  readonly #client: QueryClientContract
  #isStopping = false

  constructor(
    private readonly site: Site & WithDatabase,
    private readonly spec: ImportSpec,
    private readonly file: { path: string; shape: FileShape },
    name: string,
    private readonly options: Options
  ) {
    this.#action = new ImportAction(spec.importer, name, this.#tally, null)
    this.#client = spec.importer.view.client()
  }

  /**
   * @returns the effects of the rows, or the effects that they would have if some are invalid
   * @throws ValueError  if the import was stopped, or records could not be reverted
   */
  async perform(): Promise<Tally> {
    if (!this.options.skipInvalid) {
      const checked = await this.#check()
      if (checked.counts.faulty > 0) return checked
    }
    const stop = () => void (this.#isStopping = true)
    const work = this.#writeOrRevert()
    for (const signal of SIGNALS) process.on(signal, stop)
    app.terminating(async () => {
      stop()
      await work.catch(() => {})
    })
    try {
      return await work
    } finally {
      for (const signal of SIGNALS) process.off(signal, stop)
    }
  }

  async #check(): Promise<Tally> {
    const tally = new Tally()
    const checker = new RowChecker(this.site, this.spec)
    const client = readersOf(this.#client) ?? this.#client
    for await (const rows of rowBatches(this.file.path, this.file.shape, ROWS_PER_PART)) {
      tally.add(await checker.check(rows, client, false))
      this.options.onProgress(tally.rows)
    }
    return tally
  }

  async #writeOrRevert(): Promise<Tally> {
    try {
      await this.#writeAll()
      return this.#tally
    } catch (error) {
      const left = await this.#revert()
      if (left !== null) throw new ValueError(`${reasonOf(error)}. ${left}`)
      if (!(error instanceof InvalidRows)) throw error
      const tally = new Tally()
      tally.add(error.checkedRows.filter(isInvalid))
      return tally
    }
  }

  async #writeAll(): Promise<void> {
    const source = new RowSource(this.file.path, this.file.shape)
    const checker = new RowChecker(this.site, this.spec)
    const size = new PartSize()
    try {
      for (;;) {
        const rows = await source.take(size.rows)
        if (rows.length === 0) break
        await inTransaction(this.#client, async (transaction) => {
          await size.measure(rows.length, async () => {
            const checkedRows = await checker.check(rows, transaction, false)
            this.#refuse(checkedRows)
            await this.#write(checkedRows, transaction)
          })
        })
        this.options.onProgress(this.#tally.rows)
        await size.pause()
        if (this.#isStopping) throw new ValueError('The import was stopped: nothing was written')
      }
    } finally {
      await source.close()
    }
    await inTransaction(this.#client, (transaction) =>
      this.site.events.endAction(this.#action, transaction)
    )
  }

  async #write(
    checkedRows: readonly CheckedRow[],
    transaction: TransactionClientContract
  ): Promise<void> {
    await writeRows(this.site, this.spec.importer, checkedRows, transaction, () => {
      this.#refuse(checkedRows)
      this.#tally.add(checkedRows)
    })
  }

  /** @throws InvalidRows */
  #refuse(checkedRows: readonly CheckedRow[]): void {
    if (!this.options.skipInvalid && checkedRows.some(isInvalid)) throw new InvalidRows(checkedRows)
  }

  /**
   * Reverts the written rows.
   *
   * @returns a list in words of the records that could not be reverted; null if all were reverted
   */
  async #revert(): Promise<string | null> {
    const { eventId } = this.#action
    if (eventId === null) return null
    const by = { actor: systemActor('crud:import'), origin: undefined }
    const { name: model } = this.spec.importer.view
    return await revertEventAs(this.site, new ConsoleSteps(this.#client), eventId, by, { model })
  }
}

/** Runs the steps of a command. The notes are in memory only. */
class ConsoleSteps implements StepRunner {
  readonly job: StepRunner['job'] = { notes: null }
  readonly store: StepRunner['store']

  constructor(client: QueryClientContract) {
    this.store = { client: () => client }
  }

  async step(
    client: QueryClientContract,
    _count: number,
    work: (transaction: TransactionClientContract) => Promise<StepOutcome>
  ): Promise<void> {
    const { notes } = await inTransaction(client, work)
    this.job.notes = notes ?? null
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof InvalidRows) return 'Rows have become invalid'
  return error instanceof Error ? error.message : String(error)
}
