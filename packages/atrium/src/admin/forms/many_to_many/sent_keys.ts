import { MOST_RELATED } from '#crud/internals'
import { TooManyValues } from '../../errors.js'

/**
 * The keys that a form sends for a many-to-many field, as texts.
 */
export interface SentKeys {
  chosen: string[]
  /** The keys that the form began with; undefined if it does not say */
  shown: string[] | undefined
}

/** Suffix in the name of the field with the keys that the form began with, as JSON. [R3] */
export const SHOWN = '.__shown'

/** Suffix in the name of the field in which keys are typed, with commas between. */
export const ADD = '.__add'

/* More are not a mistake that a page could show. */
const MOST_SENT = 2 * MOST_RELATED

/* Before the first text, which no key begins with */
const STATE = 'shown='

/**
 * Reads the field out of all that a form sent.
 *
 * @returns the texts of the field; undefined if the form does not have it
 * @throws TooManyValues
 */
export function collectKeys(
  name: string,
  sent: ReadonlyMap<string, readonly string[]>
): string[] | undefined {
  const chosen = sent.get(name)
  const typed = sent.get(name + ADD)
  const shown = sent.get(name + SHOWN)
  if (!chosen && !typed) return undefined
  const keys = [...(chosen ?? []), ...(typed ?? []).flatMap((text) => text.split(/[,\s]+/))]
  const distinct = new Set(keys.map((key) => key.trim()).filter((key) => key !== ''))
  if (distinct.size > MOST_SENT) throw new TooManyValues()
  return textsOf({
    chosen: [...distinct],
    shown: shown && listIn(shown.at(-1)!),
  })
}

/** The texts by which forms keep the field. */
export function textsOf({ chosen, shown }: SentKeys): string[] {
  return [STATE + (shown ? JSON.stringify(shown) : ''), ...chosen]
}

export function keysIn(texts: readonly string[]): SentKeys {
  const [first = '', ...rest] = texts
  /* An address may give keys alone. */
  if (!first.startsWith(STATE)) return { chosen: [...texts], shown: undefined }
  return { chosen: rest, shown: listIn(first.slice(STATE.length)) }
}

function listIn(json: string): string[] | undefined {
  try {
    const list: unknown = JSON.parse(json)
    return Array.isArray(list) ? list.map(String) : undefined
  } catch {
    return undefined
  }
}
