import { Exception } from '@adonisjs/core/exceptions'

/**
 * A configuration that can't be right whatever the database holds: an unknown operation, a bad
 * filter, a schema that does not match its model. [P9]
 */
export class ValueError extends Exception {
  static status = 500
  static code = 'E_VALUE'
}

/**
 * Something the configuration relies on is missing: a database connection, a table, a column. [P9]
 */
export class RuntimeError extends Exception {
  static status = 500
  static code = 'E_RUNTIME'
}

/**
 * All the faults that the boot found in the decorated models, at once. [P9]
 */
export class ConfigurationError extends Exception {
  static status = 500
  static code = 'E_CONFIGURATION'

  readonly errors: readonly Error[]

  /**
   * @param errors  the faults, each a ValueError, a TypeError or a RuntimeError; what several resources of
   *                one table say alike is told once
   */
  constructor(errors: readonly Error[]) {
    const once = [...new Map(errors.map((error) => [error.message, error])).values()]
    const count = once.length === 1 ? '1 fault' : `${once.length} faults`
    const list = once.map((error) => `  - ${error.message.replaceAll('\n', '\n    ')}`)
    super(`The models' configuration has ${count}:\n${list.join('\n')}`)
    this.errors = once
  }
}

/**
 * "a, b and c", for messages that list what would have been valid.
 */
export function listed(names: Iterable<string>): string {
  const all = [...names]
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : (all[0] ?? 'none')
}
