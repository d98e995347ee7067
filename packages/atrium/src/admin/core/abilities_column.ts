import type { Item } from '#crud'
import type { AdminSite } from '../admin_site.js'
import { ListColumn } from '../list/list_column.js'

/**
 * List column with the abilities of an access token, in the form in which they are typed.
 */
export function abilitiesColumn(site: Pick<AdminSite, 'text'>) {
  return class Abilities extends ListColumn {
    readonly name = 'abilities'
    readonly label = site.text('accessTokens.columns.abilities')

    value({ abilities }: Item): string {
      return (abilities as string[]).join(', ')
    }
  }
}
