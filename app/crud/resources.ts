import { ensureTokenAuthorizer } from './access.js'
import type { EndpointCreator } from './endpoint_creator.js'
import { ConfigurationError, RuntimeError, ValueError } from './errors.js'
import { watch } from './events/watch.js'
import { noteResource } from './resource/known_resources.js'
import { readFacts } from './resource/read_facts.js'
import type { Resource } from './resource/resource.js'

/**
 * All models that have endpoints, and where those lie.
 */
export class ResourceRegistry {
  readonly #endpoints: EndpointCreator[] = []
  readonly #others: Resource[] = []

  /** What the boot found wrong with the decorated models, where it only warned of that [P9] */
  readonly faults: Error[] = []

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
    noteResource(endpoints.resource)
    watch(endpoints.resource)
  }

  /**
   * Has a resource loaded with the others that has no endpoints of its own here.
   *
   * @param ownCode  whether writes emit events that do not go through `LucidCrud`
   */
  track(resource: Resource, { ownCode = true } = {}): void {
    this.#others.push(resource)
    noteResource(resource)
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
   * Reads what the database knows of every model's table. Called before the server listens, by the
   * tests after migrating, and otherwise by the first request; whatever is loaded already stays as
   * it is. [P15]
   *
   * @throws ConfigurationError  with all that is missing or does not go together
   */
  async load(): Promise<void> {
    const errors: Error[] = []
    const unknown = [...this.all(), ...this.#others].filter(({ isLoaded }) => !isLoaded)
    const facts = await readFacts(unknown)
    for (const endpoints of this.#endpoints) {
      try {
        await endpoints.resource.load(undefined, facts.get(endpoints.resource))
        for (const { resource } of endpoints.resource.includes.values()) await resource.load()
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
