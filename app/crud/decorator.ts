import type { LucidModel } from '@adonisjs/lucid/types/model'
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
 */
export function Crud(options: CrudOptions = {}) {
  return <Model extends LucidModel>(model: Model): void => {
    Object.defineProperty(model, OPTIONS, { value: options, configurable: true })
  }
}

/**
 * The options that `@Crud` left on this very class; a subclass does not inherit them.
 */
export function crudOptionsOf(model: object): CrudOptions | undefined {
  return Object.hasOwn(model, OPTIONS) ? (model as Record<symbol, CrudOptions>)[OPTIONS] : undefined
}
