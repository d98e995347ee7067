import { NumberCard } from 'adonis-atrium/admin'
import { hasDemoModel } from '#database/demo_files'

class OrdersToShip extends NumberCard {
  label = 'Orders to ship'
  model = 'Order'
  query = 'filter.status=confirmed'
}

export default hasDemoModel('order') ? OrdersToShip : undefined
