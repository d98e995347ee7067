import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { args, flags } from '@adonisjs/core/ace'
import type { EndpointCreator } from '../endpoints/endpoint_creator.js'
import type { EndpointRoute } from '../endpoints/endpoint_options.js'
import type { EndpointMiddleware } from '../types.js'
import { Command } from './command.js'
import { CommandFailure } from '#base/errors'

/* Maximum number of milliseconds to wait for a database that does not respond */
const LONGEST_WAIT = 3000

/** Lists the generated and custom routes of every model. Also works without a database. */
export default class CrudRoutes extends Command {
  static commandName = 'crud:routes'
  static description = 'Show the endpoints that the models have'
  static help = [
    'Shows all models, or one:',
    '{{ binaryName }} crud:routes Product',
    'Other routes of start/routes.ts are shown by list:routes.',
  ]

  @args.string({ description: 'The model to show', required: false })
  declare model: string | undefined

  @flags.boolean({ description: 'Print JSON, and nothing else' })
  declare json: boolean

  async run() {
    const { resources } = await import('../resource/registry.js')
    if (resources.errors.length > 0) {
      resources.areErrorsShown = true
      const errors = resources.errors.map(({ message }) => message)
      throw new CommandFailure(
        `The models' configuration has errors, so the list can be incomplete. Fix them first: ${errors.join('; ')}`
      )
    }
    const shown = this.#chosen(resources.endpoints())
    const isKnown = await tablesAreKnown(shown)
    const routes = shown.flatMap((one) => one.routes.map((route) => routeProperties(one, route)))
    if (this.json) return this.printJson(routes)
    if (routes.length === 0) {
      return this.logger.log(
        this.model
          ? `${this.model} offers no operation`
          : 'No model has endpoints yet. Make one with: node ace make:crud'
      )
    }
    this.printTable(
      ['Model', 'Operation', 'Method', 'Path', 'Access', 'Middleware'],
      routes.map((route) => [
        route.model,
        route.custom ? `${route.operation} (custom)` : route.name,
        route.method,
        route.path,
        route.access,
        route.middleware.join(', ') || '-',
      ])
    )
    if (!isKnown) {
      this.logger.warning(
        'Not every table could be read. Writes of a view or a table without a unique key are listed, but not offered.'
      )
    }
  }

  /** @throws CommandFailure  when no model has the name */
  #chosen(all: readonly EndpointCreator[]): readonly EndpointCreator[] {
    if (this.model === undefined) return all
    const name = this.model.toLowerCase()
    const chosen = all.filter(({ resource }) => resource.name.toLowerCase() === name)
    if (chosen.length > 0) return chosen
    const names = [...new Set(all.map(({ resource }) => resource.name))]
    throw new CommandFailure(
      `Unknown model ${this.model}; models with endpoints are ${names.sort().join(', ') || 'none'}`
    )
  }
}

/**
 * Reads the tables of the models, because views, and tables without a key, have no write endpoints.
 *
 * @returns false if a table could not be read
 */
async function tablesAreKnown(shown: readonly EndpointCreator[]): Promise<boolean> {
  const { default: db } = await import('@adonisjs/lucid/services/db')
  const reads = shown.map(async ({ resource }) => {
    const { config } = db.manager.get(resource.model.connection ?? db.primaryConnectionName)!
    const { filename } = Object(config.connection)
    /* SQLite would create a missing file. */
    if (filename && !existsSync(filename)) throw new Error(`${filename} does not exist`)
    await resource.load()
  })
  const late = setTimeout(LONGEST_WAIT, undefined, { ref: false })
  const all = Promise.all(reads).then(() => true)
  return await Promise.race([all.catch(() => false), late.then(() => false)])
}

function routeProperties(endpoints: EndpointCreator, route: EndpointRoute) {
  return {
    model: endpoints.resource.name,
    name: route.name,
    operation: route.operation,
    method: route.method,
    path: route.path,
    access: accessOf(endpoints, route),
    middleware: (route.middleware ?? []).map(nameOf),
    custom: route.isCustom,
  }
}

/**
 * Returns the access of a route; for a batch with different access rules, that of each operation, such as `create
 * public, delete token`
 */
function accessOf(
  endpoints: EndpointCreator,
  { operation, operations = [operation] }: EndpointRoute
) {
  const all = operations.map((one) => endpoints.accessOf(one))
  if (new Set(all).size === 1) return all[0]
  return operations.map((one, index) => `${one} ${all[index]}`).join(', ')
}

/** Returns the middleware's name in start/kernel.ts, or the function name. */
function nameOf(middleware: EndpointMiddleware): string {
  return middleware.name || 'closure'
}
