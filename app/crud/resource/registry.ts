import { ensureTokenAuthorizer } from '../endpoints/access.js'
import type { EndpointCreator } from '../endpoints/endpoint_creator.js'
import { ConfigurationError, RuntimeError, ValueError } from '../errors.js'
import { watch } from '../events/watch.js'
import type { Inclusion } from './included_relation.js'
import { isKeptApart, noteResource } from './known_resources.js'
import { readFacts } from './introspect.js'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { Resource } from './resource.js'
import type { Access } from '../types.js'

/**
 * All models that have endpoints, and where those lie.
 */
export class ResourceRegistry {
  readonly #endpoints: EndpointCreator[] = []
  readonly #others: Resource[] = []

  /** What the boot found wrong with the decorated models, where it only warned of that [P9] */
  readonly faults: Error[] = []
  /** The same where it has not said so yet: `load()` throws it [P9] */
  readonly untold: Error[] = []

  /**
   * @throws ValueError  when another model's endpoints already lie at the same path
   */
  add(endpoints: EndpointCreator): void {
    const other = this.#endpoints.find((one) => one.path === endpoints.path)
    if (other) {
      throw new ValueError(
        `${endpoints.resource.name}: the path ${endpoints.path} is ${other.resource.name}'s already; give one of them another path`
      )
    }
    this.#endpoints.push(endpoints)
    noteResource(endpoints.resource, { hasEndpoints: true })
    watch(endpoints.resource)
  }

  /**
   * Has a resource loaded with the others that has no endpoints of its own here.
   *
   * @param ownCode  whether writes emit events that do not go through `LucidCrud`
   */
  track(resource: Resource, { ownCode = true } = {}): void {
    this.#others.push(resource)
    noteResource(resource, { hasEndpoints: false })
    watch(resource, { ownCode })
  }

  /**
   * The endpoints of every model, in the order in which they were added.
   */
  endpoints(): readonly EndpointCreator[] {
    return this.#endpoints
  }

  all(): readonly Resource[] {
    return this.#endpoints.map((one) => one.resource)
  }

  /**
   * Who may have related items embedded: whoever may read them where they lie. That is what the related
   * model's endpoints say, or what its option `access` does, if there are none for this. [Q3]
   *
   * @returns undefined where nobody may
   */
  accessToEmbed({ isList, resource }: Inclusion): Access | undefined {
    if (isKeptApart(resource.model)) return undefined
    const operation = isList ? 'read_multi' : 'read'
    const endpoints = this.#endpoints.find((one) => one.resource === resource)
    const isSaid =
      endpoints?.operations.includes(operation) || endpoints?.isAccessDefault(operation) === false
    return isSaid ? endpoints!.accessOf(operation) : undefined
  }

  /**
   * The relations that answers of the resource's endpoints can embed, by name on the wire. [Q3]
   */
  includesOf({ includes }: Resource): ReadonlyMap<string, Inclusion> {
    return new Map([...includes].filter(([, inclusion]) => this.accessToEmbed(inclusion)))
  }

  /**
   * What only another part of the application may embed, which asks nobody here, is no fault.
   *
   * @throws ValueError  for a relation whose items nobody could ever see
   */
  #checkInclusion({ model, name }: Resource, inclusion: Inclusion) {
    if (this.accessToEmbed(inclusion)) return
    const { resource: related } = inclusion
    const isElsewhere = (one: LucidModel) => this.#others.some((other) => other.model === one)
    if (isElsewhere(model) && isElsewhere(related.model)) return

    const which = `${name}: include names '${inclusion.name}', whose model ${related.name}`
    if (isKeptApart(related.model)) {
      throw new ValueError(`${which} is never embedded in answers; leave the relation out`)
    }
    const operation = inclusion.isList ? 'read_multi' : 'read'
    throw new ValueError(
      `${which} has no ${operation} endpoint that says who may see its records; give ${related.name} one by @Crud, or say it by @Crud({ includedMethods: [], access: 'public' }) or 'token', or leave the relation out`
    )
  }

  /**
   * Reads what the database knows of every model's table. Called before the server listens, by the
   * tests after migrating, and otherwise by the first request; whatever is loaded already stays as
   * it is. [P15]
   *
   * @throws ConfigurationError  with all that is missing or does not go together, beside the faults that
   *                             the boot has found so far
   */
  async load(): Promise<void> {
    const errors: Error[] = this.untold.splice(0)
    const isWhole = errors.length === 0
    const unknown = [...this.all(), ...this.#others].filter(({ isLoaded }) => !isLoaded)
    const facts = await readFacts(unknown)
    for (const endpoints of this.#endpoints) {
      try {
        await endpoints.resource.load(undefined, facts.get(endpoints.resource))
        for (const inclusion of endpoints.resource.includes.values()) {
          /* What another model lacks may be missing for a fault that is told already. */
          if (isWhole) this.#checkInclusion(endpoints.resource, inclusion)
          await inclusion.resource.load()
        }
        const needsTokens = endpoints.operations.some(
          (operation) => endpoints.accessOf(operation) === 'token'
        )
        if (needsTokens) ensureTokenAuthorizer(endpoints.resource)
      } catch (error) {
        if (!(error instanceof ValueError || error instanceof RuntimeError)) throw error
        errors.push(error)
      }
    }
    for (const resource of this.#others) {
      try {
        await resource.load(undefined, facts.get(resource))
      } catch (error) {
        if (!(error instanceof ValueError || error instanceof RuntimeError)) throw error
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new ConfigurationError(errors)
  }
}

/**
 * The application's own.
 */
export const resources = new ResourceRegistry()
