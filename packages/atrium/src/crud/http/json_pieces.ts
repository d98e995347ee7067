import { nextEventLoopTurn } from '#base/event_loop'
import { writeJson } from '#base/values/json'
import { answerLimits } from '#crud/http/answer_budget'
import { TagDigest } from '#base/http/etag'
import { answerTooLarge } from '#base/http/problems'

/** Characters to write before other requests get a turn */
const PIECE = 256 * 1024

/* A response, its list, an item, its included items: a deeper value is written in one piece. */
const DEEPEST = 4

/**
 * Writes a long response as JSON in pieces, so that other requests do not wait for it. The pieces are
 * Buffers, outside the heap.
 *
 * @param value  a JSON value
 * @throws Problem 413  when the JSON, which is longer than the values by its escapes, exceeds the limit
 *   of a response
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
    await nextEventLoopTurn()
  }
  flush()
  return { pieces, bytes, digest }
}

/** Names, quotes and escapes make JSON longer than its values. */
const LONGER = 2

/** Generates texts that together are the value's JSON. */
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
