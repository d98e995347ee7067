import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'
import { UndoRefused, stepOf, type UndoStep, type UndoTarget } from './undo_plan.js'
import { isOfProcess, PartSize } from '../jobs/part_size.js'
import type { StepOutcome } from '../jobs/job_run.js'
import AdminAuditLog from '../models/admin_audit_log.js'
import { EventInParts, nothingLogged, type LoggedParts } from '../events/long_action.js'
import { undoSteps, type UndoneBy } from './undo_event.js'

/* Maximum number of unreverted records whose names are stored */
const MOST_NAMED = 10

/** Records that could not be reverted */
export interface Left {
  count: number
  names: string[]
}

/** Progress of an undo in parts, as stored in the notes of its job */
export interface UndoNotes {
  /** Id of the event that is undone */
  event: number
  /** What has been logged so far for the event of the undo */
  by: LoggedParts
  /** Id of the last audit row that was undone */
  last: number | null
  undone: number
  left: Left
}

/** The run of a job, or of a command that runs the same steps without a job */
export interface StepRunner {
  readonly job: { notes: Record<string, unknown> | null }
  readonly store: { client(): QueryClientContract }
  step(
    client: QueryClientContract,
    count: number,
    work: (transaction: TransactionClientContract) => Promise<StepOutcome>
  ): Promise<void>
}

/** What to undo, and on whose behalf */
export interface UndoPlan {
  /** Key of the progress in the job's notes */
  name: 'undo' | 'revert'
  /** Change of the job's progress count per undone record: 1 for an undo, -1 when a job's own records are reverted */
  counts: 1 | -1
  /** True to continue with the next records if one can't be undone */
  leavesRecords: boolean
  /**
   * All steps, in an order that foreign keys allow; undefined if there are too many, so that rows are read in parts,
   * the last one first
   */
  steps?: readonly UndoStep[]
  /** Class name of the event's model; null: the model of the first record */
  model: string | null
  /** Owner of the logged event, if not the actor */
  owner?: { id: number; username: string }
  /** Returns actor and targets for the next part; called for each part, so that permissions are checked again */
  begin(): Promise<Begun>
}

interface Begun {
  by: UndoneBy
  targetOf(name: string): Promise<UndoTarget>
}

/**
 * Undoes an event in several short transactions, logged as one event. Long transactions would block all other writers
 * on SQLite, which allows one writer at a time.
 */
export class UndoInParts {
  readonly #size = new PartSize()
  #notes: UndoNotes

  constructor(
    private readonly site: Site & WithDatabase,
    private readonly run: StepRunner,
    event: number,
    private readonly plan: UndoPlan
  ) {
    const by = { ...nothingLogged(plan.model), details: { undoes: event } }
    const none = { event, by, last: null, undone: 0, left: { count: 0, names: [] } }
    const noted = run.job.notes?.[plan.name] as UndoNotes | undefined
    this.#notes = noted?.event === event ? noted : none
  }

  /**
   * Undoes the rest of the event.
   *
   * @returns the records that could not be undone
   * @throws UndoRefused, Problem  if a record can't be undone and the plan does not allow leaving records
   */
  async perform(): Promise<Left> {
    const { steps } = this.plan
    for (;;) {
      const begun = await this.plan.begin()
      const goesOn = steps ? await this.#nextSteps(begun, steps) : await this.#nextRows(begun)
      if (!goesOn) return this.#notes.left
      await this.#size.pause()
    }
  }

  async #nextSteps({ by, targetOf }: Begun, all: readonly UndoStep[]): Promise<boolean> {
    const rest = all.slice(this.#notes.undone)
    if (rest.length === 0) return false
    await this.#size.writeSome(rest.length, async (count) => {
      const steps: UndoStep[] = []
      for (const step of rest.slice(0, count)) {
        steps.push({ ...step, target: await targetOf(step.resourceType) })
      }
      await this.#part(by, steps, this.#notes.last)
    })
    return true
  }

  async #nextRows({ by, targetOf }: Begun): Promise<boolean> {
    const rows = await this.#rows()
    if (rows.length === 0) return false
    await this.#undo(by, targetOf, rows)
    return true
  }

  /**
   * Returns the next rows, at most one per record, as the later change of a record must be undone before the earlier
   * one.
   */
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
      await this.#part(by, steps, rows.at(-1)!.id)
    } catch (error) {
      if (!this.plan.leavesRecords || (isOfProcess(error) && !(error instanceof UndoRefused)))
        throw error
      if (rows.length === 1) return await this.#leave(rows[0])
      for (const row of rows) await this.#undo(by, targetOf, [row])
    }
  }

  async #part(by: UndoneBy, steps: UndoStep[], last: number | null): Promise<void> {
    const client = steps[0].target.resource.client()
    await this.#step(client, async (transaction) => {
      const action = new EventInParts(this.#notes.by, this.plan.owner).of(by)
      await this.#size.measure(steps.length, () => undoSteps(by, steps, transaction, true))
      const undone = this.#notes.undone + steps.length
      return { ...this.#notes, last, undone, by: action.logged }
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
}

function idOf({ resourceId, resourceType }: AdminAuditLog): string {
  return `${resourceType}/${resourceId}`
}
