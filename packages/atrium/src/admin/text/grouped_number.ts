/* The same separator throughout */
const GROUPED = /^[+-]?\d{1,3}([,'’_\s])\d{3}(?:\1\d{3})*(?:\.\d+)?$/

/* Digits with separators, or with several points */
const WITH_SEPARATORS = /^(?=.*(?:[,'’_\s]|\..*\.))[+-]?\d[\d.,'’_\s]*$/

/* A shorter number is read at a glance, and may be a year. */
const LONG = /^(-?)(\d{5,})(\.\d+)?$/

/**
 * A numeral of at least 10,000 with separators of thousands, as in `15,285,588.5`; any other text as it is.
 */
export function grouped(numeral: string): string {
  const [, sign, whole, decimals = ''] = LONG.exec(numeral) ?? []
  return whole === undefined ? numeral : sign + whole.replace(/\B(?=(?:\d{3})+$)/g, ',') + decimals
}

/**
 * A number without its separators of thousands, as in `93,828`; any other text as it is.
 */
export function ungrouped(text: string): string {
  return GROUPED.test(text) ? text.replace(/[,'’_\s]/g, '') : text
}

/**
 * Returns true for a number with separators that stand where none of thousands do, as in `1,5`.
 */
export function isMisgrouped(text: string): boolean {
  return WITH_SEPARATORS.test(text) && !GROUPED.test(text)
}
