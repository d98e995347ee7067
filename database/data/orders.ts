/*
 * Customers and orders of the demo's shop, made up for the purpose. The last orders are of today, the rest is the same
 * each time.
 */
import { DateTime } from 'luxon'
import type { products } from './products.js'

const CUSTOMERS: Array<[name: string, city: string | null]> = [
  ['Amelia Hartwell', 'Bristol'],
  ['Bruno Castellani', 'Turin'],
  ['Chiara Lindqvist', 'Uppsala'],
  ['Dmitri Okafor', 'Leeds'],
  ['Elif Aydın', 'İzmir'],
  ['Fernand Dubois', 'Lyon'],
  ['Greta Nowak', 'Gdańsk'],
  ['Hana Kobayashi', 'Sapporo'],
  ['Ibrahim Fraser', 'Glasgow'],
  ['Jonas Weiß', 'Kassel'],
  ['Kavya Raman', null],
  ['The Corner Café', 'Porto'],
]

const STATUSES = ['paid', 'paid', 'shipped', 'paid', 'confirmed', 'cancelled', 'paid', 'draft']
const NOTES = [
  'Gift wrapping, please.',
  'Leave with the neighbour at number 12.',
  'Invoice to the office, parcel to the shop.',
]
const ORDERS = 40
const MOST_LINES = 6
const ORDERS_OF_TODAY = 6
const DAYS_BETWEEN = 8

export interface OrderValues {
  number: string
  /** Place of the customer in `customers` */
  customer: number
  ordered_on: string
  status: string
  notes: string | null
  lines: LineValues[]
}

export interface LineValues {
  /** Place of the product in `products` */
  product: number
  quantity: number
  unit_price: number
  position: number
}

/** Rows for the table `customers`, by column name */
export const customers = CUSTOMERS.map(([name, city]) => ({ name, email: mailOf(name), city }))

/**
 * The orders with 1 to 6 lines each.
 *
 * @param shop  products whose prices the lines have
 */
export function makeOrders(shop: typeof products): OrderValues[] {
  return Array.from({ length: ORDERS }, (_, index) => ({
    number: `SO-${1001 + index}`,
    customer: (index * 5 + 3) % CUSTOMERS.length,
    ordered_on: dayOf(index),
    status: STATUSES[index % STATUSES.length],
    notes: index % 9 === 4 ? NOTES[index % NOTES.length] : null,
    lines: Array.from({ length: 1 + ((index * 7 + 2) % MOST_LINES) }, (_one, line) => {
      const product = (index * 3 + line * 5) % shop.length
      return {
        product,
        quantity: 1 + ((index + line * 2) % 4),
        unit_price: shop[product].price,
        position: (index * MOST_LINES + line + 1) * 100,
      }
    }),
  }))
}

/** Returns the date of an order: an order every eight days, and the last ones today, in UTC. */
function dayOf(index: number): string {
  const days = Math.max(0, ORDERS - ORDERS_OF_TODAY - index) * DAYS_BETWEEN
  return DateTime.utc().minus({ days }).toISODate()
}

/** `Elif Aydın` -> `elif.aydin@example.com` */
function mailOf(name: string): string {
  const plain = name
    .replaceAll('ı', 'i')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
  return `${plain.toLowerCase().replace(/[^a-z]+/g, '.')}@example.com`
}
