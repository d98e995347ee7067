import type { Column } from '#base/columns/column'
import type { ModelView } from '../views/model_view.js'

/**
 * Returns true for identifiers, which have no thousands separators: keys, references, years, and columns with
 * `grouped: false`.
 */
export function isIdentifier(view: ModelView, { isPrimary, name, apiName }: Column): boolean {
  return (
    isPrimary ||
    view.resource.foreignKeys.some(({ columns }) => columns.includes(name)) ||
    /(^|_)(id|year)$/.test(apiName) ||
    view.fieldOptions(apiName).grouped === false
  )
}
