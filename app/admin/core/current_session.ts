import type { HttpContext } from '@adonisjs/core/http'
import { keyOf } from '#crud/operations/item_keys'
import type { Item } from '#crud/types'
import type { AdminSite } from '../admin_site.js'
import { ListColumn } from '../list/list_column.js'

/**
 * The column of the sessions' list that marks the viewer's own, which they had better not end.
 */
export function currentSessionColumn(site: Pick<AdminSite, 'text'>) {
  return class CurrentSession extends ListColumn {
    readonly name = 'current'
    readonly label = site.text('core.sessions.current')

    value(item: Item, ctx: HttpContext): string {
      const own = ctx.auth.use('admin').signedIn?.session.id
      return keyOf(item)?.[0] === own ? site.text('core.sessions.thisOne') : ''
    }
  }
}
