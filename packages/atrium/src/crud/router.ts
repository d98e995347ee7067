import type { CrudRouterOptions, EndpointCreatorClass } from './decorator.js'
import { EndpointCreator } from './endpoints/endpoint_creator.js'
import { shown, ValueError } from '#base/errors'
import { noteGroup } from './mount/start_checks.js'
import { resources } from './resource/registry.js'

/**
 * Adds REST endpoints to a model from a routes file, like `@Crud`.
 *
 * @param options  the model and the options of `@Crud`
 * @returns the creator of the endpoints, with their paths and operations
 * @throws ValueError, TypeError or RuntimeError  for invalid options
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
  noteGroup(creator.resource.name)
  return creator
}

/**
 * Returns the class that creates a model's endpoints.
 *
 * @throws ValueError  when the option is not a subclass of EndpointCreator
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
