import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { KeyValue } from '#base/columns/key'
import { reordered } from '#base/columns/order_numbers'
import type { Site } from '../../views/site.js'
import { asFileList } from '../files/file_fields.js'
import type { Uploads } from '../files/uploads.js'
import { defaultTexts, type FieldTexts } from '../prefill/form_defaults.js'
import { hiddenNames, formFields, readOnlyFields } from '../fields/form_fields.js'
import type { FormField } from '../fields/form_field.js'
import { may, mayEach } from '../../permissions/may.js'
import type { Inline } from './inline.js'
import { ID, MOST_ROWS, storedRows, type SentRow } from './rows.js'

/** Shown columns of an inline, and the fields of its rows. */
interface RowFields {
  /** API names of the shown columns, in order */
  names: readonly string[]
  /** Fields of new rows */
  create: readonly FormField[]
  /** Fields of existing rows */
  update: readonly FormField[]
  /** Fields of existing rows that the user can see but not change */
  readOnly: readonly FormField[]
  /** Fields of new rows that are not shown */
  others: readonly FormField[]
}

const KNOWN = new WeakMap<Inline['view'], Map<string, RowFields>>()

/** Returns the fields of an inline. The resource of its view must be loaded. */
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
  const create = formFields(site, view, 'create').map(asFileList)
  const update = formFields(site, view, 'update').map(asFileList)
  const readOnly = readOnlyFields(site, view, 'update')
  const isOwn = (name: string) => name !== column.apiName && name !== sort?.apiName
  const usual = [...update, ...readOnly, ...create]
    .filter(({ name }) => name !== ID)
    .map(({ name }) => name)
  const wanted = [...new Set(inline.fields ?? usual)].filter(isOwn)
  const shown = new Set([...usual, ...view.resource.fields.map(({ apiName }) => apiName)])
  const names = wanted.filter((name) => shown.has(name))
  const among = (fields: readonly FormField[]) =>
    names.flatMap((name) => fields.find((field) => field.name === name) ?? [])
  const others = create.filter(({ name }) => isOwn(name) && !names.includes(name))
  return { names, create: among(create), update: among(update), readOnly: among(readOnly), others }
}

/** Returns the fields without those that the options hide from the user. Hidden fields of new rows are in `others`. */
function shownFields(ctx: HttpContext, site: Site, inline: Inline): RowFields {
  const { names, create, update, readOnly, others } = rowFields(site, inline)
  const hidden = hiddenNames(ctx, inline.view)
  const isShown = ({ name }: Pick<FormField, 'name'>) => !hidden.has(name)
  return {
    names: names.filter((name) => !hidden.has(name)),
    create: create.filter(isShown),
    update: update.filter(isShown),
    readOnly: readOnly.filter(isShown),
    others: [...others, ...create.filter((field) => !isShown(field))],
  }
}

/** An existing row, with the permissions of the user. */
export interface StoredRow {
  /** Key in the format of URL paths, without the leading slash */
  id: string
  record: LucidRow
  mayUpdate: boolean
  /** How the row is deleted; null if the user is not allowed to delete it */
  removal: 'delete' | 'purge' | null
  /** Names of the fields that are read-only for this row */
  readOnly: ReadonlySet<string>
}

/** The stored rows of a relation, with the permissions of the signed-in user. */
export class InlineRows {
  private constructor(
    readonly inline: Inline,
    readonly fields: RowFields,
    readonly stored: readonly StoredRow[],
    readonly mayCreate: boolean,
    /** True if there are more rows than a form can contain */
    readonly isTooLong: boolean,
    /** True if the user is allowed to sort the rows */
    readonly isSortable: boolean,
    /** Texts of new rows from the options `fields.NAME.default`, by API name */
    readonly defaults: FieldTexts
  ) {}

  /** Reads the rows of a parent; none without a parent, as in a create form. */
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
    const fields = shownFields(ctx, site, inline)
    const created = mayCreate ? [...fields.create, ...fields.others] : []
    const defaults = await defaultTexts(ctx, inline.view, created)
    return new InlineRows(inline, fields, stored, mayCreate, isTooLong, isSortable, defaults)
  }

  /** Returns the texts of a field in a blank row. */
  initialOf({ name, initial, secret }: FormField): readonly string[] {
    return (secret ? undefined : this.defaults[name]) ?? initial
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

/** Returns true if the roles of the user allow writing the column on at least some records. */
export function writes({ view }: Inline, apiName: string, operation: 'create' | 'update'): boolean {
  const { projection } = view.resource
  return !projection || projection.writing(operation, apiName) !== 'none'
}

/** A row that a form adds, changes or removes. */
export interface RowChange {
  rows: InlineRows
  sent: SentRow
  kind: 'create' | 'update' | 'delete'
  /** Undefined for a new row */
  stored: StoredRow | undefined
  key: KeyValue | undefined
  /** Values by attribute name, without the foreign key */
  values: Record<string, unknown>
  /** Files of the values; undefined without values */
  uploads: Uploads | undefined
  /** True if the change is not limited to the row's position */
  isTouched: boolean
}

/** A row that is not removed, with the number that was entered for its position. */
export interface PlacedRow {
  sent: SentRow
  stored: StoredRow | undefined
  typed: number | null
}

/**
 * Returns new numbers for the order of the rows if rows were added, removed or moved: 1, 2, 3 and so on, or numbers
 * with gaps for the column that `orderBy` names. If the numbers have no gaps and the form does not contain all rows,
 * the numbers of the other rows are unchanged, new rows come after them, and entered numbers are used as they are.
 *
 * @param placed  rows that are not removed
 * @param named   existing rows that the form contains, including rows to remove
 * @returns new numbers of the rows whose number changes
 */
export function newPlaces(
  { inline, stored }: InlineRows,
  placed: readonly PlacedRow[],
  named: ReadonlySet<StoredRow>
): Map<SentRow, number> {
  const { attribute } = inline.sort!
  const positionOf = ({ record }: StoredRow) => {
    const value = (record as unknown as Record<string, unknown>)[attribute]
    return value === null || value === undefined || value === '' ? null : Number(value)
  }
  const inOrder = placed.toSorted(byNumber)
  const isGapped = attribute === inline.view.orderColumn?.attribute
  if (!isGapped && stored.some((row) => !named.has(row))) {
    return literalPlaces(inOrder, stored.map(positionOf), positionOf)
  }
  const saved = inOrder.flatMap((row) => row.stored ?? [])
  const before = stored.filter((row) => saved.includes(row))
  const isMoved = saved.some((row, index) => row !== before[index])
  const isWhole = isGapped || saved.length === stored.length
  if (!isMoved && isWhole && saved.length === placed.length) return new Map()
  const places = isGapped
    ? reordered(inOrder.map((row) => (row.stored ? positionOf(row.stored) : null)))
    : inOrder.map((_, index) => index + 1)
  return new Map(
    inOrder.flatMap((row, index): Array<[SentRow, number]> => {
      const place = places[index]
      return row.stored && positionOf(row.stored) === place ? [] : [[row.sent, place]]
    })
  )
}

function literalPlaces(
  inOrder: readonly PlacedRow[],
  known: ReadonlyArray<number | null>,
  positionOf: (row: StoredRow) => number | null
): Map<SentRow, number> {
  let last = Math.max(0, ...known.map((place) => place ?? 0))
  const places = new Map<SentRow, number>()
  for (const { sent, stored, typed } of inOrder) {
    if (!stored) places.set(sent, typed ?? ++last)
    else if (typed !== null && typed !== positionOf(stored)) places.set(sent, typed)
  }
  return places
}

/** Compares rows by number; rows without a number come last. */
export function byNumber(
  one: Pick<PlacedRow, 'sent' | 'typed'>,
  other: Pick<PlacedRow, 'sent' | 'typed'>
): number {
  const [first, second] = [one, other].map(({ typed }) => typed ?? Infinity)
  if (first !== second) return first < second ? -1 : 1
  return one.sent.index - other.sent.index
}

/**
 * Returns the number that was entered for the position of a row; null if the input is empty, NaN if the number is
 * invalid.
 */
export function typedPlace({ inline }: InlineRows, { texts }: SentRow): number | null {
  const text = inline.sort && texts.get(inline.sort.apiName)?.at(-1)?.trim()
  if (!text) return null
  return /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN
}
