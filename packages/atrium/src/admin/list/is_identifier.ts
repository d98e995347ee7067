import type { Column } from '#base/columns/column'
import type { ModelView } from '../views/model_view.js'

/**
 * Keys, references and years are identifiers and not quantities, as are columns whose option `grouped` is false:
 * they have no separators of thousands.
 */
export function isIdentifier(view: ModelView, { isPrimary, name, apiName }: Column): boolean {
  return (
    isPrimary ||
    view.resource.foreignKeys.some(({ columns }) => columns.includes(name)) ||
    /(^|_)(id|year)$/.test(apiName) ||
    view.fieldOptions(apiName).grouped === false
  )
}
