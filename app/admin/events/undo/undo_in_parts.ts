import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { requestsFirst, unavailability } from '#crud/internals'
import type { AdminSite } from '../../admin_site.js'
import { JobStopped, JobSuperseded, UndoRefused } from '../../errors.js'
import { PartSize } from '../../jobs/part_size.js'
import type { JobRun } from '../../jobs/job_run.js'
import AdminAuditLog from '../../models/admin_audit_log.js'
import { EventType } from '../event_type.js'
import { LongAction } from '../long_action.js'
import { undoSteps, type UndoneBy } from './undo_event.js'
import { stepOf } from './undo_plan.js'
import type { UndoStep, UndoTarget } from './undo_step.js'

/* Records that are named as not reverted */
const MOST_NAMED = 10

/** Records that could not be reverted */
export interface Left {
  count: number
  names: string[]
}

/** How far an undo in parts is, as the notes of its job hold it */
export interface UndoNotes {
  /** Id of the event that is undone */
  event: number
  /** Id of the event that undoes it */
  by: number | null
  /** Id of the last audit row that was undone */
  last: number | null
  undone: number
  left: Left
}

/** Who undoes, and what. */
export interface UndoPlan {
  /** Name of its notes in the job's */
  name: 'undo' | 'revert'
  /** 1 if records that are undone are done by the job, -1 if it has fewer then */
  counts: 1 | -1
  /** True to go on with the other records where one can't be undone */
  leavesRecords: boolean
  /** Asked anew for each part */
  begin(): Promise<{ by: UndoneBy; targetOf(name: string): Promise<UndoTarget> }>
}

/**
 * The undo of an event that several transactions have written, in short transactions again, the last record first, as
 * one event. SQLite has one writer, for which all others wait. [R7, D3]
 */
export class UndoInParts {
  readonly #size = new PartSize()
  #notes: UndoNotes

  constructor(
    private readonly site: AdminSite,
    private readonly run: JobRun,
    event: number,
    private readonly plan: UndoPlan
  ) {
    const none = { event, by: null, last: null, undone: 0, left: { count: 0, names: [] } }
    const noted = run.job.notes?.[plan.name] as UndoNotes | undefined
    this.#notes = noted?.event === event ? noted : none
  }

  /**
   * @returns the records that are left
   * @throws UndoRefused, Problem  unless records may be left
   */
  async perform(): Promise<Left> {
    for (;;) {
      const { by, targetOf } = await this.plan.begin()
      const rows = await this.#rows()
      if (rows.length === 0) return this.#notes.left
      await this.#undo(by, targetOf, rows)
      await requestsFirst()
    }
  }

  /** The next rows, each of another record: the later change of a record is undone before the earlier one. */
  async #rows(): Promise<AdminAuditLog[]> {
    const query = AdminAuditLog.query({ client: this.site.dbConfig.readingSession() })
      .select('id', 'resourceType', 'resourceId', 'reversal')
      .where('eventId', this.#notes.event)
      .orderBy('id', 'desc')
      .limit(this.#size.rows)
    if (this.#notes.last !== null) query.where('id', '<', this.#notes.last)
    const rows = await query
    const seen = new Set<string>()
    const isNext = (row: AdminAuditLog) => !seen.has(idOf(row)) && seen.add(idOf(row))
    const end = rows.findIndex((row) => !isNext(row))
    return end === -1 ? rows : rows.slice(0, end)
  }

  async #undo(
    by: UndoneBy,
    targetOf: (name: string) => Promise<UndoTarget>,
    rows: readonly AdminAuditLog[]
  ): Promise<void> {
    try {
      const steps: UndoStep[] = []
      for (const row of rows) steps.push(stepOf(row, await targetOf(row.resourceType)))
      await this.#part(by, steps, rows)
    } catch (error) {
      if (!this.plan.leavesRecords || isOfProcess(error)) throw error
      if (rows.length === 1) return await this.#leave(rows[0])
      for (const row of rows) await this.#undo(by, targetOf, [row])
    }
  }

  async #part(by: UndoneBy, steps: UndoStep[], rows: readonly AdminAuditLog[]): Promise<void> {
    const client = steps[0].target.resource.client()
    await this.#step(client, async (transaction) => {
      const notes = { ...this.#notes, last: rows.at(-1)!.id }
      notes.undone += rows.length
      const action = this.#action(by, steps[0], notes)
      await this.#size.measure(() => undoSteps(by, steps, transaction))
      return { ...notes, by: action.eventId }
    })
  }

  async #leave({ id, resourceId, resourceType }: AdminAuditLog): Promise<void> {
    const label = this.site.models.get(resourceType)?.singular ?? resourceType
    await this.#step(this.run.store.client(), async () => {
      const { count, names } = this.#notes.left
      const left = { count: count + 1, names: [...names, `${label} ${resourceId}`] }
      return { ...this.#notes, last: id, left: { ...left, names: left.names.slice(0, MOST_NAMED) } }
    })
  }

  async #step(
    client: QueryClientContract,
    work: (transaction: QueryClientContract) => Promise<UndoNotes>
  ): Promise<void> {
    const { name, counts } = this.plan
    let notes = this.#notes
    await this.run.step(client, 0, async (transaction) => {
      notes = await work(transaction)
      const count = counts * (notes.undone - this.#notes.undone)
      return { count, notes: { ...this.run.job.notes, [name]: notes } }
    })
    this.#notes = notes
  }

  #action(by: UndoneBy, { operation, reversal }: UndoStep, notes: UndoNotes): LongAction {
    const { id, userId, username, model } = this.run.job
    const isRemoval = reversal.before === null || operation === 'delete'
    const type = reversal.left === null ? EventType.CREATE : isRemoval ? EventType.DELETE : null
    const details = () => ({ count: notes.undone, undoes: notes.event, job: id })
    const owner = { id: userId, username }
    return new LongAction(type ?? EventType.UPDATE, model!, notes.by, details, owner).of(by)
  }
}

function idOf({ resourceId, resourceType }: AdminAuditLog): string {
  return `${resourceType}/${resourceId}`
}

/** True for an error that is not about the records */
function isOfProcess(error: unknown): boolean {
  if (error instanceof UndoRefused) return false
  const isEnd = error instanceof JobStopped || error instanceof JobSuperseded
  return isEnd || unavailability(error) !== undefined
}
