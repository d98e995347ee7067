import encryption from '@adonisjs/core/services/encryption'
import { cursorTooLong, invalidCursor } from '../http/problems.js'
import { Column } from '../resource/column.js'
import type { Resource } from '../resource/resource.js'
import type { DeletedMode } from '../resource/soft_delete.js'
import type { Condition } from './condition.js'
import type { Position } from '../sql/keyset.js'
import { orderOf, type Sort } from './sort.js'

/**
 * The list that a cursor is for.
 */
export interface CursorList {
  conditions: readonly Condition[]
  sorts: readonly Sort[]
  deleted: DeletedMode
}

/* A URL has to hold it, and everybody between the caller and here has to let that pass. */
const MOST_CHARACTERS = 4000

/* What is a text like any other where it stands in a list of values. */
const LONG_TEXT = 500

/**
 * A position as a text that tells nobody anything, and that nobody else can make: encrypted and
 * authenticated by the application's key, together with all that makes the list. The same position
 * gives the same text, so that an answer that has not changed has its entity tag again. [Q4]
 *
 * @throws Problem 422  when a value is too long for it
 */
export function writeCursor(resource: Resource, list: CursorList, position: Position): string {
  const purpose = purposeOf(resource, list)
  const cursor = encryptor().encrypt(position.map(toJson), { purpose })
  if (cursor.length > MOST_CHARACTERS) {
    const long = orderOf(list.sorts, resource.key.columns)
      .filter((_, index) => String(position[index]).length > LONG_TEXT)
      .map(({ column }) => column.wire)
    throw cursorTooLong(long.filter((wire) => resource.sortable.has(wire)))
  }
  return cursor
}

/**
 * The position that a cursor holds.
 *
 * @throws Problem 422  when it was not made here, or for another list
 */
export function readCursor(resource: Resource, list: CursorList, cursor: string): Position {
  const values =
    cursor.length <= MOST_CHARACTERS
      ? encryptor().decrypt<unknown[]>(cursor, purposeOf(resource, list))
      : null
  if (values === null) throw invalidCursor()
  return values.map(fromJson)
}

/** Of `config/encryption.ts`. */
function encryptor() {
  return encryption.use('cursors')
}

/**
 * Says which list it is: another one has another text. How much of the items is shown is no part of it,
 * and who sees which of them is asked anew each time.
 */
function purposeOf(resource: Resource, { conditions, deleted, sorts }: CursorList): string {
  const { key, name, table } = resource
  const order = orderOf(sorts, key.columns).map(({ column, direction }) => [
    column.name,
    column.kind,
    direction,
  ])
  const filters = conditions.map((condition) => JSON.stringify(condition, named)).sort()
  return JSON.stringify(['crud.cursor', name, table, deleted, order, filters])
}

function named(_: string, value: unknown): unknown {
  if (value instanceof Column) return value.name
  /* The wildcards of a pattern. */
  return typeof value === 'symbol' ? { symbol: value.description } : value
}

/** Drivers have values that JSON has not. */
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
