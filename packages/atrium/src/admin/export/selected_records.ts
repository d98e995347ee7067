import { Records } from '#crud/internals'
import type { Condition } from '#base/columns/condition'
import { idOfPath, readIds } from '../bulk/bulk_ids.js'
import { BulkFailure, ExportRefused } from '../errors.js'
import type { ModelView } from '../model_view.js'

/** The parameter of an export that names a record by its path, as in the values of the list's checkboxes */
export const SELECTED = 'ids'

/**
 * The condition for the records that were selected in a list.
 *
 * @param paths  see `SELECTED`
 * @throws ExportRefused  for what is not a key, and for too many
 */
export function selectedRecords({ resource }: ModelView, paths: readonly string[]): Condition {
  try {
    return new Records(resource).among(readIds(resource.key, paths.map(idOfPath)))
  } catch (error) {
    if (error instanceof BulkFailure) throw new ExportRefused(error.key, error.data)
    throw error
  }
}

/** The query of an export of the records that were selected in a list. */
export function withSelected(list: string, paths: readonly string[]): string {
  const query = new URLSearchParams(list)
  query.delete(SELECTED)
  for (const path of paths) query.append(SELECTED, path)
  return query.toString()
}
