import type { LucidCrud, Resource, GrantedOperation } from '#crud'
import type { Reversal } from '#crud/internals'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../../model_view.js'

/**
 * One record's part in the undo of an event.
 */
export interface UndoStep {
  resourceType: string
  /** Key as in paths, without the leading slash */
  resourceId: string
  key: KeyValue
  reversal: Reversal
  operation: GrantedOperation
  target: UndoTarget
}

/**
 * A model that is written, as the signed-in user may see it.
 */
export interface UndoTarget {
  name: string
  resource: Resource
  crud: LucidCrud
  /** Null for a model without pages */
  view: ModelView | null
}
