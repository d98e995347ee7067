import type { Column } from '#base/columns/column'
import type { ModelView } from '../model_view.js'
import { ALL, entryOf, type PermissionsDocument } from './document.js'

/**
 * Fields that every new record must have, of models whose records a role can create, but without setting these fields.
 * Code of the application may fill them.
 *
 * @param views  of the models that roles can name
 * @returns one entry for each such model
 */
export function withheldFromCreate(
  views: Iterable<ModelView>,
  document: PermissionsDocument
): Array<{ view: ModelView; fields: string[] }> {
  return [...views].flatMap((view) => {
    const { actions = [], hidden = [], readonly = [] } = entryOf(document, view.name) ?? {}
    const mayCreate = actions.some((action) => action === ALL || action === 'create')
    if (!mayCreate || !view.may('create') || !view.resource.isLoaded) return []
    const withheld = new Set([...hidden, ...readonly])
    const fields = view.resource.createBody.fields
      .filter(({ column, apiName }) => column && isNeeded(column) && withheld.has(apiName))
      .map(({ apiName }) => apiName)
    return fields.length > 0 ? { view, fields } : []
  })
}

/** True for a column without which the database refuses a row. */
function isNeeded({ nullable, hasDefault, isPrimary, automatic, generated }: Column): boolean {
  return !nullable && !hasDefault && !isPrimary && !automatic && !generated
}
