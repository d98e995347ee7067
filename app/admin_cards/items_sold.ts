import { NumberCard } from 'adonis-atrium/admin'
import { hasDemoModel } from '#database/demo_files'

class ItemsSold extends NumberCard {
  label = 'Items sold'
  model = 'OrderLine'
  select = 'sum:quantity' as const
}

export default hasDemoModel('order_line') ? ItemsSold : undefined
