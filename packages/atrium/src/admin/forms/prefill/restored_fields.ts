import { fieldName, type FormField } from '../fields/form_field.js'
import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'
import { attributeValue, toApi } from '#base/values/to_api'
import { writeJson } from '#base/values/json'
import type { KeyValue } from '#base/columns/key'
import type { Origin } from '#base/types'
import type { Site } from '../../views/site.js'
import type { WithDatabase } from '../../config/database_config.js'
import { PageNotFound } from '../../http/errors.js'
import { parameterIn } from '../../http/list_query.js'
import {
  earlierValues,
  type EarlierValue,
  isRestorable,
  versionOf,
  type Version,
} from '../../history/version.js'
import { historyOfKey, type ReadableHistory } from '../../history/readable_history.js'
import { fieldsToRestore, RESTORE } from './prefill_urls.js'
import { hasEventLog } from '../../events/database_integration.js'
import { EventReader } from '../../event_log/event_reader.js'
import { inWords, shownValue, type ShownValue } from '../../event_log/comparison.js'
import { momentOf } from '../../time/local_time.js'
import type { ModelView } from '../../views/model_view.js'
import { followed, titlesOf } from '../../relations/references.js'
import { textsOf } from '../fields/field_texts.js'
import type { FieldView } from '../fields/shown_field.js'
import { hasFile } from '../files/file_store.js'
import type { Submission } from '../submission/submission.js'
import { isSame } from '../submission/unchanged_fields.js'

/** Mark of a field that is filled in with an earlier value. */
interface RestoredMark {
  /** Current value; null in a create form */
  now: ShownValue | null
  /** True if the referenced record does not exist or is not visible */
  isLost: boolean
}

/** The notice in a form that was filled in with an earlier version. */
export interface RestoreNotice {
  text: string
  /** Labels of the fields that differ from the current record */
  changed: string
  /** Fields that could not be filled in, with the reasons */
  left: string[]
}

type Reason = 'cut' | 'unknown' | 'empty' | 'file' | 'fileGone' | 'unshown'

interface Exact {
  field: FormField
  record: LucidRow
}

/**
 * The values of an earlier version of a record, to fill in its form or, for a permanently deleted record, a create
 * form. Saving the form is an ordinary write.
 */
export class RestoredFields {
  readonly texts: Record<string, string[]> = {}
  /** Names of the fields that were empty in the version */
  readonly cleared = new Set<string>()
  readonly #marks = new Map<string, RestoredMark>()
  readonly #left: string[] = []
  readonly #exact: Exact[] = []

  constructor(
    private readonly ctx: HttpContext,
    private readonly site: Site,
    private readonly view: ModelView,
    private readonly fields: readonly FormField[],
    private readonly version: Version,
    /** The current record; null for a create form */
    private readonly record: LucidRow | null
  ) {}

  /** Id of the event that produced the version */
  get event(): number {
    return this.version.row.eventId
  }

  get notice(): RestoreNotice {
    const { row, event, isBefore } = this.version
    const data = { time: momentOf(row.timestamp).text, who: event?.username ?? '' }
    const changed = this.fields.filter(({ name }) => this.#marks.has(name))
    const filled = event?.username ? 'restore.filledBy' : 'restore.filled'
    return {
      text: this.site.text(isBefore && this.record ? 'restore.filledBefore' : filled, data),
      changed: changed.map(({ label }) => label).join(', '),
      left: this.#left,
    }
  }

  /** Marks the restored fields of a page. */
  mark(views: readonly FieldView[]): void {
    for (const view of views) {
      const mark = this.#marks.get(fieldName(view.name))
      if (!mark) continue
      view.restored = mark
      const described = [view.attributes['aria-describedby'], `${view.id}-restored`]
      view.attributes['aria-describedby'] = described.filter(Boolean).join(' ')
    }
  }

  /**
   * Replaces the values of restored fields that the user has not changed with the exact earlier values, as texts do not
   * preserve milliseconds of datetimes or all digits of decimals.
   *
   * @param values  validated values, by attribute name
   */
  keepExact({ cleared, shown }: Submission, values: Record<string, unknown>): void {
    for (const { field, record } of this.#exact) {
      const column = field.column!
      const { attribute } = column
      const own = (record as unknown as Record<string, unknown>)[attribute]
      const isPlain = typeof own !== 'object' || DateTime.isDateTime(own) || own === null
      if (!isPlain) continue
      const texts = this.texts[field.name]
      if (cleared.has(field.name)) {
        const isBlank = typeof own === 'string' && own.trim() === ''
        if (isBlank && this.cleared.has(field.name)) values[attribute] = own
      } else if (!Object.hasOwn(values, attribute)) {
        /* Without a value, the new record would get the default of the column instead of null. */
        const isEmpty = (shown[field.name] ?? []).every((text) => text.trim() === '')
        if (!this.record && own === null && column.nullable && isEmpty) values[attribute] = null
      } else {
        const parsed = textsOf(field, toApi(column, values[attribute]))
        const isStored = isSame(field, texts, shown[field.name])
        if (isStored && isSame(field, trimmed(texts), trimmed(parsed))) values[attribute] = own
      }
    }
  }

  /** Adds the version to the event of a write. */
  noteIn(origin: Origin): void {
    origin.restores = this.event
  }

  /** Fills in a field that has another value now, or notes the reason why it is left empty. */
  async add(field: FormField, value: EarlierValue): Promise<void> {
    if ('lack' in value) return this.leave(field, value.lack)
    const { name, nullable } = field
    const column = field.column!
    const attributes = this.record as unknown as Record<string, unknown> | null
    const now = attributes && attributeValue(column, attributes)
    const then = 'exact' in value ? attributeValue(column, value.exact) : value.logged
    if (this.record && this.isAsNow(field, then)) return
    const texts = textsOf(field, then)
    const isBlank = texts.every((text) => text.trim() === '')
    if (this.record && isBlank && !nullable) return this.leave(field, 'empty')
    this.texts[name] = texts
    if (isBlank) this.cleared.add(name)
    if ('exact' in value) this.#exact.push({ field, record: value.exact })
    const mark = await this.#markOf(field, then, now)
    if (this.record || mark.isLost) this.#marks.set(name, mark)
  }

  /**
   * Returns true if the field of the current record already has the value. Without a record, the current value is
   * null.
   */
  isAsNow({ column }: FormField, then: unknown): boolean {
    const attributes = this.record as unknown as Record<string, unknown> | null
    const now = attributes && attributeValue(column!, attributes)
    return writeJson(then) === writeJson(now)
  }

  leave({ label }: FormField, reason: Reason): void {
    this.#left.push(this.site.text(`restore.left.${reason}`, { label }))
  }

  async #markOf(
    { name, reference }: FormField,
    then: unknown,
    now: unknown
  ): Promise<RestoredMark> {
    const titles = reference ? await this.#titlesOf(reference, [then, now]) : null
    return {
      now: this.record
        ? shownValue(this.site, inWords(this.site, this.view, name, now), titles?.get(String(now)))
        : null,
      isLost: titles !== null && then !== null && !titles.has(String(then)),
    }
  }

  /** Returns titles of references; null if the user is not allowed to see the referenced records. */
  async #titlesOf(reference: NonNullable<FormField['reference']>, values: unknown[]) {
    try {
      return (await followed(this.ctx, reference)) && (await titlesOf(this.ctx, reference, values))
    } catch (error) {
      if ((error as { status?: number }).status !== 403) {
        this.ctx.logger.error({ err: error }, 'Titles of an earlier version could not be read')
      }
      return null
    }
  }
}

/** Returns texts as forms submit them: trimmed, with `\n` for each line break. */
function trimmed(texts: readonly string[]): string[] {
  return texts.map((text) => text.replace(/\r\n?/g, '\n').trim())
}

/**
 * Returns the version of a record that the parameter `RESTORE` of the form's URL names.
 *
 * @param form   form of the record, or create form
 * @param found  key and record; the record is null if it was permanently deleted
 * @throws PageNotFound  if the version does not exist or is not visible to the user
 */
export async function restoredOf(
  ctx: HttpContext,
  site: Site & WithDatabase,
  { fields, view }: { fields: readonly FormField[]; view: ModelView },
  { key, record }: { key: KeyValue; record: LucidRow | null }
): Promise<RestoredFields> {
  /* Removed permissions, passwords and tokens must not be restored, so the site's own models have no restore. */
  if (view.adminModel || !hasEventLog(site)) throw new PageNotFound()
  const log = new EventReader(site.dbConfig)
  const history = await historyOfKey(ctx, site, log, view, key)
  if (!record && history.record) throw new PageNotFound()
  const version = await versionOf(log, history, parameterIn(ctx, RESTORE)!)
  const restored = new RestoredFields(ctx, site, view, fields, version, record)
  await fillIn(restored, log, view, history, version, fields, fieldsToRestore(ctx))
  return restored
}

/**
 * Like `restoredOf`, for a submission. Returns null if the version is no longer in the log, so that the form is saved
 * without it.
 */
export async function restoredIfThere(
  ...parameters: Parameters<typeof restoredOf>
): Promise<RestoredFields | null> {
  try {
    return await restoredOf(...parameters)
  } catch (error) {
    if (error instanceof PageNotFound) return null
    throw error
  }
}

async function fillIn(
  restored: RestoredFields,
  log: EventReader,
  view: ModelView,
  history: ReadableHistory,
  version: Version,
  fields: readonly FormField[],
  names: ReadonlySet<string> | null
): Promise<void> {
  const requested = fields.filter(({ name }) => names === null || names.has(name))
  const filled = requested.filter((field) => isRestorable(field, history.sees))
  const columns = filled.map(({ column }) => column!)
  const values = await earlierValues(log, view, history, version, columns)
  for (const field of filled) await restored.add(field, values.get(field.column!)!)
  for (const field of requested) {
    if (field.column && history.sees(field.name)) await leaveOut(restored, view, version, field)
  }
}

/** Adds the reason why a file or binary field is not filled in, if its earlier value differs from the current one. */
async function leaveOut(
  restored: RestoredFields,
  view: ModelView,
  { state }: Version,
  field: FormField
): Promise<void> {
  const then = state[field.name] ?? null
  const isFile = field.valueType === 'file'
  if (!(isFile || field.column!.kind === 'binary') || restored.isAsNow(field, then)) return
  if (!isFile) restored.leave(field, 'unshown')
  else restored.leave(field, (await hasFile(view, then)) ? 'file' : 'fileGone')
}
