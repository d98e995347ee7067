import type { LucidRow } from '@adonisjs/lucid/types/model'
import { noteKey } from '#base/items'
import { cutText } from '../list/cell.js'
import type { ModelView } from '../model_view.js'

/**
 * Title of a selected record. A viewer who cannot see the record sees its key only. [B14]
 */
export function titleInBulk(view: ModelView, record: LucidRow, isVisible: boolean): string {
  const { resource } = view
  const item = isVisible ? resource.reader.toItem(record) : {}
  return cutText(view.titleOf(noteKey(item, resource.key.of(record))))
}
