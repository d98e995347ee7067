import type { Item } from '#crud/types'
import type { AdminSite } from '../admin_site.js'
import { ListColumn } from '../list/list_column.js'

/**
 * The column of the tokens' list that says what each may do, as people write it.
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
