import { nextTurn } from '../operations/turns.js'
import { writeJson } from '../values/json.js'
import { answerLimits } from './answer_room.js'
import { TagDigest } from './etag.js'
import { answerTooLarge } from './problems.js'

/** Characters that are written before others get their turn */
const PIECE = 256 * 1024

/* An answer, its list, an item, the items included in it: what lies deeper is no longer than a value. */
const DEEPEST = 4

/**
 * A long answer as JSON, written a little at a time, so that nobody else waits for it. The pieces lie beside
 * the heap.
 *
 * @param value  of what JSON can hold
 * @throws Problem 413  when it is longer than any answer may be: what is escaped is longer than it was
 */
export async function writeJsonPieces(
  value: unknown
): Promise<{ pieces: Buffer[]; bytes: number; digest: TagDigest }> {
  const { answer } = answerLimits()
  const digest = new TagDigest()
  const pieces: Buffer[] = []
  let bytes = 0
  let text = ''
  const flush = () => {
    const piece = Buffer.from(text)
    text = ''
    bytes += piece.length
    if (bytes > LONGER * answer) throw answerTooLarge(answer)
    digest.update(piece)
    pieces.push(piece)
  }
  for (const part of partsOf(value, DEEPEST)) {
    text += part
    if (text.length < PIECE) continue
    flush()
    await nextTurn()
  }
  flush()
  return { pieces, bytes, digest }
}

/** Names, quotes and what has to be escaped come to the values. */
const LONGER = 2

/** Texts that are the value's JSON, one after the other. */
function* partsOf(value: unknown, levels: number): Generator<string, void> {
  if (levels > 0 && Array.isArray(value)) {
    let before = '['
    for (const one of value) {
      yield before
      yield* partsOf(one, levels - 1)
      before = ','
    }
    yield before === '[' ? '[]' : ']'
  } else if (levels > 0 && holdsLists(value)) {
    let before = '{'
    for (const [name, inner] of Object.entries(value)) {
      if (inner === undefined || typeof inner === 'function' || typeof inner === 'symbol') continue
      yield `${before}${JSON.stringify(name)}:`
      yield* partsOf(inner, levels - 1)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  } else yield writeJson(value) ?? 'null'
}

function holdsLists(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  return Object.values(value).some((one) => Array.isArray(one))
}
