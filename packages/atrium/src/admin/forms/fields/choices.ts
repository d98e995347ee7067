import type { HttpContext } from '@adonisjs/core/http'
import { Problem, type Item } from '#crud'
import { ListRequest } from '#crud/internals'
import { keyOf } from '#base/items'
import type { Column } from '#base/columns/column'
import type { BodyField } from '#base/schema/body_schema'
import { followed, titlesOf, type Reference } from '../../relations/references.js'
import { recordsByTitle } from '../../list/records_by_title.js'
import type { ModelView } from '../../views/model_view.js'
import type { Choice } from '../../views/widget.js'
import { readingClientOf } from '../../config/database_config.js'
import { EventType } from '../../events/event_integration.js'
import { hasEventLog, type WithEventLog } from '../../events/database_integration.js'
import { guardOf } from '../../identity/admin_guard.js'
import AdminAuditLog from '../../models/admin_audit_log.js'
import AdminEventLog from '../../models/admin_event_log.js'

/** Maximum number of choices in a select; a field with more choices has a search. */
export const MOST_CHOICES = 50

/*
 * Maximum number of choices of one reference in all rows of a form together. Without it, a page of 200 rows with 50
 * choices each would have a megabyte.
 */
const MOST_SHARED = 2000

/**
 * Returns the records that a reference field can refer to, searched by part of the title or by key. Titles that start
 * with the text come first. Soft-deleted records are left out.
 *
 * @param q        search text; empty for all records
 * @param current  current value of the field; added as the first choice if the search does not find it
 * @param recent   values that the user has chosen last; they come next if `q` is empty
 * @returns `current` and up to `MOST_CHOICES` + 1 choices found, the last of which indicates that more exist; only
 *   `current` if the viewer is not allowed to list the records
 */
export async function choicesOf(
  ctx: HttpContext,
  reference: Reference,
  {
    q = '',
    current,
    recent = [],
  }: { q?: string; current?: unknown; recent?: readonly unknown[] } = {}
): Promise<Choice[]> {
  const text = q.trim()
  const [all, first] = await Promise.all([
    search(ctx, reference, text),
    text === '' ? choicesAmong(ctx, reference, recent) : [],
  ])
  const others = all.filter(({ value }) => !first.some((one) => one.value === value))
  const found = [...first, ...others].slice(0, Math.max(all.length, first.length))
  const choices = [...(await currentChoice(ctx, reference, current, found)), ...found]
  return disambiguate(choices)
}

/**
 * Choices of several fields with the same references, as in the rows of a form. Runs at most two queries per reference.
 */
export class SharedChoices {
  readonly #found = new Map<Column, Promise<Choice[]>>()
  readonly #titles = new Map<Column, Promise<Map<string, string>>>()

  /**
   * @param current  returns the values that all fields of a reference's column contain
   * @param fields   number of fields of one reference; the more there are, the fewer choices each of them shows
   */
  constructor(
    private readonly ctx: HttpContext,
    private readonly current: (column: Column) => unknown[],
    private readonly fields: number
  ) {}

  /** Maximum number of choices in the select of each field; a field with more choices has a search. */
  get most(): number {
    return Math.min(MOST_CHOICES, Math.max(5, Math.floor(MOST_SHARED / Math.max(1, this.fields))))
  }

  /** Like `choicesOf` without a search text. */
  async of(reference: Reference, current: unknown): Promise<Choice[]> {
    const { column } = reference
    if (!this.#found.has(column)) this.#found.set(column, search(this.ctx, reference, ''))
    const found = await this.#found.get(column)!
    if (current === undefined || current === null || current === '') return disambiguate(found)
    const value = String(current)
    if (found.some((choice) => choice.value === value)) return disambiguate(found)
    if (!this.#titles.has(column)) this.#titles.set(column, this.#titlesOf(reference))
    const titles = await this.#titles.get(column)!
    return disambiguate([{ value, label: titles.get(value) ?? value }, ...found])
  }

  async #titlesOf(reference: Reference): Promise<Map<string, string>> {
    const values = this.current(reference.column)
    const titles = await refusedIsEmpty(async () => [
      ...(await titlesOf(this.ctx, reference, values)),
    ])
    return new Map(titles)
  }
}

async function search(ctx: HttpContext, reference: Reference, q: string): Promise<Choice[]> {
  const seen = await followed(ctx, reference)
  if (!seen) return []
  const { view, target } = seen
  const limit = MOST_CHOICES + 1
  const items = await refusedIsEmpty(async () => {
    const found = await recordsByTitle(ctx, view, { q, limit, target })
    return found.items
  })
  return items.map((item) => ({ value: valueOf(seen, item), label: view.titleOf(item) }))
}

/**
 * Returns the choices with these values, in the order of `values`. Records that are deleted or not visible are left
 * out.
 */
export async function choicesAmong(
  ctx: HttpContext,
  reference: Reference,
  values: readonly unknown[]
): Promise<Choice[]> {
  const seen = values.length > 0 ? await followed(ctx, reference) : null
  if (!seen) return []
  const { view, target } = seen
  if (!view.resource.isLoaded) await view.resource.load()
  const request = new ListRequest(
    [{ type: 'list', column: target, values: [...values], negate: false }],
    [],
    { shape: 'offset', offset: 0, limit: values.length },
    'exclude',
    { count: false }
  )
  const items = await refusedIsEmpty(async () => {
    const { data } = await view.crud.getMulti(request, { ...view.callOptions(ctx), keys: true })
    return data
  })
  const order = values.map(String)
  return items
    .map((item) => ({ value: valueOf(seen, item), label: view.titleOf(item) }))
    .toSorted((one, other) => order.indexOf(one.value) - order.indexOf(other.value))
}

/** Returns true if the text can be a value of the key column; other texts are not looked up. */
export function isKeyOf({ kind }: Column, text: string | undefined): boolean {
  if (!text) return false
  return kind !== 'integer' && kind !== 'number' ? text.length <= 255 : /^-?\d{1,15}$/.test(text)
}

/**
 * Returns the value of the target column. This is usually the key, which is read separately as it may not be a field.
 */
function valueOf({ view, target }: Reference, item: Item): string {
  const index = view.resource.key.columns.indexOf(target)
  return String(index < 0 ? item[target.apiName] : keyOf(item)![index])
}

async function currentChoice(
  ctx: HttpContext,
  reference: Reference,
  current: unknown,
  found: Choice[]
): Promise<Choice[]> {
  if (current === undefined || current === null || current === '') return []
  const value = String(current)
  if (found.some((choice) => choice.value === value)) return []
  const titles = await refusedIsEmpty(async () => [...(await titlesOf(ctx, reference, [current]))])
  return [{ value, label: new Map(titles).get(value) ?? value }]
}

async function refusedIsEmpty<Value>(read: () => Promise<Value[]>): Promise<Value[]> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Problem && error.status === 403) return []
    throw error
  }
}

/** Adds the key to choices with the same title. */
function disambiguate(choices: Choice[]): Choice[] {
  const byLabel = Map.groupBy(choices, ({ label }) => label)
  return choices.map(({ value, label }) => ({
    value,
    label: byLabel.get(label)!.length > 1 && label !== value ? `${label} (${value})` : label,
  }))
}

/**
 * Returns the values that the schema or the database enumerates for a field; undefined if neither does, and for
 * booleans.
 */
export function listedChoices({
  json,
  column,
  rules,
  type,
}: BodyField): readonly unknown[] | undefined {
  if (type === 'boolean') return undefined
  if (json.enum) return json.enum
  const listed = rules.find(({ name }) => name === 'inList')?.options as { choices?: unknown }
  if (Array.isArray(listed?.choices)) return listed.choices
  return column?.choices ?? undefined
}

/** Returns true if the values of a column are words from a fixed list. */
export function isChoice(view: ModelView, { apiName, isText, choices }: Column): boolean {
  const { resource } = view
  if (!isText) return false
  if (choices !== null) return true
  return [resource.createBody, resource.updateBody].some(({ fields }) =>
    fields.some((field) => field.apiName === apiName && listedChoices(field) !== undefined)
  )
}

/*
 * Limits: the user's last events that are searched (so that a long log costs no more), the events that are read, and
 * the values that come first in a picker
 */
const MOST_SEARCHED = 200
const EVENTS = 40
const MOST_RECENT = 5

type Recent = ReadonlyMap<string, readonly unknown[]>

const NONE: Recent = new Map()

/* Cached per request, as a form can have several references. */
const ASKED = new WeakMap<HttpContext, Map<string, Promise<Recent>>>()

/**
 * Returns the values that the signed-in user has stored last in a field, newest first and without duplicates; none if
 * the site stores no events. A user whose name was changed has none until they save again.
 *
 * @param model  class name of the model that has the field
 */
export async function recentValues(
  ctx: HttpContext,
  site: WithEventLog,
  model: string,
  apiName: string
): Promise<readonly unknown[]> {
  if (!hasEventLog(site)) return []
  let requested = ASKED.get(ctx)
  if (!requested) ASKED.set(ctx, (requested = new Map()))
  let recent = requested.get(model)
  if (!recent) requested.set(model, (recent = unlessFailed(ctx, model)))
  const values = await recent
  return values.get(apiName) ?? []
}

async function unlessFailed(ctx: HttpContext, model: string): Promise<Recent> {
  try {
    return await readRecent(ctx, model)
  } catch (error) {
    ctx.logger.error({ err: error }, `${model}: the recent choices of the user are not known`)
    return NONE
  }
}

async function readRecent(ctx: HttpContext, model: string): Promise<Recent> {
  const owner = guardOf(ctx).signedIn?.owner
  if (!owner) return NONE
  const { id, username } = owner
  const client = readingClientOf(AdminEventLog)
  const last = client
    .from(AdminEventLog.table)
    .where('username', username)
    .orderBy('timestamp', 'desc')
    .limit(MOST_SEARCHED)
    .select('id', 'user_id', 'status', 'resource_type', 'event_type')
    .as('last')
  const events: Array<{ id: number | string }> = await client
    .from(last)
    /* The name is indexed. The id is compared as well, as the name may have belonged to another user before. */
    .where({ user_id: id, status: 'success', resource_type: model })
    .whereIn('event_type', [EventType.CREATE, EventType.UPDATE])
    .orderBy('id', 'desc')
    .limit(EVENTS)
    .select('id')
  if (events.length === 0) return NONE
  const audits = await AdminAuditLog.query({ client: readingClientOf(AdminAuditLog) })
    .whereIn(
      'eventId',
      events.map((event) => event.id)
    )
    .where('resourceType', model)
    .orderBy('id', 'desc')
    .limit(EVENTS)
    .select('changes')
  const found = new Map<string, unknown[]>()
  for (const { changes } of audits) {
    for (const [name, change] of Object.entries(changes ?? {})) add(found, name, change?.new)
  }
  return found
}

function add(found: Map<string, unknown[]>, name: string, value: unknown): void {
  if (typeof value !== 'string' && typeof value !== 'number') return
  const known = found.get(name) ?? []
  found.set(name, known)
  if (known.length < MOST_RECENT && !known.some((one) => String(one) === String(value))) {
    known.push(value)
  }
}
