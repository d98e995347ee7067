import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidCrud, Resource, GrantedOperation } from '#crud'
import { type Reversal, recordsChangedSince } from '#crud/internals'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../views/model_view.js'
import { UndoRefused } from './errors.js'

/** The undo of an event for one record. */
export interface UndoStep {
  resourceType: string
  /** Key in the format of URL paths, without the leading slash */
  resourceId: string
  key: KeyValue
  reversal: Reversal
  operation: GrantedOperation
  target: UndoTarget
}

/** A model whose records are written, with the permissions of the signed-in user. */
export interface UndoTarget {
  name: string
  resource: Resource
  crud: LucidCrud
  /** Null for a model without pages */
  view: ModelView | null
}

/** Returns the steps whose records have changed since the event. In a transaction the records are locked. */
export async function changedSteps(
  steps: readonly UndoStep[],
  client: QueryClientContract
): Promise<UndoStep[]> {
  const changed: UndoStep[] = []
  for (const [{ resource }, some] of Map.groupBy(steps, ({ target }) => target)) {
    changed.push(...(await recordsChangedSince(resource, some, client)))
  }
  return changed
}

/** Returns the refusal of an undo whose records have changed, with these records. */
export function changedRefusal(steps: readonly UndoStep[]): UndoRefused {
  const records = steps.map(({ resourceId: id, resourceType: model, target }) => {
    return { model, id, label: target.view?.singular ?? model }
  })
  return new UndoRefused('changed', {}, records)
}
