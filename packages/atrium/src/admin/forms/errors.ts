import { Exception } from '@adonisjs/core/exceptions'
import type { FieldError } from '#base/errors'

/** The record has changed since the form was rendered. */
export class RowChanged extends Exception {
  static status = 409
  static code = 'E_ROW_CHANGED'
  static message = 'Another user has changed this record since'

  /** @param values  values of the rejected write, by attribute name */
  constructor(readonly values: Record<string, unknown>) {
    super()
  }
}

/** Form fields that the schema rejects. */
export class InvalidForm extends Exception {
  static status = 500
  static code = 'E_INVALID_FORM'

  /** @param rows  errors of inline rows in the form */
  constructor(
    readonly errors: readonly FieldError[],
    readonly rows: RowErrors = new Map()
  ) {
    super('The form has fields that are not valid')
  }
}

/** Rows of a form that the user is not allowed to write, or that other users have changed or deleted. */
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

/** The errors of a row in a form. */
export interface RowError {
  /** Messages by API name */
  fieldErrors: Record<string, string>
  /** Messages about the row as a whole */
  messages: string[]
  /** True if another user has changed the row; the form then contains the row's current version */
  isChanged?: boolean
  /** True if the row no longer exists; saving the form again creates it as a new row */
  isGone?: boolean
}

/** Errors by row, such as `items.2` (relation and row number), or by relation if they concern all its rows */
export type RowErrors = ReadonlyMap<string, RowError>
