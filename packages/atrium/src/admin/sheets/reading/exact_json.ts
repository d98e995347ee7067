/* Of numbers with fewer digits JavaScript keeps all. */
const MAY_LOSE = /[\d.]{16}|\d[eE][+-]?\d{3}/

/* To compare more digits could take minutes. */
const LONGEST_NUMBER = 1000

/**
 * Parses JSON without losing a digit: a number that JavaScript would round is its digits as text.
 *
 * @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  if (!MAY_LOSE.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_, value: unknown, context?: { source: string }) =>
    typeof value === 'number' && context ? exactNumber(context.source) : value
  )
}

/**
 * A number as JSON has it; its digits as text if JavaScript would round it.
 */
export function exactNumber(source: string): number | string {
  const number = Number(source)
  return source.length < 16 && Number.isFinite(number) ? number : sameOrText(source, number)
}

function sameOrText(source: string, number: number): number | string {
  if (!Number.isFinite(number) || source.length > LONGEST_NUMBER) return source
  return digitsOf(source) === digitsOf(String(number)) ? number : source
}

/** One text for all ways to write a number, as in `-15e-1` for `-1.50`. */
function digitsOf(numeral: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(numeral)!
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return `${sign}${significant}e${power}`
}
