import { getManyValues, none } from 'stream-chain/defs.js'
import { jsonParser, type Token } from 'stream-json/core/parser.js'
import { FileFault } from '../../errors.js'
import { decodedText, LineCounter } from './decoded_text.js'
import type { JsonRecord } from './json_records.js'
import { ObjectBuilder } from './object_builder.js'

/**
 * The objects of a JSON file, as in `[{...}]` or `{ "items": [{...}] }`, in order.
 *
 * @throws FileFault  with the place in which the file can't be read further, and the number of the object
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
      for (const token of parse(text)) objects.push(...objectOf(token, builder))
    } catch (error) {
      yield* objects
      throw await placed(error, path, encoding, piece)
    }
    yield* objects
    piece++
  }
  try {
    for (const token of parse(none)) yield* objectOf(token, builder)
  } catch (error) {
    if (error instanceof FileFault) throw error
    const place = await placeOf(path, encoding, Infinity)
    throw new FileFault('sheets.fault.cut', { at: place.line }, Math.max(builder.line, 1))
  }
  if (!builder.hasList) throw new FileFault('sheets.fault.noList')
}

function objectOf(token: Token, builder: ObjectBuilder): JsonRecord[] {
  const object = builder.take(token)
  return object ? [{ line: builder.line, object }] : []
}

/** The error of a piece with its place. */
async function placed(
  error: unknown,
  path: string,
  encoding: string,
  piece: number
): Promise<FileFault> {
  const { builder, column, line } = await placeOf(path, encoding, piece)
  const { key, data } = error instanceof FileFault ? error : { key: 'sheets.fault.json', data: {} }
  return new FileFault(key, { ...data, at: line, column }, Math.max(builder.line, 1))
}

/**
 * Where a file can't be read further. A piece that is not JSON gives no tokens, not even those before the error: character
 * by character it does.
 */
async function placeOf(path: string, encoding: string, faulty: number) {
  const builder = new ObjectBuilder()
  const lines = new LineCounter()
  const parse = parser()
  let piece = 0
  try {
    for await (const text of decodedText(path, encoding)) {
      for (const part of piece === faulty ? text : [text]) {
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
