import type { ApplicationService } from '@adonisjs/core/types'
import { ConfigurationError } from './errors.js'
import { resources } from './resource/registry.js'

/**
 * Deals with what a provider found wrong with the decorated models. A command goes on after a warning,
 * as it may be the one that mends it. A server goes on to look at the tables, so that all is told in one
 * round: `resources.load()` throws then. [P9]
 *
 * @param errors  of which those that another provider has told are left out
 * @throws ConfigurationError  where nobody loads the resources: in tests, and in the REPL
 */
export function reportFaults(
  errors: readonly Error[],
  app: Pick<ApplicationService, 'getEnvironment'>
): void {
  const known = [...resources.faults, ...resources.untold].map(({ message }) => message)
  const unknown = errors.filter(({ message }) => !known.includes(message))
  if (unknown.length === 0) return
  const environment = app.getEnvironment()
  if (environment !== 'console' && environment !== 'web') throw new ConfigurationError(unknown)
  if (environment === 'web') {
    resources.untold.push(...unknown)
    return
  }
  resources.faults.push(...unknown)
  console.warn(new ConfigurationError(unknown).message)
}
