import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidCrud } from '#crud'
import { fieldsReadOnly } from '#base/http/access_problems'
import { inTransaction } from '#base/database/transaction'
import { endLongTurn } from '#base/event_loop'
import type { Site } from '../../views/site.js'
import type { ImportSpec, MappedColumn } from '../import_spec.js'
import type { FileRow } from '../../sheets/file_shape.js'
import {
  addError,
  isInvalid,
  type CheckedRow,
  noteCells,
  noteError,
  checkedRowOf,
  sortErrors,
  isInvalidIn,
} from './checked_row.js'
import { UniqueValues, ReferredRows } from './check_database.js'
import { validateValues, readCells } from './validate_values.js'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { fromQuery } from '#base/values/from_query'
import { attributeValue } from '#base/values/to_api'
import type { Condition } from '#base/columns/condition'
import { isStorableText } from '#base/values/text'
import { keyOf } from '#base/items'
import { ListRequest } from '#crud/internals'
import { plainText } from '../../text/plain_text.js'
import type { Reference } from '../../relations/references.js'
import { KEYS_PER_CONDITION, ROWS_PER_READ, chunks } from '#base/chunks'

/** Thrown to roll back the transaction of a dry run. */
class Undone extends Error {}

/**
 * Checks rows as creates and updates would: permissions, policy, references, custom preparation of values, and whether
 * the records would stay visible to the importer. Nothing is written, and the model's hooks do not run.
 */
async function tryWrites(
  site: Site,
  spec: ImportSpec,
  checkedRows: readonly CheckedRow[],
  client: QueryClientContract
): Promise<void> {
  const { crud } = spec.importer.view
  if (!crud.hasOwnPreparation) return await tryAll(site, spec, checkedRows, client)
  /* Custom code can write with the transaction that it gets, so the transaction is rolled back. */
  try {
    await inTransaction(spec.importer.view.client(), async (transaction) => {
      await tryAll(site, spec, checkedRows, transaction)
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
}

async function tryAll(
  site: Site,
  { importer }: ImportSpec,
  checkedRows: readonly CheckedRow[],
  client: QueryClientContract
): Promise<void> {
  const { actor, origin, view } = importer
  const options = { client, actor, origin }
  for (const operation of ['create', 'update'] as const) {
    const kind = operation === 'create' ? 'new' : 'changed'
    const unstored: Array<
      Parameters<LucidCrud['checkUnstored']>[1][number] & { checkedRow: CheckedRow }
    > = []
    for (const checkedRow of checkedRows) {
      if (isInvalid(checkedRow) || checkedRow.kind !== kind) continue
      try {
        const { values } = checkedRow
        if (checkedRow.record) await view.crud.tryUpdate(checkedRow.record, values, options)
        const record = checkedRow.record ?? (await view.crud.tryCreate(values, options))
        unstored.push({ checkedRow, record, sent: [...checkedRow.changes.keys()] })
      } catch (error) {
        noteError(site, view, checkedRow, error)
      }
    }
    const verdicts = await view.crud.checkUnstored(operation, unstored, options)
    verdicts.forEach(({ isRefused, readOnly }, index) => {
      const { checkedRow } = unstored[index]
      if (readOnly.length > 0) noteError(site, view, checkedRow, fieldsReadOnly([...readOnly]))
      else if (isRefused) addError(checkedRow, null, site.text('import.errors.outOfReach'))
    })
  }
}

/**
 * Checks the rows of a file in order, some hundred at a time. Each row is compared with the previous ones.
 */
export class RowChecker {
  readonly #seen: SeenKeys = new Map()
  readonly #unique: UniqueValues
  readonly #referred: ReferredRows

  constructor(
    private readonly site: Site,
    private spec: ImportSpec
  ) {
    const { resource } = spec.importer.view
    this.#unique = new UniqueValues(resource)
    this.#referred = new ReferredRows(resource)
  }

  /** Continues with the importer's current permissions. */
  continueAs(spec: ImportSpec): void {
    this.spec = spec
  }

  /** Registers rows that are already written, so that a later row with the same key is an error. */
  async skip(rows: readonly FileRow[], client: QueryClientContract): Promise<void> {
    const { site, spec } = this
    if (spec.key.length === 0) return
    const checkedRows = rows.map(checkedRowOf)
    for (const checkedRow of checkedRows) readCells(site, spec, checkedRow)
    await findTitles(site, spec, checkedRows, client)
    noteKeys(site, spec.key, checkedRows, this.#seen)
  }

  /**
   * Returns the checked rows, with the errors that were found.
   *
   * @param client  client to read with; in a transaction that then writes the rows, the records are locked
   * @param isDryRun  true to check policy, scope and custom code as well, because no write will do so
   */
  async check(
    rows: readonly FileRow[],
    client: QueryClientContract,
    isDryRun: boolean
  ): Promise<CheckedRow[]> {
    const { site, spec } = this
    const checkedRows = rows.map(checkedRowOf)
    for (const checkedRow of checkedRows) readCells(site, spec, checkedRow)
    await endLongTurn()
    await findTitles(site, spec, checkedRows, client)
    await findRecords(site, spec, checkedRows, this.#seen, client, !isDryRun)
    for (const checkedRow of checkedRows) {
      await endLongTurn()
      await validateValues(site, spec, checkedRow)
    }
    await endLongTurn()
    await this.#unique.check(site, spec, checkedRows, client)
    await this.#referred.check(site, spec, checkedRows, client)
    if (isDryRun) await tryWrites(site, spec, checkedRows, client)
    const names = spec.columns.map(({ field }) => field.name)
    for (const checkedRow of checkedRows) {
      sortErrors(checkedRow, names)
      noteCells(checkedRow, spec)
    }
    return checkedRows
  }
}

/** Keys of the previous rows, with the line of the first row of each key. */
type SeenKeys = Map<string, number>

/**
 * Finds the record of each row by key, with one statement for 200 rows. A second row with the same key is an error, and
 * so is a record that the policy refuses to read; a row with an empty key is a new record.
 *
 * @param lock  true if the records are written in the client's transaction
 */
async function findRecords(
  site: Site,
  { importer, key }: ImportSpec,
  checkedRows: readonly CheckedRow[],
  seen: SeenKeys,
  client: QueryClientContract,
  lock: boolean
): Promise<void> {
  const wanted = noteKeys(site, key, checkedRows, seen)
  const { actor, origin, view } = importer
  const found = new Map<string, Awaited<ReturnType<LucidCrud['locateBy']>>>()
  const parts = [...wanted.values()].map((one) => one.parts)
  for (const some of chunks(parts, KEYS_PER_CONDITION)) {
    const options = { client, actor, origin, lock }
    for (const located of await view.crud.locateBy(anyOf(key, some), options)) {
      const id = idOf(partsOf(key, located.seen))
      found.set(id, [...(found.get(id) ?? []), located])
    }
  }
  for (const [id, { checkedRow }] of wanted) {
    const [located, ...others] = found.get(id) ?? []
    const isRefused =
      located &&
      view.resource.authorizesRecords &&
      !(await view.crud.allows('read', { client, actor }, located.record))
    if (isRefused) {
      addError(checkedRow, null, site.text('import.errors.refused'))
      continue
    }
    checkedRow.record = located?.record ?? null
    checkedRow.seen = located?.seen ?? null
    if (others.length > 0) {
      const count = others.length + 1
      addError(checkedRow, key[0].name, site.text('import.errors.severalRecords', { count }))
    }
  }
}

/**
 * Registers the keys of rows.
 *
 * @returns the rows whose key no previous row has
 */
function noteKeys(
  site: Site,
  key: ImportSpec['key'],
  checkedRows: readonly CheckedRow[],
  seen: SeenKeys
): Map<string, { checkedRow: CheckedRow; parts: unknown[] }> {
  const wanted = new Map<string, { checkedRow: CheckedRow; parts: unknown[] }>()
  const names = key.map(({ name }) => name)
  for (const checkedRow of checkedRows) {
    const isUnknown = key.length === 0 || isInvalidIn(checkedRow, names)
    const parts = isUnknown ? null : typedKeyOf(site, key, checkedRow)
    if (!parts) continue
    const id = idOf(parts)
    const line = seen.get(id)
    if (line !== undefined) {
      addError(checkedRow, key[0].name, site.text('import.errors.keyAgain', { line }))
      continue
    }
    seen.set(id, checkedRow.row.line)
    wanted.set(id, { checkedRow, parts })
  }
  return wanted
}

/** Returns the key for comparisons; null for a new record, and for a value that no key can have. */
function typedKeyOf(site: Site, key: ImportSpec['key'], checkedRow: CheckedRow): unknown[] | null {
  const parts: unknown[] = []
  for (const { column, name } of key) {
    const value = checkedRow.body[name]
    if (value === null || value === undefined) return null
    const part = fromQuery(column!, String(value))
    if (part === null) {
      const { text } = plainText(String(value), 100)
      addError(checkedRow, name, site.text('import.errors.noKey', { value: text }))
      return null
    }
    parts.push(part)
  }
  return parts
}

function partsOf(key: ImportSpec['key'], record: LucidRow): unknown[] {
  return key.map(({ column }) => attributeValue(column!, record.$attributes))
}

/** Converts keys to text, because drivers return the same value as a number, text or bigint. */
function idOf(parts: readonly unknown[]): string {
  return parts.length === 1 ? String(parts[0]) : JSON.stringify(parts.map(String))
}

function anyOf(key: ImportSpec['key'], all: readonly unknown[][]): Condition {
  if (key.length === 1) {
    const values = all.map(([value]) => value)
    return { type: 'list', column: key[0].column!, values, negate: false }
  }
  const conditions = all.map((parts): Condition => ({
    type: 'and',
    conditions: parts.map((value, index): Condition => {
      return { type: 'compare', column: key[index].column!, operator: 'eq', value }
    }),
  }))
  return { type: 'or', conditions }
}

/* Maximum number of records that one query for titles returns */
const MOST_FOUND = 10_000

/**
 * Replaces each title by the key of the record, searching the records that are visible to the importer. A title of no
 * record, or of several, is an error.
 */
async function findTitles(
  site: Site,
  { columns, importer }: ImportSpec,
  checkedRows: readonly CheckedRow[],
  client: QueryClientContract
): Promise<void> {
  for (const column of columns.filter(({ byTitle }) => byTitle)) {
    const { name } = column.field
    const withTitle = checkedRows.filter(({ body }) => typeof body[name] === 'string')
    const found = new Map<string, unknown[]>()
    const titles = [...new Set(withTitle.map(({ body }) => (body[name] as string).trim()))]
    for (const some of chunks(titles, ROWS_PER_READ)) {
      await readKeys(column.field.reference!, some, found, importer, client)
    }
    for (const checkedRow of withTitle) replace(site, column, checkedRow, found)
  }
}

async function readKeys(
  reference: Reference,
  titles: readonly string[],
  found: Map<string, unknown[]>,
  importer: ImportSpec['importer'],
  client: QueryClientContract
): Promise<void> {
  const { target, view } = reference
  const { actor, origin, view: own } = importer
  const title = view.titleColumn!
  const wanted = titles.filter((text) => text !== '' && isStorableText(text))
  if (wanted.length === 0) return
  const request = new ListRequest(
    [{ type: 'list', column: title, values: wanted, negate: false }],
    [],
    { shape: 'offset', offset: 0, limit: MOST_FOUND },
    'exclude',
    { count: false }
  )
  const isTogether = view.client().connectionName === own.client().connectionName
  const options = { client: isTogether ? client : view.client(), actor, origin, keys: true }
  const { data } = await view.crud.getMulti(request, options)
  if (data.length === MOST_FOUND && wanted.length > 1) {
    /* Records of some titles may be missing. For a single title, the records found are enough: it is ambiguous. */
    for (const half of chunks(wanted, Math.ceil(wanted.length / 2))) {
      await readKeys(reference, half, found, importer, client)
    }
    return
  }
  const position = view.resource.key.columns.indexOf(target)
  for (const item of data) {
    const text = String(item[title.apiName]).trim()
    const key = position < 0 ? item[target.apiName] : keyOf(item)![position]
    const others = found.get(text) ?? []
    found.set(text, [...others, key])
  }
}

function replace(
  site: Site,
  { field }: MappedColumn,
  checkedRow: CheckedRow,
  found: ReadonlyMap<string, unknown[]>
): void {
  const title = (checkedRow.body[field.name] as string).trim()
  const keys = found.get(title) ?? []
  if (title === '' || keys.length === 1) {
    checkedRow.body[field.name] = title === '' ? null : keys[0]
    return
  }
  const { text } = plainText(title, 100)
  const data = { title: text, one: field.refersTo, count: keys.length }
  const key = keys.length === 0 ? 'import.errors.noTitle' : 'import.errors.severalTitles'
  addError(checkedRow, field.name, site.text(key, data))
}
