import type { ApplicationService } from '@adonisjs/core/types'
import { ConfigurationError } from '#base/errors'
import { resources } from './resource/registry.js'

/**
 * Reports the errors that a provider found in the decorated models. A command continues, because it could be the one
 * that fixes them, and ends with a line about them unless it has already shown them. A server continues until it has
 * checked the tables, so that all errors are reported together: `resources.load()` then throws.
 *
 * @param errors  the errors; errors that another provider has reported are ignored
 * @throws ConfigurationError  in tests and in the REPL, which do not load the resources
 */
export function reportErrors(
  errors: readonly Error[],
  app: Pick<ApplicationService, 'getEnvironment' | 'terminating'>
): void {
  const known = [...resources.errors, ...resources.unreported].map(({ message }) => message)
  const unknown = errors.filter(({ message }) => !known.includes(message))
  if (unknown.length === 0) return
  const environment = app.getEnvironment()
  if (environment !== 'console' && environment !== 'web') throw new ConfigurationError(unknown)
  if (environment === 'web') {
    resources.unreported.push(...unknown)
    return
  }
  if (resources.errors.length === 0) app.terminating(() => remind())
  resources.errors.push(...unknown)
}

function remind() {
  const { areErrorsShown: areErrorsShown, errors } = resources
  if (areErrorsShown || errors.length === 0) return
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  console.warn(`The models' configuration has ${count}. node ace atrium:doctor lists them`)
}
