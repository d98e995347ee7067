import type { LucidRow } from '@adonisjs/lucid/types/model'
import { RowChanged } from '../../errors.js'
import type { ModelView } from '../../model_view.js'

/**
 * `precondition` of an update, which checks the locked record. A submission without a version is
 * accepted. [B25]
 *
 * @param values  values to write, by attribute name
 * @throws RowChanged
 */
export function assertVersion(
  view: ModelView,
  record: LucidRow,
  submitted: string | undefined,
  values: Record<string, unknown>
): void {
  if (submitted !== undefined && submitted !== view.resource.columns.versionOf(record)) {
    throw new RowChanged(values)
  }
}
