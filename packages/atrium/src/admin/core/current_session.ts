import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'
import { keyOf } from '#base/items'
import type { AdminSite } from '../admin_site.js'
import { ListColumn } from '../list/list_column.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'

/**
 * List column that marks the viewer's own session, so that they do not end it by mistake.
 */
export function currentSessionColumn(site: Pick<AdminSite, 'text'>) {
  return class CurrentSession extends ListColumn {
    readonly name = 'current'
    readonly label = site.text('core.sessions.current')

    value(item: Item, ctx: HttpContext): string {
      const own = guardOf(ctx).signedIn?.session.id
      return keyOf(item)?.[0] === own ? site.text('core.sessions.thisOne') : ''
    }
  }
}
