import { cursorTooLong, invalidCursor } from '#base/http/problems'
import { Column } from '#base/columns/column'
import type { Resource } from '../resource/resource.js'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { Condition } from '#base/columns/condition'
import type { Position } from '../sql/keyset.js'
import { sealText, unsealText } from '#base/values/sealed_text'
import { orderOf, type Sort } from '#base/columns/sort'

/** The list that a cursor belongs to. */
export interface CursorList {
  conditions: readonly Condition[]
  sorts: readonly Sort[]
  deleted: DeletedMode
}

/* A cursor is part of a URL, whose length proxies limit. */
const MOST_CHARACTERS = 4000

/* If a cursor gets too long, texts longer than this are named in the error. */
const LONG_TEXT = 500

/**
 * Returns a position as an opaque text that only this application can create: encrypted and authenticated with its key,
 * together with everything that defines the list. The same position always results in the same text, so that the entity
 * tag of an unchanged response does not change.
 *
 * @throws Problem 422  when a value is too long
 */
export function writeCursor(resource: Resource, list: CursorList, position: Position): string {
  const purpose = purposeOf(resource, list)
  const cursor = sealText(JSON.stringify(position.map(toJson)), purpose)
  if (cursor.length > MOST_CHARACTERS) {
    const long = orderOf(list.sorts, resource.key.columns)
      .filter((_, index) => String(position[index]).length > LONG_TEXT)
      .map(({ column }) => column.apiName)
    throw cursorTooLong(long.filter((apiName) => resource.sortable.has(apiName)))
  }
  return cursor
}

/**
 * Returns the position of a cursor.
 *
 * @throws Problem 422  for a cursor of another application or another list
 */
export function readCursor(resource: Resource, list: CursorList, cursor: string): Position {
  const text =
    cursor.length <= MOST_CHARACTERS ? unsealText(cursor, purposeOf(resource, list)) : null
  if (text === null) throw invalidCursor()
  return (JSON.parse(text) as unknown[]).map(fromJson)
}

/**
 * Returns a text that identifies the list and differs for other lists. It does not depend on the page size or on
 * access, which is checked on every request.
 */
function purposeOf(resource: Resource, { conditions, deleted, sorts }: CursorList): string {
  const { key, name, table } = resource
  const order = orderOf(sorts, key.columns).map(({ column, direction }) => [
    column.related ? column.apiName : column.name,
    column.kind,
    direction,
  ])
  const filters = conditions.map((condition) => JSON.stringify(condition, named)).sort()
  return JSON.stringify(['crud.cursor', name, table, deleted, order, filters])
}

function named(_: string, value: unknown): unknown {
  if (value instanceof Column) return value.name
  /* The wildcards of a pattern are symbols. */
  return typeof value === 'symbol' ? { symbol: value.description } : value
}

/** Converts values of drivers that JSON cannot represent. */
function toJson(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return { bytes: value.toString('base64') }
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) }
  return typeof value === 'bigint' ? String(value) : value
}

function fromJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { bytes, number } = value as { bytes?: string; number?: string }
  return bytes === undefined ? Number(number) : Buffer.from(bytes, 'base64')
}
