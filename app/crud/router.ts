import { shown } from './checks.js'
import { EndpointCreator } from './endpoints/endpoint_creator.js'
import { ValueError } from './errors.js'
import { resources } from './resource/registry.js'
import type { CrudRouterOptions, EndpointCreatorClass } from './types.js'

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
  const Creator = creatorOf(options)
  const creator = new Creator(options)
  creator.planRoutes()
  resources.add(creator)
  creator.register()
  return creator
}

/**
 * The class that makes a model's endpoints.
 *
 * @throws ValueError  when the option is no such class
 */
export function creatorOf({
  model,
  endpointCreator = EndpointCreator,
}: Pick<CrudRouterOptions, 'model' | 'endpointCreator'>) {
  if (
    endpointCreator === EndpointCreator ||
    endpointCreator?.prototype instanceof EndpointCreator
  ) {
    return endpointCreator as EndpointCreatorClass
  }
  throw new ValueError(
    `${model?.name}: endpointCreator is ${shown(endpointCreator)}, and must be a subclass of EndpointCreator`
  )
}
