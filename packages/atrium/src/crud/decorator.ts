import type { LucidModel } from '@adonisjs/lucid/types/model'
import { CRUD_OPTIONS, storedOptions, storeOptions, type LazyOptions } from '#base/stored_options'
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

/**
 * Adds REST endpoints to the model. Stores only the options; the provider reads them at boot, registers the routes, and
 * throws a ConfigurationError for invalid options. Importing a decorated model never throws.
 *
 * @example
 * ```ts
 * @Crud({ filterConfig: { category: null } })
 * export default class Product extends BaseModel {}
 * ```
 *
 * @param options  the options, or a function that returns them, which is called at boot: for options that import
 *   models, such as a policy that several models share
 * @returns a class decorator
 */
export function Crud(options: LazyOptions<CrudOptions> = {}) {
  return <Model extends LucidModel>(model: Model): void => {
    storeOptions(model, CRUD_OPTIONS, options)
  }
}

/**
 * Returns the options of `@Crud` on this class; a subclass does not inherit them.
 *
 * @throws ValueError  when the options are a function that throws or returns no options
 */
export function crudOptionsOf(model: object): CrudOptions | undefined {
  return storedOptions<CrudOptions>(model, CRUD_OPTIONS, '@Crud')
}
