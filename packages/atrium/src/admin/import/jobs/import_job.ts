import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Site } from '../../views/site.js'
import type { WithDatabase } from '../../config/database_config.js'
import type { WithJobs } from '../../jobs/jobs.js'
import { revertEvent } from '../../undo/undo_in_job.js'
import { JobFailure, FileError } from '../../jobs/job_errors.js'
import { JobKind, type JobFigure, type JobLink } from '../../jobs/job_kind.js'
import type { JobRun } from '../../jobs/job_run.js'
import type AdminImport from '../../models/admin_import.js'
import type AdminJob from '../../models/admin_job.js'
import { plainText } from '../../text/plain_text.js'
import { ImportAction, writeAllRows } from '../rows/row_writer.js'
import { withStoredFile, dryRunOfStoredFile } from '../import_files.js'
import { Tally, type ImportSite } from '../dry_run.js'
import { HOURS, ImportStore } from '../import_store.js'
import {
  importAdvice,
  importCancelNote,
  importFigures,
  importLinks,
} from '../pages/import_links.js'
import { writesInParts } from '../../jobs/part_size.js'
import { ImportInParts, SkippedRows, importInJob } from './import_in_parts.js'

/** Name of the job kind */
export const IMPORT_JOB = 'import'

/* Maximum number of invalid rows on the job's page */
const MOST_NAMED = 5

/**
 * The job that runs an import: all rows or none, or all except the invalid ones. Every row is validated again. If one
 * long transaction would block other writers, all rows or none are written in parts, which are reverted on an error.
 * After an interruption, the job continues after the last finished part.
 */
export class ImportJob extends JobKind {
  readonly #store = new ImportStore()
  readonly name = IMPORT_JOB
  readonly again = 'rest'

  constructor(private readonly site: Site & WithDatabase & WithJobs) {
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

  override adviceOf(job: AdminJob): string | null {
    return importAdvice(this.site, job)
  }

  override cancelNoteOf(job: AdminJob): string | null {
    return importCancelNote(this.site, job)
  }

  override reverts({ model, payload }: AdminJob): boolean {
    return payload.skipFaulty !== true && writesInParts(this.site, model)
  }

  override async revert(run: JobRun): Promise<string | null> {
    const event = run.job.notes?.event
    const left = typeof event === 'number' ? await revertEvent(this.site, run, event) : null
    const one = await this.#store.find(Number(run.job.payload.import))
    if (one) {
      const { faulty: invalid = 0, faults: errors = [] } = one.counts ?? {}
      one.counts = { new: 0, changed: 0, unchanged: 0, faulty: invalid, faults: errors }
      one.merge({ eventId: null, state: 'failed' })
      await this.#store.save(one)
    }
    return left
  }

  async perform(run: JobRun): Promise<Record<string, unknown>> {
    const { one } = await importInJob(this.site, run)
    if (!(await this.#store.claim(one, run.job.id, ['running', 'failed']))) {
      throw new JobFailure('import.job.superseded')
    }
    return await withStoredFile(one.fileKey, async (pathOf, scratch) => {
      const path = await pathOf('file')
      if (path === null) throw new JobFailure('import.refused.fileGone')
      const isShort = writesInParts(this.site, run.job.model)
      if (run.job.payload.skipFaulty === true) {
        const leftOut = new SkippedRows(one.fileKey, await pathOf('faults'), scratch)
        const parts = new ImportInParts(this.site, run, this.#store, isShort, leftOut)
        await leftOut.during(() => parts.perform(path))
      } else if (isShort) await this.#inParts(run, path)
      else if (run.done === 0) {
        const result = await this.#asOne(run, path)
        if (result) return result
      }
      return await this.#end(run)
    })
  }

  async #inParts(run: JobRun, path: string): Promise<void> {
    const parts = new ImportInParts(this.site, run, this.#store, true, null)
    const invalid = await parts.perform(path)
    if (!invalid) return
    await this.#noteInvalid(run, invalid)
    throw this.#invalid(invalid)
  }

  /** @returns the result if the job ended in the transaction of the rows; otherwise null */
  async #asOne(run: JobRun, path: string): Promise<Record<string, unknown> | null> {
    const { one, spec } = await importInJob(this.site, run)
    const { importer } = spec
    const client = importer.view.client()
    const tally = new Tally()
    const action = new ImportAction(importer, one.fileName, tally, null)
    const isTogether = run.store.isIn(client)
    let result: Record<string, unknown> | null = null
    await run
      .step(client, run.job.total ?? 0, async (transaction) => {
        await writeAllRows(this.site, spec, { path, shape: one.shape }, tally, transaction, {
          skipInvalid: false,
          onProgress: () => run.goOnWithin(transaction),
        })
        if (tally.counts.faulty > 0) throw this.#invalid(tally)
        if (!isTogether) return
        one.counts = structuredClone(tally.counts)
        result = await this.#close(one, action, transaction)
        return { result }
      })
      .catch(async (error) => {
        if (tally.counts.faulty > 0) await this.#noteInvalid(run, tally)
        throw error
      })
    if (isTogether) return result
    await action.settle()
    one.counts = structuredClone(tally.counts)
    one.eventId = action.eventId
    await this.#store.save(one)
    return null
  }

  async #noteInvalid(run: JobRun, { counts }: Tally): Promise<void> {
    const { one } = await importInJob(this.site, run)
    one.counts = { ...counts, new: 0, changed: 0, unchanged: 0 }
    if (run.done === 0) one.state = 'failed'
    await this.#store.save(one)
  }

  /**
   * Logs the end of the import. The event contains the numbers of all parts, including the last ones, which may have
   * written nothing.
   */
  async #end(run: JobRun): Promise<Record<string, unknown>> {
    const { one, spec } = await importInJob(this.site, run)
    const action = new ImportAction(spec.importer, one.fileName, new Tally(one.counts), one.eventId)
    let result: Record<string, unknown> = {}
    await run.step(this.#store.client(), 0, async (transaction) => {
      result = await this.#close(one, action, transaction)
      return { result }
    })
    return result
  }

  /** Saves that the import is done, in the transaction that completes it. */
  async #close(
    one: AdminImport,
    action: ImportAction,
    client: TransactionClientContract
  ): Promise<Record<string, unknown>> {
    const { new: created, changed, faulty: skipped, unchanged } = one.counts ?? new Tally().counts
    const isLogged = action.eventId !== null || created + changed === 0
    if (isLogged) await this.site.events.endAction(action, client)
    one.eventId = action.eventId
    one.state = 'done'
    await this.#store.save(one, client)
    const counts = { created, changed, unchanged, skipped }
    const message = this.site.text('import.job.done', counts)
    /* Time at which the file of the skipped rows is removed. */
    const storedUntil = one.createdAt.plus({ hours: HOURS }).toISO()
    return { message, ...counts, ...(skipped > 0 && { keptUntil: storedUntil }) }
  }

  #invalid({ counts }: Tally): JobFailure {
    const named = counts.faults
      .slice(0, MOST_NAMED)
      .map(({ line, message }) => this.site.text('import.job.line', { line, message }))
      .map((text) => plainText(text, 200).text)
    const rest =
      counts.faulty > new Set(counts.faults.slice(0, MOST_NAMED).map((one) => one.line)).size
    const errors = named.join(' · ') + (rest ? ' …' : '')
    return new JobFailure('import.job.invalidRows', { count: counts.faulty, errors })
  }
}

/** Name of the job kind */
export const DRY_RUN_JOB = 'import_trial'

/** The job for the dry run of a long file. The job writes only its result, so it restarts after an interruption. */
export class ImportDryRunJob extends JobKind {
  readonly #store = new ImportStore()
  readonly name = DRY_RUN_JOB
  readonly again = null

  constructor(private readonly site: ImportSite) {
    super()
  }

  titleOf({ payload, model }: AdminJob): string {
    const label = this.site.models.get(model ?? '')?.label ?? model ?? ''
    return this.site.text('import.job.trial', { file: String(payload.file), model: label })
  }

  async perform(run: JobRun): Promise<Record<string, unknown>> {
    const { one, spec } = await importInJob(this.site, run)
    try {
      const dryRun = await dryRunOfStoredFile(this.site, spec, one, async (rows) => {
        await run.goOn()
        await run.reportProgress(rows)
      })
      if (!(await this.#store.claim(one, run.job.id, ['trying']))) {
        throw new JobFailure('import.job.superseded')
      }
      one.dryRun = dryRun
      one.state = 'tried'
      await this.#store.save(one)
      const { new: created, changed, unchanged, faulty: invalid } = dryRun
      const counts = { new: created, changed, unchanged, faulty: invalid }
      return { message: this.site.text('import.job.tried', counts), ...counts }
    } catch (error) {
      if (error instanceof FileError) throw new JobFailure(error.key, error.data)
      throw error
    }
  }
}
