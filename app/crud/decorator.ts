import type { LucidModel } from '@adonisjs/lucid/types/model'
import { storedOptions, storeOptions, type LazyOptions } from './resource/stored_options.js'
import type { CrudOptions } from './types.js'

/* One symbol for the process: after a hot reload the class is new, the key stays. */
const OPTIONS = Symbol.for('crud.options')

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
    storeOptions(model, OPTIONS, options)
  }
}

/**
 * The options that `@Crud` left on this very class; a subclass does not inherit them.
 *
 * @throws ValueError  when they are a function that throws, or gives none
 */
export function crudOptionsOf(model: object): CrudOptions | undefined {
  return storedOptions<CrudOptions>(model, OPTIONS, '@Crud')
}
