import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { EndpointCreator } from './endpoints/endpoint_creator.js'
import type { EndpointMount, EndpointOptions } from './endpoints/endpoint_options.js'

export type EndpointCreatorClass = new (
  options: CrudRouterOptions,
  mount?: EndpointMount
) => EndpointCreator

/** Options of `@Crud`, all of them optional. */
export interface CrudOptions extends EndpointOptions {
  /** Subclass of `EndpointCreator` that adds or changes routes */
  endpointCreator?: EndpointCreatorClass
}

/** Options of `crudRouter`: those of `@Crud`, and the model. */
export interface CrudRouterOptions extends CrudOptions {
  model: LucidModel
}
