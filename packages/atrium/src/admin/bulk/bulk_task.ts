import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { KeyValue } from '#base/columns/key'
import { ValueError } from '#crud'
import type { deletionEffects } from '#crud/internals'
import { toProblem } from '#base/http/send_problem'
import type { DeletedMode } from '#base/columns/soft_delete'
import { UnknownKey } from '#base/errors'
import { groupedNumber } from '#base/values/numbers'
import type { Site } from '../views/site.js'
import type { ModelView } from '../views/model_view.js'
import { inSentence } from '../text/plain_text.js'
import type { Offer } from '../permissions/may.js'
import { BulkFailure } from './errors.js'
import { NotAllowed } from '../http/errors.js'
import { shownValue } from './bulk_ids.js'

type DeletionEffect = Awaited<ReturnType<typeof deletionEffects>>['effects'][number]['effect']

/** Records of one model, and the effect of a deletion on them. */
export interface ShownEffect {
  effect: DeletionEffect
  /** For example `3 letters are deleted too` */
  text: string
  /** For example `3 letters` */
  subject: string
  records: Array<{ title: string; url: string | null }>
  /** True if `records` contains all records of the subject */
  isAll: boolean
}

/** A task on several records, which either succeeds for all records or changes none. */
export abstract class BulkTask {
  /** Path of the task's form, relative to the view */
  abstract readonly path: string
  /** Value of the form field `action` */
  abstract readonly value: string
  /** Label of the button */
  abstract readonly label: string
  /** True if a confirmation page is shown first */
  abstract readonly confirms: boolean
  /** True if the task removes records */
  abstract readonly isDestructive: boolean
  /** Required permission */
  abstract readonly needs: Offer
  /** State of deletion of the records that the task applies to */
  abstract readonly deleted: DeletedMode
  /** Catalogue keys of the messages for an empty selection and for a failure. The latter includes the `cause` */
  abstract readonly noneSelected: string
  abstract readonly failed: string

  constructor(
    protected readonly site: Site,
    protected readonly view: ModelView
  ) {}

  /**
   * Returns the heading of the confirmation page.
   *
   * @param shown  text to show in place of the number
   */
  abstract heading(count: number, shown?: string): string
  /** Returns an additional text of the confirmation page, or null. */
  abstract note(count: number): string | null

  /** Number of records that the last `run` left unchanged, because they already had the values */
  get unchanged(): number {
    return 0
  }

  /** Additional data for the job, as JSON without secrets */
  get payload(): Record<string, unknown> {
    return {}
  }

  /** Returns a title with the number of records, such as `Delete 812 films`. */
  abstract title(count: number): string
  /**
   * Returns the result message, such as `812 films deleted`.
   *
   * @param count      number of the records
   * @param unchanged  number of the records that were left unchanged
   */
  abstract done(count: number, unchanged?: number): string

  /**
   * Runs the task.
   *
   * @param client  client of the transaction that the task takes part in
   * @returns a message that states the result
   * @throws  any error, in which case nothing is changed
   */
  protected abstract perform(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    client: QueryClientContract
  ): Promise<string>

  /**
   * Checks whether the roles of the signed-in user allow the task on the records. The policy is checked when the task
   * runs.
   *
   * @param keys    keys of records that the user is allowed to read
   * @param client  client of the transaction that the task runs in, if any
   * @throws NotAllowed  if the roles do not allow the task on one of the records
   */
  async authorize(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    client: QueryClientContract = this.view.client()
  ): Promise<void> {
    const reached = await this.reached(keys, ctx, client)
    if (reached.length < keys.length) throw new NotAllowed()
  }

  /** Returns the keys of those records on which the roles allow the task. */
  protected abstract reached(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    client: QueryClientContract
  ): Promise<readonly KeyValue[]>

  /**
   * Can be overridden for work that has to run before the transaction: it can call application code that uses
   * other connections, which a transaction could block.
   */
  async prepare(_keys: readonly KeyValue[], _ctx: HttpContext): Promise<void> {}

  /**
   * Runs the task.
   *
   * @param client  client of the transaction that the task takes part in; the caller then calls `prepare` before that
   *   transaction
   * @returns a message that states the result
   * @throws  the errors of `explain`
   */
  async run(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    client?: QueryClientContract
  ): Promise<string> {
    if (!client) await this.prepare(keys, ctx)
    return await this.explain(ctx, () => this.perform(keys, ctx, client ?? this.view.client()))
  }

  /**
   * Returns further effects of the task, such as deletions of referring records, which are shown before it runs.
   *
   * @param count  total number of records if `keys` contains only the first ones
   */
  async effects(
    _keys: readonly KeyValue[],
    _ctx: HttpContext,
    _count?: number
  ): Promise<ShownEffect[]> {
    return []
  }

  /**
   * Runs a part of the task. Converts every error to a failure with a readable cause, except denials by the policy.
   * Logs internal errors.
   *
   * @throws BulkFailure
   * @throws Problem 403
   * @throws ValueError
   */
  async explain<Result>(ctx: HttpContext, part: () => Promise<Result>): Promise<Result> {
    try {
      return await part()
    } catch (error) {
      const isExplained = error instanceof ValueError || error instanceof BulkFailure
      const { status } = toProblem(error)
      if (isExplained || status === 403) throw error
      const data = { task: this.label, cause: this.#causeOf(error, ctx) }
      throw new BulkFailure(status === 503 ? 503 : 400, this.failed, data, error)
    }
  }

  /** Returns the number of records as text: `3 products`. */
  protected records(count: number, shown: string = groupedNumber(count)): string {
    return this.site.text('bulk.records', {
      count,
      shown,
      singular: inSentence(this.view.singular),
      plural: inSentence(this.view.label),
    })
  }

  #causeOf(error: unknown, ctx: HttpContext): string {
    if (error instanceof UnknownKey) {
      return this.site.text('bulk.unknownId', { id: error.key.map(shownValue).join(', ') })
    }
    const problem = toProblem(error)
    if (problem.status >= 500)
      ctx.logger.error({ err: error }, `${this.view.name}: bulk task failed`)
    return problem.message
  }
}
