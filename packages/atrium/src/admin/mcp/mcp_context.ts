import type { HttpContext } from '@adonisjs/core/http'
import type { ApiToken } from '#base/types'
import type { Operation } from '#crud'
import { abilityMissing } from '#base/http/access_problems'
import { toProblem } from '#base/http/send_problem'
import { allows } from '../authentication/access_tokens/token_terms.js'
import { may } from '../permissions/may.js'
import type { Offer } from '../permissions/offers.js'
import type { ModelView } from '../views/model_view.js'
import type { WriteBudget } from '../authentication/access_tokens/mcp_sessions.js'
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

/** An error that the client of a tool can correct. */
export class ToolError extends Error {}

type ArgumentType = 'string' | 'integer' | 'key' | 'object'

/** JSON Schema of a tool's arguments */
interface ToolSchema {
  type: 'object'
  properties: Record<string, Record<string, unknown>>
  required: string[]
  additionalProperties: false
}

/** An argument of a tool. */
export interface ToolArgument {
  type: ArgumentType
  description: string
  isRequired?: boolean
  /** Allowed values */
  values?: readonly string[]
  most?: number
}

const SCHEMAS: Record<ArgumentType, Record<string, unknown>> = {
  string: { type: 'string' },
  integer: { type: 'integer', minimum: 1 },
  key: { type: ['string', 'integer', 'array'], items: { type: ['string', 'integer'] } },
  object: { type: 'object' },
}

const WORDS: Record<ArgumentType, string> = {
  string: 'a text',
  integer: 'a positive integer',
  key: 'a key: a text or an integer, or a list of the parts of a composite key',
  object: 'an object',
}

export function schemaOf(args: Readonly<Record<string, ToolArgument>>): ToolSchema {
  const properties = Object.entries(args).map(([name, { type, description, values, most }]) => {
    const limits = { ...(values && { enum: values }), ...(most && { maximum: most }) }
    return [name, { ...SCHEMAS[type], ...limits, description }] as const
  })
  const required = Object.entries(args).flatMap(([name, { isRequired }]) =>
    isRequired ? name : []
  )
  const all = Object.fromEntries(properties)
  return { type: 'object', properties: all, required, additionalProperties: false }
}

/**
 * Checks the arguments of a call.
 *
 * @throws ToolError  for an unknown, missing or invalid argument
 */
export function checkArguments(
  args: Readonly<Record<string, ToolArgument>>,
  given: Record<string, unknown>
): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(args, name)) continue
    const names = Object.keys(args).join(', ') || 'none'
    throw new ToolError(`Unknown argument ${JSON.stringify(name)}; arguments are: ${names}`)
  }
  for (const [name, { isRequired, most, type }] of Object.entries(args)) {
    const value = given[name]
    if (value === undefined) {
      if (isRequired) throw new ToolError(`The argument ${name} is missing`)
      continue
    }
    if (!isOf(type, value)) throw new ToolError(`The argument ${name} must be ${WORDS[type]}`)
    if (most !== undefined && (value as number) > most) {
      throw new ToolError(`The argument ${name} must be ${most} or less`)
    }
  }
}

function isOf(type: ArgumentType, value: unknown): boolean {
  if (type === 'string') return typeof value === 'string'
  if (type === 'integer') return Number.isSafeInteger(value) && (value as number) > 0
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  const parts = Array.isArray(value) ? value : [value]
  return parts.every((part) => typeof part === 'string' || Number.isSafeInteger(part))
}
