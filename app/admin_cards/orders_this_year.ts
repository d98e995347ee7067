import { NumberCard } from 'adonis-atrium/admin'
import env from '#start/env'

/** Compared with the same days of last year */
class OrdersThisYear extends NumberCard {
  label = 'Orders this year'
  model = 'Order'
  query = 'filter.ordered_on__between=this_year'
}

/* Without the demo's tables there is nothing to show. A card of your own is simply the default export. */
export default env.get('DEMO', true) ? OrdersThisYear : undefined
