import { LucidCrud } from '#crud'
import type { Offer } from '../permissions/may.js'
import type { Site } from '../views/site.js'
import type { ListParameters } from './list_parameters.js'
import { withList } from './read_list.js'
import type { RowMoves } from './rows_markup.js'

/** Returns true if a list shows the stored order, so that its records can be moved. */
export function movesRows({ base, deleted, isUnread, sorts, view }: ListParameters): boolean {
  const { orderColumn } = view
  if (!orderColumn || base !== null || deleted !== 'exclude' || isUnread) return false
  if (view.crud.getMulti !== LucidCrud.prototype.getMulti) return false
  const [{ column, direction }] = sorts
  return sorts.length === 1 && direction === 'asc' && column.apiName === orderColumn.apiName
}

/**
 * Returns the handles of a list's rows; null if they cannot be moved.
 *
 * @param offers  what the user is allowed to do with the model
 */
export function rowMoves(
  site: Site,
  parameters: ListParameters,
  offers: ReadonlySet<Offer>
): RowMoves | null {
  const { view } = parameters
  const { projection } = view.resource
  if (!offers.has('update') || !movesRows(parameters)) return null
  if (projection?.writing('update', view.orderColumn!.apiName) === 'none') return null
  const label = site.text('order.handle', { title: '{title}' })
  const [path, query] = withList(view.url('/move/'), parameters).split('?')
  return {
    urlOf: (key) => (query === undefined ? path + key : `${path}${key}?${query}`),
    labelOf: (title) => label.replace('{title}', () => title),
  }
}
