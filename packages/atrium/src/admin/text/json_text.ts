import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser'
import { crudConfig } from '#crud'
import { IntegerTooLong } from '#base/errors'
import { isDeeper, MOST_DIGITS, numberOrDigits, parseJson, writeJson } from '#base/values/json'
import { UnreadableText } from './errors.js'

const REASONS: Record<string, string> = {
  InvalidNumberFormat: 'this number has another form in JSON',
  PropertyNameExpected: 'expected a name in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected a colon',
  CommaExpected: 'expected a comma',
  CloseBraceExpected: 'expected a closing brace }',
  CloseBracketExpected: 'expected a closing bracket ]',
  EndOfFileExpected: 'expected nothing more',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  UnexpectedEndOfString: 'this text has no closing quotation mark on its line',
  UnexpectedEndOfNumber: 'this number has no end',
  InvalidUnicode: 'expected four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'this text has a backslash before a character that needs none',
  InvalidCharacter: 'this character must be written as an escape sequence',
}

/**
 * Returns the position and reason of a JSON syntax error, such as `line 3, column 14: expected a comma`. Columns count
 * characters.
 *
 * @returns undefined if that is not known
 */
export function jsonError(text: string): string | undefined {
  const errors: ParseError[] = []
  parse(text, errors, { disallowComments: true, allowTrailingComma: false })
  const [error] = errors
  if (!error) return undefined
  const before = text.slice(0, error.offset).split('\n')
  const column = [...before[before.length - 1]].length + 1
  return `line ${before.length}, column ${column}: ${reasonOf(error, errors, text)}`
}

function reasonOf({ error, offset, length }: ParseError, errors: ParseError[], text: string) {
  const reason = REASONS[printParseErrorCode(error)]
  if (reason !== undefined) return reason
  /* The word is not valid in JSON; the next error contains what is expected instead. */
  const next = errors.find((other) => other.offset >= offset && other.error !== error)
  const wanted = (next && REASONS[printParseErrorCode(next.error)]) ?? 'expected nothing more'
  const word = [...text.slice(offset, offset + length)].slice(0, 20).join('')
  return `${wanted} in the place of ${word}`
}

/**
 * Parses a JSON text, with the same limits as for JSON bodies: depth and size of integers.
 *
 * @throws UnreadableText
 */
export function jsonOf(text: string): unknown {
  const { depth } = crudConfig().body
  if (isDeeper(text, depth)) {
    throw new UnreadableText('depth', `must not nest more than ${depth} levels deep`)
  }
  try {
    return parseJson(text, numberOrDigits, MOST_DIGITS)
  } catch (error) {
    if (error instanceof IntegerTooLong) {
      const reason = `must not have an integer of more than ${MOST_DIGITS} digits`
      throw new UnreadableText('digits', reason)
    }
    const invalid = jsonError(text)
    throw new UnreadableText('json', `must be valid JSON${invalid ? ` (${invalid})` : ''}`)
  }
}

/* Maximum depth for indentation; beyond it, most of a line would be spaces. */
const DEEPEST = 32

/*
 * Maximum length with indentation: `MOST_GROWTH` times the length without, but at least `ALWAYS` and at most `LONGEST`
 */
const ALWAYS = 10_000
const LONGEST = 100_000
const MOST_GROWTH = 4

/** Formats JSON for display: indented, unless that would mostly add spaces. */
export function prettyJson(value: unknown): string {
  const compact = writeJson(value)
  if (compact.length > LONGEST || isDeeper(compact, DEEPEST)) return compact
  const pretty = JSON.stringify(value, null, 2)
  const most = Math.max(ALWAYS, Math.min(LONGEST, MOST_GROWTH * compact.length))
  return pretty.length > most ? compact : pretty
}
