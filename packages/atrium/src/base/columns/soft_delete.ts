import { DateTime } from 'luxon'
import type { Dialect } from '../database/dialect.js'
import type { Invalid } from '../http/problems.js'
import { joined, type Sql } from '../sql/sql.js'
import type { Column } from './column.js'
import { inUtc } from '#base/values/datetime'

/** Selects deleted items, others, or both. */
export type DeletedMode = 'exclude' | 'include' | 'only'

export const DELETED_MODES: readonly DeletedMode[] = ['exclude', 'include', 'only']

/**
 * Reads `include` or `only`; absent or empty it is `exclude`. [A22]
 */
export function readDeleted(mode: string | undefined, invalid: Invalid): DeletedMode {
  if (mode === undefined || mode === '') return 'exclude'
  const known = DELETED_MODES.find((one) => one === mode)
  if (!known) invalid('deleted', 'deleted', `must be one of ${DELETED_MODES.join(', ')}`)
  return known ?? 'exclude'
}

/** The soft-delete columns of a model: a flag, a timestamp, or both. [A21] */
export class SoftDelete {
  constructor(
    readonly table: string,
    readonly flag: Column | undefined,
    readonly timestamp: Column | undefined
  ) {}

  /**
   * The condition for the visible items. If there is a flag, it alone decides.
   *
   * @returns null if all items are visible
   */
  condition(mode: DeletedMode, dialect: Dialect): Sql | null {
    if (mode === 'include') return null
    const { flag, table } = this
    if (!flag) {
      const name = dialect.nameOf(table, this.timestamp!)
      return { sql: `${name} is ${mode === 'only' ? 'not null' : 'null'}`, bindings: [] }
    }
    const name = dialect.nameOf(table, flag)
    /* A literal, as the value is always the same: a fifth quicker, and a partial index applies. */
    const literal = String(dialect.bind(flag, mode === 'only'))
    const marked = flag.hasOtherForms
      ? dialect.compare(
          table,
          flag,
          '=',
          flag.kind === 'boolean' ? mode === 'only' : Number(literal)
        )
      : { sql: `${name} = ${literal}`, bindings: [] }
    if (mode === 'only' || !flag.nullable) return marked
    const unset = { sql: `${name} is null`, bindings: [] }
    return joined([marked, unset], 'or')
  }

  /**
   * The attributes that mark an item deleted now.
   */
  mark(): Record<string, unknown> {
    return {
      ...(this.flag && { [this.flag.attribute]: flagValue(this.flag, true) }),
      ...(this.timestamp && { [this.timestamp.attribute]: now(this.timestamp) }),
    }
  }

  /** True if the attributes mark an item deleted. */
  marks(attributes: Record<string, unknown>): boolean {
    const column = this.flag ?? this.timestamp!
    const value = attributes[column.attribute]
    return this.flag ? Boolean(value) : value !== null && value !== undefined
  }

  /** The attributes that restore an item. */
  unmark(): Record<string, unknown> {
    return {
      ...(this.flag && { [this.flag.attribute]: flagValue(this.flag, false) }),
      ...(this.timestamp && { [this.timestamp.attribute]: null }),
    }
  }
}

/** The flag may be an integer column, for which not every database accepts a boolean. */
function flagValue(flag: Column, value: boolean): boolean | number {
  return flag.kind === 'integer' ? Number(value) : value
}

/** The present moment, in the form of the column's attribute. */
export function now(column: Column): DateTime | string {
  const moment = DateTime.utc().startOf('second')
  return column.holdsDateTime ? moment : inUtc(moment)
}
