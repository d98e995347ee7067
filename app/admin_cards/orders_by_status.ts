import { ChartCard } from 'adonis-atrium/admin'
import { hasDemoModel } from '#database/demo_files'

class OrdersByStatus extends ChartCard {
  label = 'Orders by month and status'
  model = 'Order'
  query = 'filter.ordered_on__between=this_year'
  width = 4 as const
  kind = 'stacked' as const
  groupBy = ['ordered_on', 'status'] as const
}

export default hasDemoModel('order') ? OrdersByStatus : undefined
