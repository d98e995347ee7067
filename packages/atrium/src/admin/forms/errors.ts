import { Exception } from '@adonisjs/core/exceptions'
import type { FieldError } from '#base/errors'

/**
 * The record has changed since the form was rendered.
 */
export class RowChanged extends Exception {
  static status = 409
  static code = 'E_ROW_CHANGED'
  static message = 'Another user has changed this record since'

  /**
   * @param values  values of the rejected write, by attribute name
   */
  constructor(readonly values: Record<string, unknown>) {
    super()
  }
}

/**
 * Form fields that the schema rejects. [S38, S47]
 */
export class InvalidForm extends Exception {
  static status = 500
  static code = 'E_INVALID_FORM'

  /**
   * @param rows  what is wrong with rows in the form [R2]
   */
  constructor(
    readonly errors: readonly FieldError[],
    readonly rows: RowErrors = new Map()
  ) {
    super('The form has fields that are not valid')
  }
}

/**
 * Rows of a form that the user may not write, or that others have changed or removed since. [R2, B25]
 */
export class RefusedRows extends InvalidForm {
  static code = 'E_REFUSED_ROWS'

  /**
   * @param status  403 or 409
   */
  constructor(status: 403 | 409, errors: readonly FieldError[], rows: RowErrors) {
    super(errors, rows)
    this.status = status
  }
}

/**
 * The errors of a row in a form.
 */
export interface RowError {
  /** Messages by API name */
  fieldErrors: Record<string, string>
  /** Messages about the row as a whole */
  messages: string[]
  /** True if another user has changed the row, so that it goes on from its current version */
  isChanged?: boolean
  /** True if there is no such row any more: saved again, it is a new one */
  isGone?: boolean
}

/** By relation and number of the row, as in `items.2`; by the relation alone for all of its rows */
export type RowErrors = ReadonlyMap<string, RowError>
