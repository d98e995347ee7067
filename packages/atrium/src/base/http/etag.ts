import { startVersion, versionOfJson } from '../values/digest.js'
import { malformedHeader } from './problems.js'

/** Value of an `If-Match` or `If-None-Match` header: any tag, or a list of entity tags. */
export type TagCondition = '*' | readonly string[]

/** Digest of a text that arrives in pieces. */
export class TagDigest {
  readonly #digest = startVersion()

  update(piece: Buffer): void {
    this.#digest.update(piece)
  }

  /** The same tag as `weakTag` returns; can be read only once */
  get weakTag(): string {
    return `W/"${this.#digest.end()}"`
  }
}

/**
 * Returns the entity tag of an item, which changes with any value that responses show.
 *
 * @param json  the whole item as in a response
 */
export function strongTag(json: string | Buffer): string {
  return `"${versionOfJson(json)}"`
}

/** Returns the entity tag of a response with more than one item. */
export function weakTag(json: string | Buffer): string {
  return `W/"${versionOfJson(json)}"`
}

/* Sticky, so that each character is read only once; a quoted tag can contain commas. */
const NEXT_TAG = /[ \t]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/y
const EMPTY_ELEMENT = /[ \t]*,/y

/**
 * Reads a list of entity tags, or `*` (RFC 9110, 8.8.3 and 13.1). Empty elements are ignored.
 *
 * @param name   name of the header, for the message
 * @param value  value as Node.js provides it, with several headers of that name joined by commas
 * @throws Problem 400
 */
export function parseTags(name: string, value: string): TagCondition {
  if (value.trim() === '*') return '*'
  const tags: string[] = []
  let position = 0
  while (position < value.length) {
    NEXT_TAG.lastIndex = EMPTY_ELEMENT.lastIndex = position
    const tag = NEXT_TAG.exec(value)
    if (tag) tags.push(tag[1])
    else if (!EMPTY_ELEMENT.test(value)) break
    position = tag ? NEXT_TAG.lastIndex : EMPTY_ELEMENT.lastIndex
  }
  const isRead = value.slice(position).trim() === ''
  if (!isRead || tags.length === 0) {
    throw malformedHeader(name, 'it must be * or entity tags in quotes, as in "abc", W/"def"')
  }
  return tags
}

/** True if a tag matches in a strong comparison, for writes: a weak tag never matches (RFC 9110, 8.8.3.2). */
export function matchesStrongly(condition: TagCondition, tag: string): boolean {
  return condition === '*' || (!tag.startsWith('W/') && condition.includes(tag))
}

/** True if a tag matches in a weak comparison, for caches. */
export function matchesWeakly(condition: TagCondition, tag: string): boolean {
  return condition === '*' || condition.some((one) => opaque(one) === opaque(tag))
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}
