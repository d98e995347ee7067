import type { HttpContext } from '@adonisjs/core/http'
import type { ApiToken } from '#base/types'
import type { Operation } from '#crud'
import { abilityMissing } from '#base/http/access_problems'
import { toProblem } from '#base/http/to_problem'
import { allows } from '../authentication/access_tokens/token_terms.js'
import { may } from '../permissions/may.js'
import type { Offer } from '../permissions/offers.js'
import type { ModelView } from '../views/model_view.js'
import { ToolError } from './tool_arguments.js'
import type { WriteBudget } from '../authentication/access_tokens/write_budget.js'
import type { UndoSite } from '../undo/undo_in_job.js'

const OFFERS: Partial<Record<Operation, Offer>> = {
  read: 'view',
  read_multi: 'view',
  create: 'create',
  update: 'update',
  delete: 'delete',
}

/** Data of the request, the token and the site that tools use. */
export class McpContext {
  constructor(
    readonly site: UndoSite,
    readonly ctx: HttpContext,
    readonly token: ApiToken,
    readonly budget: WriteBudget
  ) {}

  /** Returns the models that the token can use, with the permissions of its owner. */
  async views(): Promise<ModelView[]> {
    const views: ModelView[] = []
    for (const view of this.site.models.values()) {
      if (view.adminModel || !this.#covers(view.name, 'read')) continue
      if (!view.resource.isLoaded) await view.resource.load()
      const own = await view.for(this.ctx)
      if (!own.isWithheld && (await may(this.ctx, own, 'view'))) views.push(own)
    }
    return views
  }

  /**
   * Returns a model for an operation.
   *
   * @throws ToolError  for an unknown model, or one that the token or its owner cannot view, and if the owner lacks the
   *   permission
   * @throws Problem 403  if the token lacks the ability
   */
  async view(name: unknown, operation: Operation): Promise<ModelView> {
    const views = await this.views()
    const view = views.find((one) => one.name === name)
    if (!view) {
      const names = views.map((one) => one.name).join(', ') || 'none'
      throw new ToolError(`There is no model ${JSON.stringify(name)}; models are: ${names}`)
    }
    this.requireAbility(view.name, operation)
    if (!(await may(this.ctx, view, OFFERS[operation]!))) {
      throw new ToolError(`The owner of this token is not allowed to ${operation} ${view.name}`)
    }
    return view
  }

  /** Returns the operations on a model that the token and its owner are allowed to perform. */
  async operationsOn(view: ModelView): Promise<string[]> {
    const operations: string[] = []
    for (const [operation, offer] of Object.entries(OFFERS) as Array<[Operation, Offer]>) {
      const isWrite = offer !== 'view'
      if (isWrite && this.token.readOnly) continue
      if (!this.#covers(view.name, operation)) continue
      if (await may(this.ctx, view, offer)) operations.push(operation)
    }
    return operations
  }

  /** @throws Problem 403  if the token lacks the ability */
  requireAbility(model: string, operation: Operation): void {
    if (!this.#covers(model, operation)) throw abilityMissing(`${model}:${operation}`)
  }

  /**
   * Runs a write and counts its records against the budget of the token. The records of a rejected write are not
   * counted; those of a write with a server error are, because the write may have been committed.
   *
   * @throws ToolError  if the token is read-only, or the budget is used up
   */
  async spend<Result>(records: number, write: () => Promise<Result>): Promise<Result> {
    if (this.token.readOnly) throw new ToolError('This token is read-only')
    if (!(await this.budget.take(this.token.id, records))) {
      const place = this.site.absoluteUrl('/account', this.ctx)
      throw new ToolError(
        `The write budget of this token is used up: ${this.budget.records} records an hour. Its owner can allow more at ${place}#tokens`
      )
    }
    try {
      return await write()
    } catch (error) {
      const isRefused = error instanceof ToolError || toProblem(error).status < 500
      if (isRefused) await this.budget.giveBack(this.token.id, records)
      throw error
    }
  }

  #covers(model: string, operation: Operation): boolean {
    return allows(this.token.abilities, model, operation)
  }
}
