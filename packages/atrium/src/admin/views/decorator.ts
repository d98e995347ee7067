import type { LucidModel } from '@adonisjs/lucid/types/model'
import { ADMIN_OPTIONS, storedOptions, storeOptions, type LazyOptions } from '#base/stored_options'
import type { AdminViewOptions } from './model_view.js'

/**
 * Registers the model in the admin site. Only stores the options; the provider reads them at boot and throws a
 * ConfigurationError if they are invalid.
 *
 * @param options  the options, or a function that returns them. The function is called at boot, so that options can
 *   refer to models that import each other.
 * @returns a class decorator, which never throws
 */
export function AdminView(options: LazyOptions<AdminViewOptions> = {}) {
  return <Model extends LucidModel>(model: Model): void => {
    storeOptions(model, ADMIN_OPTIONS, options)
  }
}

/**
 * Returns the options that `@AdminView` set on this class itself, not on a parent class; undefined without the
 * decorator.
 *
 * @throws ValueError  if the options are a function that throws or returns no object
 */
export function adminOptionsOf(model: object): AdminViewOptions | undefined {
  return storedOptions<AdminViewOptions>(model, ADMIN_OPTIONS, '@AdminView')
}
