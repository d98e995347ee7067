import { DateTime } from 'luxon'
import { LucidCrud } from 'adonis-atrium'
import { AdminPage } from 'adonis-atrium/admin'
import { hasDemoModel } from '#database/demo_files'

const STATUSES = [
  { status: 'draft', label: 'Draft', color: 'gray' },
  { status: 'confirmed', label: 'Confirmed', color: 'blue' },
  { status: 'shipped', label: 'Shipped', color: 'violet' },
  { status: 'paid', label: 'Paid', color: 'green' },
  { status: 'cancelled', label: 'Cancelled', color: 'red' },
]

/** The orders of today by status, and the latest that are open. */
class Today extends AdminPage {
  path = 'today'
  label = 'Today'
  group = 'Shop'
  icon = 'M4 6h16v14H4zM4 10.5h16M8.5 3.5V8M15.5 3.5V8M8 15h4'
  template = 'admin/today'

  /* Counts and lists have the permissions of the signed-in user. */
  async data() {
    /* Here, so that the file can be read without the demo's models */
    const [{ default: Order }, { default: Customer }] = await Promise.all([
      import('#models/order'),
      import('#models/customer'),
    ])
    const orders = new LucidCrud(Order)
    const customers = new LucidCrud(Customer)
    const today = DateTime.utc().toISODate()
    const [counts, open] = await Promise.all([
      Promise.all(STATUSES.map(({ status }) => orders.count({ status, ordered_on: today }))),
      orders.getMulti({
        filters: { status__in: ['draft', 'confirmed'] },
        sort: '-ordered_on,-number',
        limit: 10,
      }),
    ])
    const rows = await Promise.all(
      open.data.map(async (order) => {
        const customer = await customers.get(order.customer_id)
        return {
          id: order.id,
          number: order.number,
          customer: customer?.name,
          orderedOn: DateTime.fromISO(String(order.ordered_on)).toFormat('d LLL yyyy'),
          status: STATUSES.find(({ status }) => status === order.status),
        }
      })
    )
    return { today, rows, statuses: STATUSES.map((one, at) => ({ ...one, count: counts[at] })) }
  }
}

/* Without the demo's tables there is nothing to show. A page of your own is simply the default export. */
export default hasDemoModel('order') && hasDemoModel('customer') ? Today : undefined
