import { ListCard } from 'adonis-atrium/admin'
import { hasDemoModel } from '#database/demo_files'

class OpenOrders extends ListCard {
  label = 'Open orders'
  model = 'Order'
  query = 'filter.status__in=draft,confirmed&sort_by=ordered_on&sort_order=desc'
  rows = 6
}

export default hasDemoModel('order') ? OpenOrders : undefined
