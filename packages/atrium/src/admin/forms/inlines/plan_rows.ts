import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Site } from '../../views/site.js'
import { InvalidForm, RefusedRows, type RowError } from '../errors.js'
import { readOnlyFields } from '../fields/form_fields.js'
import { failureOf } from '../submission/form_failure.js'
import type { Submission } from '../submission/submission.js'
import { changedFields } from '../submission/unchanged_fields.js'
import { seenInlines } from './inline.js'
import {
  InlineRows,
  writes,
  type StoredRow,
  newPlaces,
  typedPlace,
  type PlacedRow,
  type RowChange,
} from './inline_rows.js'
import {
  isBlank,
  textsOfRow,
  touchedIn,
  valuesOfChanged,
  valuesOfNew,
  nowIn,
} from './row_values.js'
import type { ModelView } from '../../views/model_view.js'
import { type SentRow, MOST_ROWS, referredValue } from './rows.js'

/** The validated changes and the errors of all rows in a form. */
export class RowsPlan {
  readonly changes: RowChange[] = []
  readonly errors = new Map<string, RowError>()
  #status: 403 | 409 | null = null

  /**
   * @throws RefusedRows  if a row is refused with 403 or 409
   * @throws InvalidForm  if there are other errors in the rows, or in `errors` of the parent
   */
  check(errors: InvalidForm['errors'] = []): void {
    if (this.#status !== null) throw new RefusedRows(this.#status, errors, this.errors)
    if (this.errors.size > 0 || errors.length > 0) throw new InvalidForm(errors, this.errors)
  }

  /**
   * Adds an error of a row or relation.
   *
   * @param status  status of a refusal; 403 takes precedence over 409
   */
  fail(place: string, error: Partial<RowError>, status: 403 | 409 | null = null): void {
    const { fieldErrors = {}, messages = [], ...marks } = this.errors.get(place) ?? {}
    this.errors.set(place, {
      ...marks,
      ...error,
      fieldErrors: { ...fieldErrors, ...error.fieldErrors },
      messages: [...messages, ...(error.messages ?? [])],
    })
    if (status !== null) this.#status = this.#status === 403 ? 403 : status
  }
}

/**
 * Validates the submitted rows with the schemas of their models, and determines the changes to write.
 *
 * @param view    view of the parent, limited by the user's roles
 * @param sent    rows by the name of their relation
 * @param parent  undefined for a new parent
 */
export async function planRows(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  sent: NonNullable<Submission['rows']>,
  parent: LucidRow | undefined
): Promise<RowsPlan> {
  const plan = new RowsPlan()
  for (const inline of await seenInlines(ctx, site, view)) {
    const own = sent.get(inline.name)
    if (!own || own.rows.length === 0) continue
    const rows = await InlineRows.read(ctx, site, inline, parent)
    await new Planner(ctx, site, rows, parent, plan).add(own.rows)
  }
  return plan
}

/** Returns the key of a row in the errors, such as `items.2`. */
export function rowName({ inline }: InlineRows, { index }: SentRow): string {
  return `${inline.name}.${index}`
}

/** Converts an error to the errors of a row. */
export function errorOf(site: Site, rows: InlineRows, error: unknown): RowError {
  const { create, update, readOnly, names } = rows.fields
  const failure = failureOf(site, [...update, ...create, ...readOnly], error)
  const fieldErrors: Record<string, string> = {}
  const messages: string[] = []
  for (const [name, message] of Object.entries(failure.fieldErrors)) {
    if (names.includes(name)) fieldErrors[name] = message
    else messages.push(message)
  }
  const isUnreported = Object.keys(failure.fieldErrors).length === 0
  return { fieldErrors, messages: isUnreported ? [failure.error] : messages }
}

/** Plans the changes of one relation's rows. */
class Planner {
  readonly #placed: PlacedRow[] = []
  readonly #named = new Set<StoredRow>()
  readonly #new: SentRow[] = []

  constructor(
    private readonly ctx: HttpContext,
    private readonly site: Site,
    private readonly rows: InlineRows,
    private readonly parent: LucidRow | undefined,
    private readonly plan: RowsPlan
  ) {}

  async add(sent: readonly SentRow[]): Promise<void> {
    const { rows, plan, site } = this
    const { inline } = rows
    const filled = sent.filter((row) => row.id !== null || !isBlank(rows, row))
    if (filled.length === 0) return
    if (rows.isTooLong || filled.length > MOST_ROWS) {
      plan.fail(inline.name, { messages: [site.text('inlines.tooMany', { most: MOST_ROWS })] })
      return
    }
    for (const row of filled) {
      if (row.id !== null) await this.#addStored(row, row.id)
      else if (!row.isRemoved) this.#addNew(row)
    }
    if (inline.isOne && this.#new.length > 0 && this.#left() > 1) {
      plan.fail(inline.name, { messages: [site.text('inlines.onlyOne')] })
    }
    const places = this.#places()
    this.#place(places)
    for (const row of this.#new) await this.#create(row, places.get(row))
  }

  /** Returns the number of rows after the planned changes. */
  #left(): number {
    const removed = this.plan.changes.filter(
      ({ kind, rows }) => kind === 'delete' && rows === this.rows
    )
    return this.rows.stored.length - removed.length + this.#new.length
  }

  async #addStored(row: SentRow, id: string): Promise<void> {
    const { rows } = this
    const stored = rows.find(id)
    if (!stored) return this.#fail(row, { isGone: true, messages: [this.#text('gone')] }, 409)
    if (this.#named.has(stored)) return this.#fail(row, { messages: [this.#text('twice')] })
    this.#named.add(stored)
    if (row.isRemoved) this.#remove(row, stored)
    else await this.#update(row, stored)
  }

  #addNew(row: SentRow): void {
    if (!this.rows.mayCreate) {
      return this.#fail(row, { messages: [this.#text('mayNotCreate')] }, 403)
    }
    this.#new.push(row)
    this.#put(row, undefined)
  }

  #remove(row: SentRow, stored: StoredRow): void {
    if (!stored.removal) {
      return this.#fail(row, { messages: [this.#text('mayNotDelete')] }, 403)
    }
    if (this.#isChanged(row, stored)) {
      const messages = [this.#text('changedBefore')]
      return this.#fail(row, { isChanged: true, messages }, 409)
    }
    this.#change('delete', row, stored, { values: {} })
  }

  async #update(row: SentRow, stored: StoredRow): Promise<void> {
    const { rows, site } = this
    this.#put(row, stored)
    const writable = stored.mayUpdate
      ? rows.fields.update.filter(({ name }) => !stored.readOnly.has(name))
      : []
    if (this.#refuses(row, stored, writable)) return
    const texts = await textsOfRow(rows, writable, stored.record)
    const touched = touchedIn(writable, row, texts)
    if (!touched) return
    if (this.#isChanged(row, stored)) {
      const names = [...Object.keys(touched.values), ...touched.errors.map(({ field }) => field)]
      const now = await nowIn(this.ctx, site, writable, stored.record, names)
      const messages = [`${this.#text('changed')} ${now}`]
      return this.#fail(row, { isChanged: true, messages }, 409)
    }
    try {
      const changed = await valuesOfChanged(this.ctx, site, rows, stored, touched)
      this.#change('update', row, stored, changed)
    } catch (error) {
      this.#failBy(row, error)
    }
  }

  /**
   * Adds an error and returns true if read-only fields were changed, which happens if the user's roles have changed
   * since the form was rendered.
   */
  #refuses(
    row: SentRow,
    stored: StoredRow | undefined,
    writable: readonly { name: string }[]
  ): boolean {
    const { fields, inline } = this.rows
    const all = stored
      ? [...fields.update, ...fields.readOnly]
      : readOnlyFields(this.site, inline.view, 'create').filter(({ name }) =>
          fields.names.includes(name)
        )
    const locked = all.filter(({ name }) => !writable.some((one) => one.name === name))
    const changed = changedFields(locked, row.texts, stored?.record)
    if (changed.length === 0) return false
    const labels = changed.map(({ label }) => label).join(', ')
    const messages = [this.site.text('form.readOnly', { fields: labels })]
    this.#fail(row, { messages }, 403)
    return true
  }

  async #create(row: SentRow, place: number | undefined): Promise<void> {
    const { rows, parent, site } = this
    const { inline } = rows
    if (this.#refuses(row, undefined, rows.fields.create)) return
    const value = parent ? referredValue(inline, parent) : null
    const given = {
      ...(value !== null && { [inline.column.apiName]: value }),
      ...(place !== undefined && { [inline.sort!.apiName]: place }),
    }
    try {
      const later = value === null ? inline.column.apiName : null
      const created = await valuesOfNew(this.ctx, site, rows, row, given, later)
      delete created.values[inline.column.attribute]
      if (place !== undefined) created.values[inline.sort!.attribute] = place
      this.#change('create', row, undefined, created)
    } catch (error) {
      this.#failBy(row, error)
    }
  }

  #put(sent: SentRow, stored: StoredRow | undefined): void {
    const typed = this.rows.isSortable ? typedPlace(this.rows, sent) : null
    if (Number.isNaN(typed)) {
      const { apiName } = this.rows.inline.sort!
      const message = this.site.text('inlines.noNumber', {
        label: this.rows.inline.view.labelOf(apiName),
      })
      return this.#fail(sent, { fieldErrors: { [apiName]: message } })
    }
    this.#placed.push({ sent, stored, typed })
  }

  #places(): Map<SentRow, number> {
    const { rows } = this
    const { sort } = rows.inline
    if (!sort) return new Map()
    if (rows.isSortable) return newPlaces(rows, this.#placed, this.#named)
    const added = this.#placed.filter(({ stored }) => !stored)
    return writes(rows.inline, sort.apiName, 'create')
      ? newPlaces(rows, added, new Set())
      : new Map()
  }

  /** Adds the new positions to the changes, including rows of which only the position changes. */
  #place(places: ReadonlyMap<SentRow, number>): void {
    const { rows, plan } = this
    for (const { sent, stored } of this.#placed) {
      const place = places.get(sent)
      if (!stored || place === undefined) continue
      const values = { [rows.inline.sort!.attribute]: place }
      const known = plan.changes.find((change) => change.rows === rows && change.sent === sent)
      if (known) Object.assign(known.values, values)
      else this.#change('update', sent, stored, { values }, false)
    }
  }

  #isChanged({ version }: SentRow, { record }: StoredRow): boolean {
    const { resource } = this.rows.inline.view
    return version !== undefined && version !== resource.columns.versionOf(record)
  }

  #change(
    kind: RowChange['kind'],
    sent: SentRow,
    stored: StoredRow | undefined,
    { values, uploads }: Pick<RowChange, 'values'> & Partial<Pick<RowChange, 'uploads'>>,
    isTouched = true
  ): void {
    const { rows, plan } = this
    const key = stored && rows.inline.view.resource.key.of(stored.record)
    plan.changes.push({ rows, sent, kind, stored, key, values, uploads, isTouched })
  }

  #fail(row: SentRow, error: Partial<RowError>, status: 403 | 409 | null = null): void {
    this.plan.fail(rowName(this.rows, row), error, status)
  }

  #failBy(row: SentRow, error: unknown): void {
    if (!(error instanceof InvalidForm)) throw error
    this.#fail(row, errorOf(this.site, this.rows, error))
  }

  #text(key: string): string {
    const { singular } = this.rows.inline.view
    return this.site.text(`inlines.${key}`, { one: singular })
  }
}
