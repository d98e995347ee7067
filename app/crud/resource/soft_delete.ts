import { DateTime } from 'luxon'
import type { Dialect, Query } from '../database/dialect.js'
import type { Column } from './column.js'

/**
 * Which items a query is to see.
 */
export type DeletedMode = 'exclude' | 'include' | 'only'

export const DELETED_MODES: readonly DeletedMode[] = ['exclude', 'include', 'only']

/**
 * How a model marks its items deleted: by a flag, by a timestamp, or by both. [A21]
 */
export class SoftDelete {
  constructor(
    readonly table: string,
    readonly flag: Column | undefined,
    readonly timestamp: Column | undefined
  ) {}

  /**
   * Narrows the query. Where there is a flag, the flag alone decides.
   */
  constrain(query: Query, mode: DeletedMode, dialect: Dialect): void {
    if (mode === 'include') return
    const { flag, table } = this
    if (!flag) {
      const name = `${table}.${this.timestamp!.name}`
      if (mode === 'only') query.whereNotNull(name)
      else query.whereNull(name)
    } else if (mode === 'only') {
      dialect.compare(query, table, flag, '=', true)
    } else if (!flag.nullable) {
      dialect.compare(query, table, flag, '=', false)
    } else {
      query.where((either) => {
        dialect.compare(either as Query, table, flag, '=', false)
        either.orWhereNull(`${table}.${flag.name}`)
      })
    }
  }

  /**
   * The attributes that mark an item deleted now.
   */
  mark(): Record<string, unknown> {
    return {
      ...(this.flag && { [this.flag.attribute]: true }),
      ...(this.timestamp && { [this.timestamp.attribute]: now(this.timestamp) }),
    }
  }

  /**
   * Whether the attributes mark an item deleted.
   */
  marks(attributes: Record<string, unknown>): boolean {
    const column = this.flag ?? this.timestamp!
    const value = attributes[column.attribute]
    return this.flag ? Boolean(value) : value !== null && value !== undefined
  }

  /**
   * The attributes that take the mark away.
   */
  unmark(): Record<string, unknown> {
    return {
      ...(this.flag && { [this.flag.attribute]: false }),
      ...(this.timestamp && { [this.timestamp.attribute]: null }),
    }
  }
}

/**
 * This moment, in the form that the column's attribute has.
 */
export function now(column: Column): DateTime | string {
  const moment = DateTime.utc().startOf('second')
  return column.holdsDateTime ? moment : moment.toFormat('yyyy-MM-dd HH:mm:ss')
}
