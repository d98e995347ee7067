import { FOR_VERSIONS, startDigest, versionOfJson } from '../values/digest.js'
import { malformedHeader } from './problems.js'

/** The value of an `If-Match` or `If-None-Match` header: any tag, or a list of entity tags. */
export type TagCondition = '*' | readonly string[]

/** Digest of a text that arrives in pieces. */
export class TagDigest {
  readonly #digest = startDigest(FOR_VERSIONS)

  update(piece: Buffer): void {
    this.#digest.update(piece)
  }

  /** The same tag as `weakTag`; can be read once */
  get weakTag(): string {
    return `W/"${this.#digest.end()}"`
  }
}

/**
 * The entity tag of an item; it changes with any value that responses show. [Q6]
 *
 * @param json  the whole item as in a response
 */
export function strongTag(json: string | Buffer): string {
  return `"${versionOfJson(json)}"`
}

/** The entity tag of a response with more than one item. [Q6] */
export function weakTag(json: string | Buffer): string {
  return `W/"${versionOfJson(json)}"`
}

/* Sticky, so that each character is read once; a quoted tag may contain commas. */
const NEXT_TAG = /[ \t]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/y
const EMPTY_ELEMENT = /[ \t]*,/y

/**
 * Reads a list of entity tags, or `*` (RFC 9110, 8.8.3 and 13.1). Empty elements do not count.
 *
 * @param name   the header's name, for the message
 * @param value  as Node.js has it, several headers of that name joined by commas
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

/** The strong comparison, for writes: a weak tag matches nothing (RFC 9110, 8.8.3.2). */
export function matchesStrongly(condition: TagCondition, tag: string): boolean {
  return condition === '*' || (!tag.startsWith('W/') && condition.includes(tag))
}

/** The weak comparison, for caches. */
export function matchesWeakly(condition: TagCondition, tag: string): boolean {
  return condition === '*' || condition.some((one) => opaque(one) === opaque(tag))
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}
