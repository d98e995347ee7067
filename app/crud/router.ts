import { EndpointCreator } from './endpoint_creator.js'
import { resources } from './resources.js'
import type { CrudRouterOptions } from './types.js'

/**
 * Gives a model REST endpoints, as `@Crud` does, from a routes file. [P3]
 *
 * @returns the creator, with the paths and operations that were registered
 * @throws ValueError, TypeError or RuntimeError  at once, when the options can't be right [P9]
 *
 * @example
 * ```ts
 * crudRouter({ model: Product, path: '/goods', includedMethods: ['read', 'read_multi'] })
 * ```
 */
export function crudRouter(options: CrudRouterOptions): EndpointCreator {
  const Creator = options.endpointCreator ?? EndpointCreator
  const creator = new Creator(options)
  resources.add(creator)
  creator.register()
  return creator
}
