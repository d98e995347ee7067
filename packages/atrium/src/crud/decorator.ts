import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { CrudOptions } from './crud_options.js'
import {
  CRUD_OPTIONS,
  storedOptions,
  storeOptions,
  type LazyOptions,
} from './resource/stored_options.js'

/**
 * Gives the model REST endpoints. Only stores the options; the provider reads them at boot, checks
 * them and registers the routes. Importing a decorated model does nothing and never throws. [P2]
 *
 * @example
 * ```ts
 * @Crud({ filterConfig: { category: null } })
 * export default class Product extends BaseModel {}
 * ```
 *
 * @param options  or a function that gives them, called at boot: for what imports models itself, as a
 *                 policy that several of them share
 */
export function Crud(options: LazyOptions<CrudOptions> = {}) {
  return <Model extends LucidModel>(model: Model): void => {
    storeOptions(model, CRUD_OPTIONS, options)
  }
}

/**
 * The options of `@Crud` on this very class; a subclass does not inherit them.
 *
 * @throws ValueError  when the options are a function that throws or returns none
 */
export function crudOptionsOf(model: object): CrudOptions | undefined {
  return storedOptions<CrudOptions>(model, CRUD_OPTIONS, '@Crud')
}
