/* Number with the same thousands separator throughout */
const GROUPED = /^[+-]?\d{1,3}([,'’_\s])\d{3}(?:\1\d{3})*(?:\.\d+)?$/

/* Digits with separators, or with several points */
const WITH_SEPARATORS = /^(?=.*(?:[,'’_\s]|\..*\.))[+-]?\d[\d.,'’_\s]*$/

/* Shorter numbers are easy to read, and can be years. */
const LONG = /^(-?)(\d{5,})(\.\d+)?$/

/**
 * Adds thousands separators to a numeral of at least 10,000, such as `15,285,588.5`; returns any other text unchanged.
 */
export function grouped(numeral: string): string {
  const [, sign, whole, decimals = ''] = LONG.exec(numeral) ?? []
  return whole === undefined ? numeral : sign + whole.replace(/\B(?=(?:\d{3})+$)/g, ',') + decimals
}

/** Removes the thousands separators of a number such as `93,828`; returns any other text unchanged. */
export function ungrouped(text: string): string {
  return GROUPED.test(text) ? text.replace(/[,'’_\s]/g, '') : text
}

/** Returns true for a number with separators at wrong positions, such as `1,5`. */
export function isMisgrouped(text: string): boolean {
  return WITH_SEPARATORS.test(text) && !GROUPED.test(text)
}

/** Formats a number for people, with thousands separators: `12,345`. */
export function groupedNumber(number: number): string {
  return number.toLocaleString('en')
}
