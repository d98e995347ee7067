import type { LucidModel } from '@adonisjs/lucid/types/model'
import { storedOptions, storeOptions, type LazyOptions } from '#crud/resource/stored_options'
import type { AdminViewOptions } from './model_view.js'

const OPTIONS = Symbol.for('admin.options')

/**
 * Puts the model into the admin site. Only stores the options; the provider reads them at boot. [P2]
 *
 * @param options  or a function that gives them, called at boot: for what imports models itself
 */
export function AdminView(options: LazyOptions<AdminViewOptions> = {}) {
  return <Model extends LucidModel>(model: Model): void => {
    storeOptions(model, OPTIONS, options)
  }
}

/**
 * The options that `@AdminView` left on this very class.
 *
 * @throws ValueError  when they are a function that throws, or gives none
 */
export function adminOptionsOf(model: object): AdminViewOptions | undefined {
  return storedOptions<AdminViewOptions>(model, OPTIONS, '@AdminView')
}
