import type { LucidModel } from '@adonisjs/lucid/types/model'
import { ADMIN_OPTIONS, storedOptions, storeOptions, type LazyOptions } from '#base/stored_options'
import type { AdminViewOptions } from './model_view.js'

/**
 * Registers the model in the admin site. Stores the options only; the provider reads them at boot, and throws a
 * ConfigurationError for invalid ones. [P2]
 *
 * @param options  the options, or a function that returns them, which is called at boot: for
 *   options that import models
 * @returns a class decorator, which throws nothing
 */
export function AdminView(options: LazyOptions<AdminViewOptions> = {}) {
  return <Model extends LucidModel>(model: Model): void => {
    storeOptions(model, ADMIN_OPTIONS, options)
  }
}

/**
 * Options that `@AdminView` set on this class itself, not on a parent class.
 *
 * @throws ValueError  when the options are a function that throws or returns no object
 */
export function adminOptionsOf(model: object): AdminViewOptions | undefined {
  return storedOptions<AdminViewOptions>(model, ADMIN_OPTIONS, '@AdminView')
}
