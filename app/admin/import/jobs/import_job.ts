import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { inTransaction, requestsFirst } from '#crud/internals'
import type { AdminSite } from '../../admin_site.js'
import type { LongAction } from '../../events/long_action.js'
import { JobFailure } from '../../errors.js'
import { JobKind, type JobFigure, type JobLink } from '../../jobs/job_kind.js'
import type { JobRun } from '../../jobs/job_run.js'
import type AdminImport from '../../models/admin_import.js'
import type { ImportFault } from '../../models/admin_import.js'
import type AdminJob from '../../models/admin_job.js'
import type { FileRow } from '../../sheets/file_shape.js'
import { plainText } from '../../text/plain_text.js'
import { importAction } from '../import_action.js'
import { withKept } from '../kept_file.js'
import { ROWS_AT_ONCE, rowBatches } from '../row_batches.js'
import { RowChecker } from '../rows/row_checker.js'
import { writeRows } from '../rows/row_writer.js'
import { Tally } from '../tally.js'
import { PART, writeAllRows } from '../write_all_rows.js'
import { HOURS, ImportStore } from '../import_store.js'
import { importAdvice, importCancelNote, importFigures, importLinks } from '../pages/job_words.js'
import { LeftOut } from './left_out.js'
import { importInJob, type ImportInJob } from './import_context.js'

/** Name of the kind */
export const IMPORT_JOB = 'import'

/* Faulty rows that the job's page names */
const MOST_NAMED = 5

/**
 * The run of an import: all rows in one transaction, or a thousand each without the faulty ones. Every row is judged
 * again. After an interruption it goes on behind the last part that was done. [D3]
 */
export class ImportJob extends JobKind {
  readonly #store = new ImportStore()
  readonly name = IMPORT_JOB
  readonly again = 'rest'

  constructor(private readonly site: AdminSite) {
    super()
  }

  titleOf({ payload, model }: AdminJob): string {
    const label = this.site.models.get(model ?? '')?.label ?? model ?? ''
    return this.site.text('import.job.title', { file: String(payload.file), model: label })
  }

  override figuresOf(job: AdminJob): JobFigure[] {
    return importFigures(this.site, job)
  }

  override linksOf(job: AdminJob): JobLink[] {
    return importLinks(this.site, job)
  }

  override adviceOf(job: AdminJob): string {
    return importAdvice(this.site, job)
  }

  override cancelNoteOf(job: AdminJob): string | null {
    return importCancelNote(this.site, job)
  }

  async perform(run: JobRun): Promise<Record<string, unknown>> {
    const { one } = await importInJob(this.site, run)
    if (!(await this.#store.claim(one, run.job.id, ['running', 'failed']))) {
      throw new JobFailure('import.job.superseded')
    }
    return await withKept(one.fileKey, async (pathOf, scratch) => {
      const path = await pathOf('file')
      if (path === null) throw new JobFailure('import.refused.fileGone')
      if (run.job.payload.skipFaulty === true) {
        const leftOut = new LeftOut(one.fileKey, await pathOf('faults'), scratch)
        await leftOut.during(() => this.#inParts(run, path, leftOut))
      } else if (run.done === 0) await this.#asOne(run, path)
      return await this.#end(run)
    })
  }

  async #asOne(run: JobRun, path: string): Promise<void> {
    const { one, spec } = await importInJob(this.site, run)
    const { importer } = spec
    const client = importer.view.client()
    const tally = new Tally()
    const action = importAction(importer, one.fileName, tally, null)
    const isTogether = run.store.isIn(client)
    await run
      .step(client, run.job.total ?? 0, async (transaction) => {
        await writeAllRows(this.site, spec, { path, shape: one.shape }, tally, transaction, {
          skipFaulty: false,
          told: () => run.goOnWithin(transaction),
        })
        if (tally.counts.faulty === 0 && isTogether)
          await this.#keep(one, tally, action, transaction)
        if (tally.counts.faulty > 0) throw this.#faulty(tally)
      })
      .catch(async (error) => {
        if (tally.counts.faulty > 0) {
          one.counts = { ...tally.counts, new: 0, changed: 0, unchanged: 0 }
          one.state = 'failed'
          await this.#store.save(one)
        }
        throw error
      })
    if (!isTogether) await this.#keepAfter(one, tally, action)
  }

  async #inParts(run: JobRun, path: string, leftOut: LeftOut): Promise<void> {
    let { one, spec } = await importInJob(this.site, run)
    const checker = new RowChecker(this.site, spec)
    let position = 0
    for await (const rows of rowBatches(path, one.shape, PART.rows)) {
      position += rows.length
      if (position <= run.done) {
        await checker.skip(rows, spec.importer.view.client())
        continue
      }
      const present = await importInJob(this.site, run)
      ;({ one, spec } = present)
      checker.continueAs(spec)
      const faults = await this.#writePart(run, present, checker, rows)
      await leftOut.add(rows[0].line, faults)
    }
  }

  async #writePart(
    run: JobRun,
    { one, spec }: ImportInJob,
    checker: RowChecker,
    rows: readonly FileRow[]
  ): Promise<ImportFault[]> {
    const { importer } = spec
    const faults: ImportFault[] = []
    const client = importer.view.client()
    const tally = new Tally(one.counts)
    const action = importAction(importer, one.fileName, tally, one.eventId)
    const isTogether = run.store.isIn(client)
    await run.step(client, rows.length, async (transaction) => {
      for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
        const some = rows.slice(start, start + ROWS_AT_ONCE)
        const drafts = await checker.check(some, transaction, false)
        await writeRows(this.site, importer, drafts, transaction, () => {
          faults.push(...tally.add(drafts))
        })
        await requestsFirst()
      }
      if (isTogether) await this.#keep(one, tally, action, transaction)
    })
    if (!isTogether) await this.#keepAfter(one, tally, action)
    return faults
  }

  /** Progress is noted in the transaction that makes it. */
  async #keep(
    one: AdminImport,
    tally: Tally,
    { eventId }: LongAction,
    client?: TransactionClientContract
  ): Promise<void> {
    one.counts = structuredClone(tally.counts)
    one.eventId = eventId
    await this.#store.save(one, client)
  }

  async #keepAfter(one: AdminImport, tally: Tally, action: LongAction): Promise<void> {
    await action.settle()
    await this.#keep(one, tally, action)
  }

  /** The event tells the rows of all parts, also of the last ones, which may have written nothing. */
  async #end(run: JobRun): Promise<Record<string, unknown>> {
    const { one, spec } = await importInJob(this.site, run)
    const { events } = this.site
    const tally = new Tally(one.counts)
    const { new: created, changed, faulty: skipped, unchanged } = tally.counts
    const action = importAction(spec.importer, one.fileName, tally, one.eventId)
    await inTransaction(this.#store.client(), async (transaction) => {
      const isLogged = one.eventId !== null || created + changed === 0
      if (isLogged) await events.endAction(action, spec.importer, transaction)
      one.eventId = action.eventId
      one.state = 'done'
      await this.#store.save(one, transaction)
    })
    const counts = { created, changed, unchanged, skipped }
    const message = this.site.text('import.job.done', counts)
    /* Then the file of the rows that were left out is gone. */
    const keptUntil = one.createdAt.plus({ hours: HOURS }).toISO()
    return { message, ...counts, ...(skipped > 0 && { keptUntil }) }
  }

  #faulty({ counts }: Tally): JobFailure {
    const named = counts.faults
      .slice(0, MOST_NAMED)
      .map(({ line, message }) => this.site.text('import.job.line', { line, message }))
      .map((text) => plainText(text, 200).text)
    const rest =
      counts.faulty > new Set(counts.faults.slice(0, MOST_NAMED).map((one) => one.line)).size
    const faults = named.join(' · ') + (rest ? ' …' : '')
    return new JobFailure('import.job.faulty', { count: counts.faulty, faults })
  }
}
