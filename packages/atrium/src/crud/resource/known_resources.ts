import type { LucidModel } from '@adonisjs/lucid/types/model'

/**
 * Resource of each model, for references between models. The first registered resource is used, so that of a decorator
 * precedes that of a routes file. Resources with endpoints precede all others, because they define the access to the
 * model's records.
 */
export class KnownResources<Resource extends { model: LucidModel; table: string }> {
  readonly #byModel = new Map<LucidModel, Resource>()
  readonly #ofEndpoints = new WeakSet<Resource>()
  #changes = 0

  /** @param make  creates the resource of a model without one; called once per model */
  constructor(private readonly make: (model: LucidModel) => Resource) {}

  /** Counter of changes: results computed from an earlier state are outdated. */
  get changes(): number {
    return this.#changes
  }

  /** Registers a resource. */
  note(resource: Resource, { hasEndpoints }: { hasEndpoints: boolean }): void {
    const known = this.#byModel.get(resource.model)
    if (hasEndpoints) this.#ofEndpoints.add(resource)
    if (!known || (hasEndpoints && !this.#ofEndpoints.has(known)))
      this.#keep(resource.model, resource)
  }

  /** Returns the resource of a model. */
  of(model: LucidModel): Resource {
    const known = this.#byModel.get(model)
    if (known) return known
    return this.#keep(model, this.make(model))
  }

  all(): Resource[] {
    return [...this.#byModel.values()]
  }

  /** Returns the resources of a table's models, in the order of registration. */
  ofTable(table: string): Resource[] {
    return [...this.#byModel.values()].filter((resource) => resource.table === table)
  }

  #keep(model: LucidModel, resource: Resource): Resource {
    if (this.#byModel.get(model) !== resource) this.#changes++
    this.#byModel.set(model, resource)
    return resource
  }
}
