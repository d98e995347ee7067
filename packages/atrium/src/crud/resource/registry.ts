import { ensureTokenAuthorizer, accessToInclude, noteAccess } from '../endpoints/access.js'
import type { EndpointCreator } from '../endpoints/endpoint_creator.js'
import { ConfigurationError, RuntimeError, ValueError } from '#base/errors'
import { watch } from '../events/record_hooks.js'
import { isExcludedFromInclude } from './included_relation.js'
import { sampleForms } from '../operations/complete_forms.js'
import { noteFileColumns } from '../operations/writes/check_files.js'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { knownResources, type Resource, type IncludedRelation } from './resource.js'
import type { TableIntrospection } from '#base/database/introspection'
import { readTables } from '#base/database/read_tables'
import type { ApplicationService } from '@adonisjs/core/types'

/** Registry of the models with endpoints and of the endpoints' paths. */
export class ResourceRegistry {
  readonly #endpoints: EndpointCreator[] = []
  readonly #others: Resource[] = []
  readonly #checks = new Map<Resource, () => void>()

  /** Errors in the decorated models that were found at the boot of a command */
  readonly errors: Error[] = []
  /** True if the command has printed the errors */
  areErrorsShown = false
  /** Boot errors that have not been reported yet: `load()` throws them */
  readonly unreported: Error[] = []

  /** @throws ValueError  when another model's endpoints have the same path */
  add(endpoints: EndpointCreator): void {
    const other = this.#endpoints.find((one) => one.path === endpoints.path)
    if (other) {
      throw new ValueError(
        `${endpoints.resource.name}: the path ${endpoints.path} is ${other.resource.name}'s already; give one of them another path`
      )
    }
    this.#endpoints.push(endpoints)
    noteAccess(endpoints.resource, endpoints)
    this.#note(endpoints.resource, { hasEndpoints: true })
    watch(endpoints.resource)
  }

  /**
   * Adds a resource without endpoints to the resources that `load()` loads.
   *
   * @param ownCode  true if writes outside `LucidCrud` emit events
   * @param check    called once the column types are known; throws ValueError for options that do not match them
   */
  track(
    resource: Resource,
    { ownCode = true, check }: { ownCode?: boolean; check?: () => void } = {}
  ): void {
    this.#others.push(resource)
    if (check) this.#checks.set(resource, check)
    this.#note(resource, { hasEndpoints: false })
    watch(resource, { ownCode })
  }

  /** Returns the endpoints of all models, in the order in which they were added. */
  endpoints(): readonly EndpointCreator[] {
    return this.#endpoints
  }

  all(): readonly Resource[] {
    return this.#endpoints.map((one) => one.resource)
  }

  /** Returns the resources that `load()` loads. */
  known(): readonly Resource[] {
    return [...this.all(), ...this.#others]
  }

  /**
   * Checks a relation of the option `include`. A relation between models without endpoints is authorized by the part of
   * the application that uses it, and is not an error.
   *
   * @throws ValueError  for a relation whose items no caller could ever see
   */
  #checkInclude({ model, name }: Resource, include: IncludedRelation) {
    if (accessToInclude(include)) return
    const { resource: related } = include
    const isElsewhere = (one: LucidModel) => this.#others.some((other) => other.model === one)
    if (isElsewhere(model) && isElsewhere(related.model)) return

    const which = `${name}: include names '${include.name}', whose model ${related.name}`
    if (isExcludedFromInclude(related.model)) {
      throw new ValueError(`${which} is never embedded in responses; leave the relation out`)
    }
    const operation = include.isList ? 'read_multi' : 'read'
    throw new ValueError(
      `${which} has no ${operation} endpoint that says who may see its records; give ${related.name} one by @Crud, or say it by @Crud({ includedMethods: [], access: 'public' }) or 'token', or leave the relation out`
    )
  }

  #note(resource: Resource, options: { hasEndpoints: boolean }) {
    noteFileColumns(resource.model, resource.fileColumns)
    knownResources.note(resource, options)
  }

  /**
   * Loads the introspection of every model's table. Called before the server listens, by tests after the migrations,
   * and otherwise by the first request. Loaded resources are not loaded again.
   *
   * @throws ConfigurationError  with all missing or contradictory parts, and the errors of the boot
   */
  async load(): Promise<void> {
    const errors: Error[] = this.unreported.splice(0)
    const isWhole = errors.length === 0
    const unknown = this.known().filter(({ isLoaded }) => !isLoaded)
    const introspections = await introspectTables(unknown)
    for (const endpoints of this.#endpoints) {
      try {
        await endpoints.resource.load(undefined, introspections.get(endpoints.resource))
        for (const include of endpoints.resource.includes.values()) {
          /* Not checked after other errors, which can be the reason why a related model has no endpoints. */
          if (isWhole) this.#checkInclude(endpoints.resource, include)
          await include.load()
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
        await resource.load(undefined, introspections.get(resource))
        this.#checks.get(resource)?.()
      } catch (error) {
        if (!(error instanceof ValueError || error instanceof RuntimeError)) throw error
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new ConfigurationError(errors)
    await sampleForms(unknown)
  }
}

/**
 * The models of the application that have endpoints. `endpoints()` and `all()` list them; `load()` reads the columns of
 * their tables and throws a ConfigurationError with all mismatches.
 */
export const resources = new ResourceRegistry()

/**
 * Reads the introspection of the resources' tables, each table once, and all tables of one connection together. Reading
 * them one by one would need thousands of queries at startup for hundreds of models.
 *
 * @returns null for a missing table; no entry for an unsupported database
 */
async function introspectTables(
  all: Iterable<Resource>
): Promise<Map<Resource, TableIntrospection | null>> {
  const introspections = new Map<Resource, TableIntrospection | null>()
  const connections = Map.groupBy(all, (resource) => resource.client().connectionName)
  for (const asking of connections.values()) {
    const tables = [...new Set(asking.map(({ table }) => table))]
    const known = await readTables(asking[0].client(), tables)
    if (!known) continue
    for (const resource of asking) introspections.set(resource, known.get(resource.table) ?? null)
  }
  return introspections
}

/**
 * Reports the errors that a provider found in the decorated models. A command continues, because it could be the one
 * that fixes them, and ends with a line about them unless it has already shown them. A server continues until it has
 * checked the tables, so that all errors are reported together: `resources.load()` then throws.
 *
 * @param errors  the errors; errors that another provider has reported are ignored
 * @throws ConfigurationError  in tests and in the REPL, which do not load the resources
 */
export function reportErrors(
  errors: readonly Error[],
  app: Pick<ApplicationService, 'getEnvironment' | 'terminating'>
): void {
  const known = [...resources.errors, ...resources.unreported].map(({ message }) => message)
  const unknown = errors.filter(({ message }) => !known.includes(message))
  if (unknown.length === 0) return
  const environment = app.getEnvironment()
  if (environment !== 'console' && environment !== 'web') throw new ConfigurationError(unknown)
  if (environment === 'web') {
    resources.unreported.push(...unknown)
    return
  }
  if (resources.errors.length === 0) app.terminating(() => remind())
  resources.errors.push(...unknown)
}

function remind() {
  const { areErrorsShown: areErrorsShown, errors } = resources
  if (areErrorsShown || errors.length === 0) return
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  console.warn(`The models' configuration has ${count}. node ace atrium:doctor lists them`)
}
