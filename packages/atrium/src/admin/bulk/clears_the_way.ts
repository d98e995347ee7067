import { LucidCrud } from '#crud'
import { hasForeignHook } from '#base/lucid/own_hooks'
import type { ModelView } from '../model_view.js'

/**
 * True if code of the application runs before a deletion: it may delete first what else would be in the
 * way. [R6]
 */
export function clearsTheWay({ base }: ModelView): boolean {
  const { crud, resource } = base
  const isOwn = crud.prepareDelete !== LucidCrud.prototype.prepareDelete
  return isOwn || hasForeignHook(resource.model, 'before:delete')
}
