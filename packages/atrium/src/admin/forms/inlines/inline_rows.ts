import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { KeyValue } from '#base/columns/key'
import type { Site } from '../../views/site.js'
import { isFileField } from '../files/file_fields.js'
import type { FormField } from '../fields/form_field.js'
import { formFields, readOnlyFields } from '../fields/form_fields.js'
import { may, mayEach } from '../../permissions/may.js'
import type { Inline } from './inline.js'
import { ID, MOST_ROWS, storedRows, type SentRow } from './rows.js'

/**
 * The columns of an inline's table, and the fields in them.
 */
interface RowFields {
  /** API names of all columns that the user sees, in their order */
  names: readonly string[]
  /** Of new rows */
  create: readonly FormField[]
  /** Of rows that exist */
  update: readonly FormField[]
  /** Fields of rows that exist, which the user may see and not change */
  readOnly: readonly FormField[]
}

const KNOWN = new WeakMap<Inline['view'], Map<string, RowFields>>()

/**
 * The resource of the inline's view must be loaded.
 */
export function rowFields(site: Site, inline: Inline): RowFields {
  let known = KNOWN.get(inline.view)
  if (!known) KNOWN.set(inline.view, (known = new Map()))
  const id = JSON.stringify([inline.column.apiName, inline.sort?.apiName, inline.fields])
  let fields = known.get(id)
  if (!fields) known.set(id, (fields = makeFields(site, inline)))
  return fields
}

function makeFields(site: Site, inline: Inline): RowFields {
  const { view, column, sort } = inline
  const create = formFields(site, view, 'create')
  const update = formFields(site, view, 'update')
  const readOnly = readOnlyFields(site, view, 'update')
  const isOwn = (name: string) =>
    name !== column.apiName && name !== sort?.apiName && !isFileField(view, name)
  const usual = [...update, ...readOnly, ...create]
    .filter(({ name }) => name !== ID)
    .map(({ name }) => name)
  const wanted = [...new Set(inline.fields ?? usual)].filter(isOwn)
  const shown = new Set([...usual, ...view.resource.fields.map(({ apiName }) => apiName)])
  const names = wanted.filter((name) => shown.has(name))
  const among = (fields: readonly FormField[]) =>
    names.flatMap((name) => fields.find((field) => field.name === name) ?? [])
  return { names, create: among(create), update: among(update), readOnly: among(readOnly) }
}

/** A row that exists, with what the user may do with it. */
export interface StoredRow {
  /** Key as in paths, without the leading slash */
  id: string
  record: LucidRow
  mayUpdate: boolean
  /** How it is removed; null if it may not be */
  removal: 'delete' | 'purge' | null
  /** Names of fields that are read-only on this row [U3] */
  readOnly: ReadonlySet<string>
}

/**
 * The rows of one relation as they are stored, with what the signed-in user may do.
 */
export class InlineRows {
  private constructor(
    readonly inline: Inline,
    readonly fields: RowFields,
    readonly stored: readonly StoredRow[],
    readonly mayCreate: boolean,
    /** True if there are more rows than a form takes */
    readonly isTooLong: boolean,
    /** True if the user may put the rows in order */
    readonly isSortable: boolean
  ) {}

  /**
   * Reads the rows of a parent. None without one, as on create.
   */
  static async read(
    ctx: HttpContext,
    site: Site,
    inline: Inline,
    parent: LucidRow | undefined
  ): Promise<InlineRows> {
    const records = parent ? await storedRows(ctx, inline, parent) : []
    const isTooLong = records.length > MOST_ROWS
    const stored = isTooLong ? [] : await withRights(ctx, inline, records)
    const mayCreate =
      (await may(ctx, inline.view, 'create')) && writes(inline, inline.column.apiName, 'create')
    const { sort } = inline
    const isSortable =
      sort !== undefined &&
      writes(inline, sort.apiName, 'update') &&
      stored.every(({ mayUpdate, readOnly }) => mayUpdate && !readOnly.has(sort.apiName)) &&
      (stored.length > 0 || mayCreate)
    const fields = rowFields(site, inline)
    return new InlineRows(inline, fields, stored, mayCreate, isTooLong, isSortable)
  }

  find(id: string): StoredRow | undefined {
    return this.stored.find((row) => row.id === id)
  }
}

async function withRights(
  ctx: HttpContext,
  { view }: Inline,
  records: readonly LucidRow[]
): Promise<StoredRow[]> {
  const { key } = view.resource
  const keys = records.map((record) => key.of(record))
  const [mayUpdate, mayDelete, mayPurge] = await Promise.all([
    mayEach(ctx, view, 'update', keys),
    mayEach(ctx, view, 'delete', keys),
    mayEach(ctx, view, 'purge', keys),
  ])
  const rows: StoredRow[] = []
  for (const [index, record] of records.entries()) {
    const own = keys[index]
    rows.push({
      id: key.toPath(own).slice(1),
      record,
      mayUpdate: mayUpdate(own),
      removal: mayDelete(own) ? 'delete' : mayPurge(own) ? 'purge' : null,
      readOnly: mayUpdate(own)
        ? await view.crud.readOnlyOn(record, view.callOptions(ctx))
        : new Set<string>(),
    })
  }
  return rows
}

/** True if no role keeps the user from writing the column, on any record. */
export function writes({ view }: Inline, apiName: string, operation: 'create' | 'update'): boolean {
  const { projection } = view.resource
  return !projection || projection.writing(operation, apiName) !== 'none'
}

/**
 * A row that a form adds, changes or removes.
 */
export interface RowChange {
  rows: InlineRows
  sent: SentRow
  kind: 'create' | 'update' | 'delete'
  /** Undefined for a new row */
  stored: StoredRow | undefined
  key: KeyValue | undefined
  /** Values by attribute name, without the foreign key */
  values: Record<string, unknown>
  /** True if the user changes more than its place */
  isTouched: boolean
}

/** A row that stays, with the number that was typed for its place. */
export interface PlacedRow {
  sent: SentRow
  stored: StoredRow | undefined
  typed: number | null
}

/**
 * Numbers for the order of the rows: 1, 2, 3, and so on, if rows were added, removed or moved. If the form does
 * not have all rows, the others keep theirs, new ones come after them, and typed numbers are used unchanged. [R2]
 *
 * @param placed  rows that stay
 * @param named   rows that exist and that the form has, those to remove among them
 * @returns the number of each row that gets another one
 */
export function newPlaces(
  { inline, stored }: InlineRows,
  placed: readonly PlacedRow[],
  named: ReadonlySet<StoredRow>
): Map<SentRow, number> {
  const { attribute } = inline.sort!
  const placeOf = ({ record }: StoredRow) => {
    const value = (record as unknown as Record<string, unknown>)[attribute]
    return value === null || value === undefined || value === '' ? null : Number(value)
  }
  const inOrder = placed.toSorted(byNumber)
  if (stored.some((row) => !named.has(row))) {
    return literalPlaces(inOrder, stored.map(placeOf), placeOf)
  }
  const saved = inOrder.flatMap((row) => row.stored ?? [])
  const before = stored.filter((row) => saved.includes(row))
  const isMoved = saved.some((row, index) => row !== before[index])
  if (!isMoved && saved.length === stored.length && saved.length === placed.length) return new Map()
  return new Map(
    inOrder.flatMap((row, index): Array<[SentRow, number]> => {
      const place = index + 1
      return row.stored && placeOf(row.stored) === place ? [] : [[row.sent, place]]
    })
  )
}

function literalPlaces(
  inOrder: readonly PlacedRow[],
  known: ReadonlyArray<number | null>,
  placeOf: (row: StoredRow) => number | null
): Map<SentRow, number> {
  let last = Math.max(0, ...known.map((place) => place ?? 0))
  const places = new Map<SentRow, number>()
  for (const { sent, stored, typed } of inOrder) {
    if (!stored) places.set(sent, typed ?? ++last)
    else if (typed !== null && typed !== placeOf(stored)) places.set(sent, typed)
  }
  return places
}

/** A row without a number comes last. */
export function byNumber(
  one: Pick<PlacedRow, 'sent' | 'typed'>,
  other: Pick<PlacedRow, 'sent' | 'typed'>
): number {
  const [first, second] = [one, other].map(({ typed }) => typed ?? Infinity)
  if (first !== second) return first < second ? -1 : 1
  return one.sent.index - other.sent.index
}

/**
 * The number that was typed for the place of a row; null for none, NaN for what is not a number.
 */
export function typedPlace({ inline }: InlineRows, { texts }: SentRow): number | null {
  const text = inline.sort && texts.get(inline.sort.apiName)?.at(-1)?.trim()
  if (!text) return null
  return /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN
}
