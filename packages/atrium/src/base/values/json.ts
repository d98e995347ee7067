import { IntegerTooLong } from '../errors.js'
import { significantDigits, writeNumeral } from './numbers.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACKET = 0x5b
const BRACE = 0x7b
const END_BRACKET = 0x5d
const END_BRACE = 0x7d

/** Maximum number of digits of a number in JSON. Parsing a million digits would block all other requests. */
export const MOST_DIGITS = 1000

/** A decimal in JSON with more digits than a JavaScript number can represent. */
export class LongDecimal {
  constructor(readonly digits: string) {}

  toJSON(): string {
    return this.digits
  }
}

/**
 * Parses JSON without losing digits.
 *
 * @param unsafe      converts an integer beyond 2^53, from which on JavaScript numbers are rounded
 * @param mostDigits  maximum number of digits of an integer; stored values can have any number of digits
 * @param long        converts a decimal that a JavaScript number would round; default: the rounded number
 * @throws SyntaxError
 * @throws IntegerTooLong
 */
export function parseJson(
  text: string,
  unsafe: (integer: bigint) => unknown,
  mostDigits: number = Infinity,
  long?: (decimal: LongDecimal) => unknown
): unknown {
  if (!/\d[\d.]{15}/.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_, value: unknown, context?: { source: string }) => {
    const source = context?.source
    if (long && source && typeof value === 'number' && isRounded(source, value)) {
      return long(new LongDecimal(source))
    }
    const isUnsafe = typeof value === 'number' && !Number.isSafeInteger(value)
    if (!isUnsafe || !source || !/^-?\d+$/.test(source)) return value
    if (source.replace('-', '').length > mostDigits) throw new IntegerTooLong()
    return unsafe(BigInt(source))
  })
}

/** True for a decimal whose JavaScript number has different digits. */
function isRounded(source: string, number: number): boolean {
  if (!/^-?\d+\.\d+$/.test(source)) return false
  const digits = significantDigits(source)
  return digits.length > 16 && digits !== String(number) && digits !== writeNumeral(number)
}

/**
 * Returns the value with its numbers for JSON: a bigint as a number, or as digits if that would be rounded; a long
 * decimal rounded.
 */
export function withoutBigInts(value: unknown): unknown {
  if (typeof value === 'bigint') return numberOrDigits(value)
  if (value instanceof LongDecimal) return Number(value.digits)
  if (Array.isArray(value)) return value.map(withoutBigInts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutBigInts(inner)])
  )
}

/**
 * Returns the integer as a number if the conversion loses no digit, otherwise as a text of digits, so that JSON clients
 * do not round it.
 */
export function numberOrDigits(integer: bigint): number | string {
  const digits = String(integer)
  return String(Number(integer)) === digits ? Number(integer) : digits
}

/**
 * True if a JSON text is nested deeper than `depth` levels. Counts brackets outside of strings, before any recursive
 * parser reads them.
 */
export function isDeeper(text: string, depth: number): boolean {
  let level = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === BACKSLASH) index++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if (code === BRACKET || code === BRACE) {
      if (++level > depth) return true
    } else if (code === END_BRACKET || code === END_BRACE) level--
  }
  return false
}

/**
 * Writes JSON of any depth, because other programs may have stored a deeply nested value.
 *
 * @param value  a JSON value
 */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return writeDeepJson(value)
  }
}

function writeDeepJson(value: unknown): string {
  let written = ''
  const open = [piecesOf(value)]
  while (open.length > 0) {
    const { value: piece, done } = open[open.length - 1].next()
    if (done) open.pop()
    else if (typeof piece === 'string') written += piece
    else open.push(piecesOf(piece.value))
  }
  return written
}

/** Yields JSON texts, and the values in between. */
function* piecesOf(value: unknown): Generator<string | { value: unknown }, undefined> {
  if (typeof value !== 'object' || value === null) {
    yield JSON.stringify(value) ?? 'null'
    return
  }
  const isList = Array.isArray(value)
  let before = isList ? '[' : '{'
  for (const [key, inner] of Object.entries(value)) {
    yield isList ? before : `${before}${JSON.stringify(key)}:`
    yield { value: inner }
    before = ','
  }
  yield (before === ',' ? '' : before) + (isList ? ']' : '}')
}
