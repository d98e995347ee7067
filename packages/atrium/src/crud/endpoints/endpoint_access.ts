import type { HttpContext } from '@adonisjs/core/http'
import type { Operation } from '../operations/operation.js'
import { Authorization } from '../operations/authorize.js'
import { notIncluded } from '../request/item_request.js'
import type { IncludedRelation, Resource } from '../resource/resource.js'
import type { Access } from '../types.js'
import {
  actorOf,
  authorize,
  authorizeBy,
  wouldPass,
  accessToInclude,
  includesOf,
} from './access.js'
import type { EndpointMount } from './endpoint_options.js'
import { RequestValue } from '#base/http/request'

/** The access rules in a model's options; implemented by `EndpointCreator`. */
interface AccessRules {
  readonly resource: Resource
  readonly operations: readonly Operation[]
  accessOf(operation: Operation): Access
  isUndecided(operation: Operation): boolean
}

/**
 * Authorizes requests to the endpoints of one model: by its access rules, or by the authorizer of the mount if the
 * endpoints are mounted elsewhere.
 */
export class EndpointAccess {
  /* Results of `mayRead`, computed once per request */
  readonly #readers = new RequestValue<Promise<boolean>>('may read')

  constructor(
    private readonly rules: AccessRules,
    private readonly mount: EndpointMount | undefined
  ) {}

  /**
   * Authorizes a request to an operation.
   *
   * @throws Problem  when the caller is not allowed to call the operation
   */
  authorize(ctx: HttpContext, operation: Operation): Promise<void> {
    const { resource } = this.rules
    if (this.mount) return authorizeBy(this.mount.authorizer, ctx, resource, operation)
    const isUndecided = this.rules.isUndecided(operation)
    return authorize(ctx, resource, operation, this.rules.accessOf(operation), isUndecided)
  }

  /**
   * Authorizes the caller of a route of several operations if any of them is allowed; the handler authorizes each
   * requested operation.
   *
   * @throws Problem  when the caller is not allowed to call any of them
   */
  async authorizeAny(ctx: HttpContext, operations: readonly Operation[]): Promise<void> {
    for (const operation of operations) {
      if (await wouldPass(ctx, () => this.authorize(ctx, operation))) return
    }
    await this.authorize(ctx, operations[0])
  }

  /**
   * True if the caller is allowed to read single items, at any path where the model offers it. Otherwise `Prefer:
   * return=representation` is ignored, the response has no entity tag, and preconditions are refused.
   */
  mayRead(ctx: HttpContext): Promise<boolean> {
    let response = this.#readers.get(ctx)
    if (!response) {
      response = this.rules.operations.includes('read')
        ? wouldPass(ctx, () => this.authorize(ctx, 'read'))
        : Promise.resolve(false)
      this.#readers.set(ctx, response)
    }
    return response
  }

  /**
   * Authorizes the caller for each included relation by the endpoints of the related model: by its list endpoint for
   * several items, otherwise by its read endpoint. For mounted endpoints, the mount's authorizer decides.
   *
   * @param wanted  the relations that the request names
   * @returns these, and the relations that are always included if the caller is allowed to read them
   * @throws Problem  when the caller is not allowed to read one that the request names
   */
  async authorizeInclude(
    ctx: HttpContext,
    wanted: readonly IncludedRelation[]
  ): Promise<readonly IncludedRelation[]> {
    const { includes } = this.rules.resource
    if (includes.size === 0) return wanted
    for (const include of wanted) await this.#authorizeOne(ctx, include)
    if (![...includes.values()].some(({ isAlways }) => isAlways)) return wanted
    const seen = await this.rules.resource.for(actorOf(ctx))
    const included: IncludedRelation[] = []
    for (const include of seen.includes.values()) {
      const isIncluded =
        wanted.includes(include) || (include.isAlways && (await this.#mayInclude(ctx, include)))
      if (isIncluded) included.push(include)
    }
    return included
  }

  /**
   * Authorizes the caller for the records of a relation that a filter or the order names.
   *
   * @returns false for a relation that no caller can read
   * @throws Problem  when the caller is not allowed to read them
   */
  async admitsRelated(ctx: HttpContext, relation: IncludedRelation): Promise<boolean> {
    if (!this.mount && !accessToInclude(relation)) return false
    await this.#authorizeOne(ctx, relation)
    return true
  }

  async #authorizeOne(ctx: HttpContext, include: IncludedRelation): Promise<void> {
    const { name, resource } = include
    const operation = operationOf(include)
    if (this.mount) return await authorizeBy(this.mount.authorizer, ctx, resource, operation)
    const access = accessToInclude(include)
    if (!access) {
      const seen = await this.rules.resource.for(actorOf(ctx))
      throw notIncluded(name, [...includesOf(seen).keys()])
    }
    await authorize(ctx, resource, operation, access)
  }

  /** True if the endpoints and the policy of the related model allow the caller to read its records. */
  async #mayInclude(ctx: HttpContext, include: IncludedRelation): Promise<boolean> {
    if (!(await wouldPass(ctx, () => this.#authorizeOne(ctx, include)))) return false
    const actor = actorOf(ctx)
    const related = await include.resource.for(actor)
    /*
     * A policy that checks each record leaves out the records that it refuses, so only the permission to read is
     * checked.
     */
    if (!include.isList && related.authorizesRecords) return related.permits('read')
    return await new Authorization(related).allows(operationOf(include), { actor })
  }
}

function operationOf({ isList }: IncludedRelation): Operation {
  return isList ? 'read_multi' : 'read'
}
