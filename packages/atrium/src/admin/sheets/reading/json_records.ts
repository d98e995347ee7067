import { parse as parseWithErrors, type ParseError } from 'jsonc-parser'
import { type Token, jsonParser } from 'stream-json/core/parser.js'
import { getManyValues, none } from 'stream-chain/defs.js'
import { isDeeper } from '#base/values/json'
import { FileError } from '../../jobs/job_errors.js'
import { decodedText, LineCounter } from './decoded_text.js'

/* Numbers that JavaScript can round; numbers with fewer digits are exact. */
const MAY_LOSE = /[\d.]{16}|\d[eE][+-]?\d{3}/

/* Maximum length of a number; comparing more digits could take minutes. */
const LONGEST_NUMBER = 1000

/**
 * Parses JSON without losing digits: a number that JavaScript would round becomes a text with its digits.
 *
 * @throws SyntaxError
 */
function parseExactly(text: string): unknown {
  if (!MAY_LOSE.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_, value: unknown, context?: { source: string }) =>
    typeof value === 'number' && context ? exactNumber(context.source) : value
  )
}

/** Converts a number of JSON, to a text with its digits if JavaScript would round it. */
export function exactNumber(source: string): number | string {
  const number = Number(source)
  return source.length < 16 && Number.isFinite(number) ? number : sameOrText(source, number)
}

function sameOrText(source: string, number: number): number | string {
  if (!Number.isFinite(number) || source.length > LONGEST_NUMBER) return source
  return digitsOf(source) === digitsOf(String(number)) ? number : source
}

/** Returns the same text for all notations of a number, such as `-15e-1` for `-1.50`. */
function digitsOf(numeral: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(numeral)!
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return `${sign}${significant}e${power}`
}

/** Maximum nesting depth of a value */
const DEEPEST = 100

/**
 * Maximum number of values of one object, including nested ones, because each value needs memory even if its text is
 * short
 */
const MOST_VALUES = 1_000_000

/**
 * Returns true if a JSON text has more than a number of values, without parsing it. Counts commas outside of strings.
 */
function hasMoreValues(text: string, most: number): boolean {
  if (text.length < most) return false
  let count = 1
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const letter = text[index]
    if (letter === '"') isInString = !isInString
    else if (isInString && letter === '\\') index++
    else if (!isInString && letter === ',' && ++count > most) return true
  }
  return false
}

const LONGEST = 64 * 1024 * 1024

interface JsonRecord {
  line: number
  object: Readonly<Record<string, unknown>>
}

/**
 * Yields the objects of an NDJSON file in order, without blank lines.
 *
 * @throws FileError  for a line that is not an object
 */
export async function* ndjsonRecords(
  path: string,
  encoding: string,
  mostBytes?: number
): AsyncGenerator<JsonRecord> {
  let line = 0
  const pieces = decodedText(path, encoding, mostBytes)
  for await (const lines of linesOf(pieces, () => line + 1)) {
    /* Lines are yielded in batches, because awaiting millions of blank lines one by one would be slow. */
    for (const text of lines) {
      line++
      if (text.trim() !== '') yield { line, object: objectOf(text, line) }
    }
  }
}

/** Yields lines. Only LF ends a line of NDJSON, because texts can contain other line ends. */
async function* linesOf(
  pieces: AsyncIterable<string>,
  line: () => number
): AsyncGenerator<string[]> {
  let rest: string[] = []
  let length = 0
  for await (const piece of pieces) {
    const ended = piece.split('\n')
    const last = ended.pop()!
    if (ended.length > 0) {
      ended[0] = rest.join('') + ended[0]
      yield ended
      ;[rest, length] = [[], 0]
    }
    rest.push(last)
    length += last.length
    if (length > LONGEST) throw new FileError('sheets.errors.longRecord', {}, line())
  }
  yield [rest.join('')]
}

/**
 * Returns the column of a JSON syntax error, counted from 1, because the errors of JSON.parse do not always contain it.
 */
function columnOfError(text: string): number {
  const errors: ParseError[] = []
  parseWithErrors(text, errors, { disallowComments: true })
  return (errors[0]?.offset ?? text.length) + 1
}

function objectOf(text: string, line: number): Record<string, unknown> {
  if (isDeeper(text, DEEPEST)) throw new FileError('sheets.errors.deep', { most: DEEPEST }, line)
  if (hasMoreValues(text, MOST_VALUES)) {
    throw new FileError('sheets.errors.manyValues', { most: MOST_VALUES }, line)
  }
  let value: unknown
  try {
    value = parseExactly(text)
  } catch {
    throw new FileError('sheets.errors.json', { column: columnOfError(text) }, line)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FileError('sheets.errors.noObject', {}, line)
  }
  return value as Record<string, unknown>
}

type Container = unknown[] | Record<string, unknown>

/** Properties that contain the array, as in responses of the API */
const LISTS: readonly string[] = ['items', 'data']

/**
 * Builds the objects of an array from the tokens of a JSON file: `[{...}]`, or `{ "items": [{...}] }`. Numbers are
 * exact.
 */
class ObjectBuilder {
  /** Number of the last object that has begun, counted from 1 */
  line = 0
  /** True after the beginning of the array */
  hasList = false
  #isInList = false
  /** Nesting depth inside a root property that is skipped, as it does not contain the array; 0 outside of one */
  #skipped = 0
  #isInRoot = false
  #rootKey = ''
  #open: Container[] = []
  #keys: string[] = []
  /** Number of values of the current object */
  #values = 0

  /**
   * @returns an object of the array if the token completes one
   * @throws FileError  for an item of the array that is not an object, and for one that is nested too deeply
   */
  take(token: Token): Record<string, unknown> | null {
    if (this.#open.length > 0) return this.#inObject(token)
    if (this.#isInList) this.#atItem(token)
    else this.#around(token)
    return null
  }

  #atItem(token: Token): void {
    if (token.name === 'endArray') {
      this.#isInList = false
      return
    }
    this.line++
    if (token.name !== 'startObject') throw new FileError('sheets.errors.noObject', {}, this.line)
    this.#open.push({})
    this.#values = 0
  }

  #around(token: Token): void {
    const { name } = token
    if (name === 'startArray' && this.#skipped === 0 && this.#isListHere()) {
      this.hasList = true
      this.#isInList = true
    } else if (name === 'startObject' && !this.#isInRoot) this.#isInRoot = true
    else if (name === 'startObject' || name === 'startArray') this.#skipped++
    else if (name === 'endObject' || name === 'endArray') this.#skipped--
    else if (name === 'keyValue' && this.#skipped === 0) this.#rootKey = token.value
  }

  #isListHere(): boolean {
    return !this.hasList && (!this.#isInRoot || LISTS.includes(this.#rootKey))
  }

  #inObject(token: Token): Record<string, unknown> | null {
    switch (token.name) {
      case 'keyValue':
        this.#keys.push(token.value)
        return null
      case 'startObject':
      case 'startArray':
        if (this.#open.length >= DEEPEST) {
          throw new FileError('sheets.errors.deep', { most: DEEPEST }, this.line)
        }
        this.#open.push(token.name === 'startArray' ? [] : {})
        return null
      case 'endObject':
      case 'endArray':
        return this.#close()
      case 'numberValue':
        this.#add(exactNumber(token.value))
        return null
      default:
        this.#add((token as { value: unknown }).value)
        return null
    }
  }

  #close(): Record<string, unknown> | null {
    const value = this.#open.pop()!
    if (this.#open.length === 0) return value as Record<string, unknown>
    this.#add(value)
    return null
  }

  #add(value: unknown): void {
    if (++this.#values > MOST_VALUES) {
      throw new FileError('sheets.errors.manyValues', { most: MOST_VALUES }, this.line)
    }
    const container = this.#open.at(-1)!
    if (Array.isArray(container)) container.push(value)
    else {
      /* Treats a property named `__proto__` like any other property. */
      Object.defineProperty(container, this.#keys.pop()!, {
        value,
        configurable: true,
        enumerable: true,
        writable: true,
      })
    }
  }
}

/**
 * Yields the objects of a JSON file, such as `[{...}]` or `{ "items": [{...}] }`, in order.
 *
 * @throws FileError  with the position at which the file cannot be read further, and the number of the object
 */
export async function* jsonRecords(
  path: string,
  encoding: string,
  mostBytes?: number
): AsyncGenerator<JsonRecord> {
  const builder = new ObjectBuilder()
  const parse = parser()
  let piece = 0
  for await (const text of decodedText(path, encoding, mostBytes)) {
    const objects: JsonRecord[] = []
    try {
      for (const token of parse(text)) objects.push(...objectAt(token, builder))
    } catch (error) {
      yield* objects
      throw await placed(error, path, encoding, piece)
    }
    yield* objects
    piece++
  }
  try {
    for (const token of parse(none)) yield* objectAt(token, builder)
  } catch (error) {
    if (error instanceof FileError) throw error
    const place = await positionOf(path, encoding, Infinity)
    throw new FileError('sheets.errors.cut', { at: place.line }, Math.max(builder.line, 1))
  }
  if (!builder.hasList) throw new FileError('sheets.errors.noList')
}

function objectAt(token: Token, builder: ObjectBuilder): JsonRecord[] {
  const object = builder.take(token)
  return object ? [{ line: builder.line, object }] : []
}

/** Returns the error of a piece, with the position in the file. */
async function placed(
  error: unknown,
  path: string,
  encoding: string,
  piece: number
): Promise<FileError> {
  const { builder, column, line } = await positionOf(path, encoding, piece)
  const { key, data } = error instanceof FileError ? error : { key: 'sheets.errors.json', data: {} }
  return new FileError(key, { ...data, at: line, column }, Math.max(builder.line, 1))
}

/**
 * Finds the position at which a file cannot be read further. The parser returns no tokens of an invalid piece, not even
 * those before the error, so the piece is parsed again character by character.
 */
async function positionOf(path: string, encoding: string, invalid: number) {
  const builder = new ObjectBuilder()
  const lines = new LineCounter()
  const parse = parser()
  let piece = 0
  try {
    for await (const text of decodedText(path, encoding)) {
      for (const part of piece === invalid ? text : [text]) {
        for (const token of parse(part)) builder.take(token)
        lines.add(part)
      }
      piece++
    }
  } catch {
    /* The error is at this character. */
  }
  return { builder, line: lines.line, column: lines.column }
}

function parser(): (text: string | typeof none) => Token[] {
  const parse = jsonParser({ packValues: true, streamValues: false })
  return (text) => {
    const tokens = parse(text as string) as ReturnType<typeof parse> & {}
    return tokens === none ? [] : (getManyValues(tokens as never) as Token[])
  }
}
