import type { HttpContext } from '@adonisjs/core/http'
import { ValueError } from '#crud'
import { toProblem } from '#crud/http/handle_problem'
import type { KeyValue } from '#crud/resource/key'
import type { DeletedMode } from '#crud/resource/soft_delete'
import { UnknownKey } from '#crud/operations/records'
import type { AdminSite } from '../admin_site.js'
import { inSentence } from '../text/in_sentence.js'
import type { ModelView } from '../model_view.js'
import type { Offer } from '../permissions/may.js'
import { BulkFailure } from './bulk_failure.js'
import { shownValue } from './shown_value.js'

/**
 * Something that is done to several records at once: all of them, or none.
 */
export abstract class BulkTask {
  /** Where its form is sent, below the view */
  abstract readonly path: string
  /** What the form's `action` says */
  abstract readonly value: string
  /** What its button says */
  abstract readonly label: string
  /** Whether a page asks first */
  abstract readonly confirms: boolean
  /** Whether records go away */
  abstract readonly isDestructive: boolean
  /** What one has to be allowed to */
  abstract readonly needs: Offer
  /** Which records it can be done to */
  abstract readonly deleted: DeletedMode
  /** Texts of the catalogue: nothing selected, and what failed, with its `cause` */
  abstract readonly noneSelected: string
  abstract readonly failed: string

  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {}

  /**
   * What the page asks
   *
   * @param shown  what stands for the number
   */
  abstract heading(count: number, shown?: string): string
  /** What the page adds to that */
  abstract note(count: number): string | null

  /**
   * @returns what was done
   * @throws  anything; nothing is changed then
   */
  protected abstract perform(keys: readonly KeyValue[], ctx: HttpContext): Promise<string>

  async run(keys: readonly KeyValue[], ctx: HttpContext): Promise<string> {
    return await this.explain(ctx, () => this.perform(keys, ctx))
  }

  /**
   * Runs a part of the task; whatever it throws becomes a failure with a plain cause, save what the
   * policy refuses. A fault of ours is logged. [S52, S53, B19]
   *
   * @throws BulkFailure 400
   * @throws Problem 403
   * @throws ValueError
   */
  async explain<Result>(ctx: HttpContext, part: () => Promise<Result>): Promise<Result> {
    try {
      return await part()
    } catch (error) {
      if (error instanceof ValueError || toProblem(error).status === 403) throw error
      throw new BulkFailure(400, this.failed, {
        task: this.label,
        cause: this.#causeOf(error, ctx),
      })
    }
  }

  /** How many records, in words: `3 products`. */
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
