import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { recordsNotAsLeft } from '#crud/internals'
import { UndoRefused } from '../../errors.js'
import type { UndoStep } from './undo_step.js'

/**
 * Of the steps, those whose records are not as the event left them. In a transaction the records are locked.
 */
export async function stepsNotAsLeft(
  steps: readonly UndoStep[],
  client: QueryClientContract
): Promise<UndoStep[]> {
  const changed: UndoStep[] = []
  for (const [{ resource }, some] of Map.groupBy(steps, ({ target }) => target)) {
    changed.push(...(await recordsNotAsLeft(resource, some, client)))
  }
  return changed
}

/** The refusal that names records. */
export function notAsLeft(steps: readonly UndoStep[]): UndoRefused {
  const records = steps.map(({ resourceId: id, resourceType: model, target }) => {
    return { model, id, label: target.view?.singular ?? model }
  })
  return new UndoRefused('changed', {}, records)
}
