import { parse as parseWithErrors, type ParseError } from 'jsonc-parser'
import { type Token, jsonParser } from 'stream-json/core/parser.js'
import { getManyValues, none } from 'stream-chain/defs.js'
import { isDeeper } from '#base/values/json'
import { FileError } from '../../jobs/job_errors.js'
import { decodedText, LineCounter } from './decoded_text.js'

/* Of numbers with fewer digits JavaScript keeps all. */
const MAY_LOSE = /[\d.]{16}|\d[eE][+-]?\d{3}/

/* To compare more digits could take minutes. */
const LONGEST_NUMBER = 1000

/**
 * Parses JSON without losing a digit: a number that JavaScript would round is its digits as text.
 *
 * @throws SyntaxError
 */
function parseExactly(text: string): unknown {
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

/** Lists and objects within each other; no value of a table has more */
const DEEPEST = 100

/** Values of one object, in all its lists and objects: each takes memory, however short it is written */
const MOST_VALUES = 1_000_000

/**
 * True if a JSON text has more than so many values, before they are made. Counts commas outside of strings.
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
 * The objects of an NDJSON file in order; blank lines are left out.
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
    /* Millions of blank lines must not be awaited one by one. */
    for (const text of lines) {
      line++
      if (text.trim() !== '') yield { line, object: objectOf(text, line) }
    }
  }
}

/** Only LF ends a line of NDJSON: other line ends may be in a text. */
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

/** Where a text is not JSON, counted from 1: the errors of JSON.parse do not always say. */
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

/** Properties of an object around the list, as in responses of the API */
const LISTS: readonly string[] = ['items', 'data']

/**
 * Makes the objects of a list out of the tokens of a JSON file: `[{...}]`, or `{ "items": [{...}] }`. Numbers are
 * exact.
 */
class ObjectBuilder {
  /** Number of the object that was begun last, counted from 1 */
  line = 0
  /** True after the beginning of the list */
  hasList = false
  #isInList = false
  /** Containers around a value of the file's outermost object that is not the list */
  #skipped = 0
  #isInRoot = false
  #rootKey = ''
  #open: Container[] = []
  #keys: string[] = []
  /** Of the object that is open */
  #values = 0

  /**
   * @returns an object of the list if the token completes one
   * @throws FileError  for an item of the list that is not an object, and for one that is too deep
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
      /* A property named `__proto__` is one like others. */
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
 * The objects of a JSON file, as in `[{...}]` or `{ "items": [{...}] }`, in order.
 *
 * @throws FileError  with the place in which the file can't be read further, and the number of the object
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
    const place = await placeOf(path, encoding, Infinity)
    throw new FileError('sheets.errors.cut', { at: place.line }, Math.max(builder.line, 1))
  }
  if (!builder.hasList) throw new FileError('sheets.errors.noList')
}

function objectAt(token: Token, builder: ObjectBuilder): JsonRecord[] {
  const object = builder.take(token)
  return object ? [{ line: builder.line, object }] : []
}

/** The error of a piece with its place. */
async function placed(
  error: unknown,
  path: string,
  encoding: string,
  piece: number
): Promise<FileError> {
  const { builder, column, line } = await placeOf(path, encoding, piece)
  const { key, data } = error instanceof FileError ? error : { key: 'sheets.errors.json', data: {} }
  return new FileError(key, { ...data, at: line, column }, Math.max(builder.line, 1))
}

/**
 * Where a file can't be read further. A piece that is not JSON gives no tokens, not even those before the error: character
 * by character it does.
 */
async function placeOf(path: string, encoding: string, invalid: number) {
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
    /* The error is here. */
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
