import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { AdminViewOptions } from './model_view.js'

const OPTIONS = Symbol.for('admin.options')

/**
 * Puts the model into the admin site. Only stores the options; the provider reads them at boot. [P2]
 */
export function AdminView(options: AdminViewOptions = {}) {
  return <Model extends LucidModel>(model: Model): void => {
    Object.defineProperty(model, OPTIONS, { value: options, configurable: true })
  }
}

/**
 * The options that `@AdminView` left on this very class.
 */
export function adminOptionsOf(model: object): AdminViewOptions | undefined {
  return Object.hasOwn(model, OPTIONS)
    ? (model as Record<symbol, AdminViewOptions>)[OPTIONS]
    : undefined
}
