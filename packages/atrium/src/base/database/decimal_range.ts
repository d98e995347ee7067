import type { ColumnIntrospection } from './introspection.js'

/* Range of PostgreSQL's type `money`, for a currency with two decimals */
const MONEY = { most: '92233720368547758.07', scale: 2 }

/** Returns the range of a type such as `decimal(8,2)` or `numeric(8,2)`; undefined for any other type. */
export function decimalRangeOf(sqlType: string): ColumnIntrospection['decimalRange'] {
  if (sqlType === 'money') return MONEY
  const [, digits, after = '0'] = /^(?:decimal|numeric)\((\d+)(?:,(\d+))?\)$/i.exec(sqlType) ?? []
  const scale = Number(after)
  const whole = Number(digits) - scale
  if (!(whole >= 0)) return undefined
  const fraction = scale > 0 ? `.${'9'.repeat(scale)}` : ''
  return { most: ('9'.repeat(whole) || '0') + fraction, scale }
}
