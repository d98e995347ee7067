import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { ValueError } from '#crud'
import { toProblem } from '#base/http/to_problem'
import type { KeyValue } from '#base/columns/key'
import type { DeletedMode } from '#base/columns/soft_delete'
import { UnknownKey } from '#base/errors'
import type { AdminSite } from '../admin_site.js'
import { inSentence } from '../text/in_sentence.js'
import type { ModelView } from '../model_view.js'
import type { Offer } from '../permissions/may.js'
import type { ShownEffect } from './deletion_effects.js'
import { shownValue } from './shown_value.js'
import { BulkFailure, NotAllowed } from '../errors.js'

/**
 * A task on several records that succeeds for all of them or changes none.
 */
export abstract class BulkTask {
  /** Path of its form, relative to the view */
  abstract readonly path: string
  /** Value of the form's field `action` */
  abstract readonly value: string
  /** Label of the button */
  abstract readonly label: string
  /** Shows a confirmation page first */
  abstract readonly confirms: boolean
  /** Removes records */
  abstract readonly isDestructive: boolean
  /** Permission that it requires */
  abstract readonly needs: Offer
  /** Which records it applies to: by their state of deletion */
  abstract readonly deleted: DeletedMode
  /**
   * Catalogue keys of the messages for an empty selection and for a failure, which includes its
   * `cause`
   */
  abstract readonly noneSelected: string
  abstract readonly failed: string

  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {}

  /**
   * Heading of the confirmation page
   *
   * @param shown  text to show as the number
   */
  abstract heading(count: number, shown?: string): string
  /** Additional text of the confirmation page. */
  abstract note(count: number): string | null

  /** Number of records that the last `run` left as they were, as they had its values already */
  get unchanged(): number {
    return 0
  }

  /** Data for its job in addition to path and value, as JSON without secrets */
  get payload(): Record<string, unknown> {
    return {}
  }

  /** Its name with the number, as in `Delete 812 films` */
  abstract title(count: number): string
  /**
   * Its result, as in `812 films deleted`
   *
   * @param count      number of the records
   * @param unchanged  those of them that it left as they were
   */
  abstract done(count: number, unchanged?: number): string

  /**
   * @param client  a transaction's, to be part of it
   * @returns a message that states the result
   * @throws  any error; nothing is changed then
   */
  protected abstract perform(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    client: QueryClientContract
  ): Promise<string>

  /**
   * Asks whether the roles of the signed-in user let the task reach the records; the policy is asked when it
   * is done. [U2]
   *
   * @param keys    of records that the user may read
   * @param client  the transaction that it is done in, if it is
   * @throws NotAllowed
   */
  async authorize(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    client: QueryClientContract = this.view.client()
  ): Promise<void> {
    const reached = await this.reached(keys, ctx, client)
    if (reached.length < keys.length) throw new NotAllowed()
  }

  /**
   * @returns those of the keys that it reaches
   */
  protected abstract reached(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    client: QueryClientContract
  ): Promise<readonly KeyValue[]>

  /**
   * Overridable: what has to be done before the transaction, as code of the application may read with
   * connections of its own.
   */
  async prepare(_keys: readonly KeyValue[], _ctx: HttpContext): Promise<void> {}

  /**
   * @param client  a transaction's, to be part of it; then `prepare` comes before that transaction
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
   * Its further effects, to be shown before. [R6]
   *
   * @param count  number of records, of which the keys may be the first
   */
  async effects(
    _keys: readonly KeyValue[],
    _ctx: HttpContext,
    _count?: number
  ): Promise<ShownEffect[]> {
    return []
  }

  /**
   * Runs a part of the task. Converts every error to a failure with a readable cause, except
   * refusals of the policy. Logs internal errors. [S52, S53, B19]
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

  /** Number of records as text: `3 products`. */
  protected records(count: number, shown: string = count.toLocaleString('en')): string {
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
