import { ListCard } from 'adonis-atrium/admin'
import env from '#start/env'

class OpenOrders extends ListCard {
  label = 'Open orders'
  model = 'Order'
  query = 'filter.status__in=draft,confirmed&sort_by=ordered_on&sort_order=desc'
  rows = 6
}

export default env.get('DEMO', true) ? OpenOrders : undefined
