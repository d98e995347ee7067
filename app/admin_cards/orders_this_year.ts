import { NumberCard } from 'adonis-atrium/admin'
import { hasDemoModel } from '#database/demo_files'

/** Compared with the same days of last year */
class OrdersThisYear extends NumberCard {
  label = 'Orders this year'
  model = 'Order'
  query = 'filter.ordered_on__between=this_year'
}

/* Without the demo's tables there is nothing to show. A card of your own is simply the default export. */
export default hasDemoModel('order') ? OrdersThisYear : undefined
