import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '#base/columns/column'
import type { ModelView } from '../views/model_view.js'

/** Returns the columns whose value a merge can take from another record: those of the form. */
export function mergeFields({ resource }: ModelView): Column[] {
  return resource.updateBody.fields.flatMap(({ column }) =>
    column && !column.isPrimary && !column.hidden && resource.fields.includes(column)
      ? [column]
      : []
  )
}

/** Returns true for a field without a value. */
export function isEmptyField(column: Column, record: LucidRow): boolean {
  return [null, undefined, ''].includes(record.$attributes[column.attribute])
}
