import type { LucidRow } from '@adonisjs/lucid/types/model'
import { keyedDigest as digest, startDigest } from '../values/keyed_digest.js'
import type { Resource } from '../resource/resource.js'
import { writeJson } from '../values/json.js'
import { malformedHeader } from './problems.js'

/**
 * What an `If-Match` or `If-None-Match` header names: anything at all, or these entity tags.
 */
export type TagCondition = '*' | readonly string[]

/**
 * The same digest of a text that comes piece by piece.
 */
export class TagDigest {
  readonly #digest = startDigest()

  update(piece: Buffer): void {
    this.#digest.update(piece)
  }

  /** As `weakTag` has it; to be asked once */
  get weakTag(): string {
    return `W/"${this.#digest.end()}"`
  }
}

/**
 * The entity tag of an item: another one as soon as any value that answers show is another. [Q6]
 *
 * @param json  the whole item as it is answered
 */
export function strongTag(json: string): string {
  return `"${digest(json)}"`
}

/**
 * The entity tag of an answer that is more than one item. [Q6]
 */
export function weakTag(json: string): string {
  return `W/"${digest(json)}"`
}

/**
 * The entity tag that a read of the record has.
 */
export function tagOfRecord({ reader }: Resource, record: LucidRow): string {
  return strongTag(writeJson(reader.toItem(record)))
}

/* Sticky, so that each sign is looked at once; what is in quotes may hold commas. */
const NEXT_TAG = /[ \t]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/y
const EMPTY_ELEMENT = /[ \t]*,/y

/**
 * Reads a list of entity tags, or `*` (RFC 9110, 8.8.3 and 13.1). Elements that are empty do not count.
 *
 * @param name   the header's, for who sent it
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

/**
 * The comparison that a write asks for: a weak tag matches nothing (RFC 9110, 8.8.3.2).
 */
export function matchesStrongly(condition: TagCondition, tag: string): boolean {
  return condition === '*' || (!tag.startsWith('W/') && condition.includes(tag))
}

/**
 * The comparison that a cache asks for: weak or not does not matter.
 */
export function matchesWeakly(condition: TagCondition, tag: string): boolean {
  return condition === '*' || condition.some((one) => opaque(one) === opaque(tag))
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}
