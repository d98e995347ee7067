import { parse, type ParseError } from 'jsonc-parser'
import { isDeeper } from '#base/values/json'
import { FileFault } from '../../errors.js'
import { decodedText } from './decoded_text.js'
import { parseExactly } from './exact_json.js'
import { DEEPEST, hasMoreValues, MOST_VALUES } from './json_depth.js'

const LONGEST = 64 * 1024 * 1024

export interface JsonRecord {
  line: number
  object: Readonly<Record<string, unknown>>
}

/**
 * The objects of an NDJSON file in order; blank lines are left out.
 *
 * @throws FileFault  for a line that is not an object
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
    if (length > LONGEST) throw new FileFault('sheets.fault.longRecord', {}, line())
  }
  yield [rest.join('')]
}

/** Where a text is not JSON, counted from 1: the errors of JSON.parse do not always say. */
function columnOfError(text: string): number {
  const errors: ParseError[] = []
  parse(text, errors, { disallowComments: true })
  return (errors[0]?.offset ?? text.length) + 1
}

function objectOf(text: string, line: number): Record<string, unknown> {
  if (isDeeper(text, DEEPEST)) throw new FileFault('sheets.fault.deep', { most: DEEPEST }, line)
  if (hasMoreValues(text, MOST_VALUES)) {
    throw new FileFault('sheets.fault.manyValues', { most: MOST_VALUES }, line)
  }
  let value: unknown
  try {
    value = parseExactly(text)
  } catch {
    throw new FileFault('sheets.fault.json', { column: columnOfError(text) }, line)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FileFault('sheets.fault.noObject', {}, line)
  }
  return value as Record<string, unknown>
}
