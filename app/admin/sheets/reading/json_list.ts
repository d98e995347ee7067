import { getManyValues, none } from 'stream-chain/defs.js'
import { jsonParser, type Token } from 'stream-json/core/parser.js'
import { FileFault } from '../../errors.js'
import { decodedText } from './decoded_text.js'
import type { JsonRecord } from './json_records.js'
import { ObjectBuilder } from './object_builder.js'

/**
 * The objects of a JSON file, as in `[{...}]` or `{ "items": [{...}] }`, in order.
 *
 * @throws FileFault  with the number of the object in which the file can't be read further
 */
export async function* jsonRecords(path: string, encoding: string): AsyncGenerator<JsonRecord> {
  const builder = new ObjectBuilder()
  const parse = parser()
  let piece = 0
  for await (const text of decodedText(path, encoding)) {
    let tokens: Token[]
    try {
      tokens = parse(text)
    } catch {
      throw new FileFault('sheets.fault.json', {}, await lineOfFault(path, encoding, piece))
    }
    yield* objectsOf(tokens, builder)
    piece++
  }
  try {
    yield* objectsOf(parse(none), builder)
  } catch (error) {
    if (error instanceof FileFault) throw error
    throw new FileFault('sheets.fault.cut', {}, Math.max(builder.line, 1))
  }
  if (!builder.hasList) throw new FileFault('sheets.fault.noList')
}

function* objectsOf(tokens: readonly Token[], builder: ObjectBuilder): Generator<JsonRecord> {
  for (const token of tokens) {
    const object = builder.take(token)
    if (object) yield { line: builder.line, object }
  }
}

/** A piece that is no JSON gives no tokens, not even those before the fault: letter by letter it does. */
async function lineOfFault(path: string, encoding: string, faulty: number): Promise<number> {
  const builder = new ObjectBuilder()
  const parse = parser()
  let piece = 0
  try {
    for await (const text of decodedText(path, encoding)) {
      for (const part of piece === faulty ? text : [text]) {
        for (const token of parse(part)) builder.take(token)
      }
      piece++
    }
  } catch {
    /* The fault is here. */
  }
  return Math.max(builder.line, 1)
}

function parser(): (text: string | typeof none) => Token[] {
  const parse = jsonParser({ packValues: true, streamValues: false })
  return (text) => {
    const tokens = parse(text as string) as ReturnType<typeof parse> & {}
    return tokens === none ? [] : (getManyValues(tokens as never) as Token[])
  }
}
