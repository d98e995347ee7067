import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Dialect } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { insertSql, type Sql, updateSql } from '#base/sql/sql'
import { hasForeignHook } from '#base/lucid/own_hooks'
import type { Resource } from '../resource/resource.js'
import { nothingStored } from '#base/http/problems'
import { forgetStoredRow, noteStoredRow } from './stored_rows.js'
import { consumeValues } from '#upstream/lucid_record_steps'
import { makesOwnQueries, replaceQueries, type WriteAction } from '#upstream/lucid_record_queries'
import { asConnectionReturns } from '#base/database/connection_forms'

type Row = Record<string, unknown>

/** The methods that Lucid's adapter calls on the query of an insert, and on that of an update. */
interface Insertion {
  insert(row: Row): { reporterData(data: unknown): PromiseLike<unknown> }
}
interface Update {
  update(changes: Row): PromiseLike<unknown>
}

/**
 * Makes Lucid's `save()` write the record with a cached statement that returns the whole row, so that the row does not
 * have to be read again. Lucid does everything else, including hooks. Expressions, JSON and queries in debug mode are
 * written by Lucid's usual statements.
 *
 * This is not a separate write path (see `write_path.ts`): the conditions concern one statement within the record path
 * after hooks have run, so they cannot be evaluated when the path is chosen.
 */
export function writeDirectly(record: LucidRow, resource: Resource): void {
  /* A custom query builder of the model is not replaced. */
  if (makesOwnQueries(resource.model)) return

  replaceQueries(record, (action, client, own) => {
    const dialect = dialectOf(client)
    const isOurs = client.isTransaction && dialect.returnsWrittenRows && !client.debug
    const usual = () => ensured(own(), action)
    forgetStoredRow(record)
    if (!isOurs) return usual()
    const write = new DirectWrite(record, resource, client, dialect)
    if (action === 'insert') return write.insertion(usual)
    if (action === 'update') return write.update(usual)
    return usual()
  })
}

class DirectWrite {
  constructor(
    private readonly record: LucidRow,
    private readonly resource: Resource,
    private readonly client: TransactionClientContract,
    private readonly dialect: Dialect
  ) {}

  insertion(usual: () => Insertion): Insertion {
    return {
      insert: (row) => ({
        reporterData: (data) => {
          const values = plainValues(row)
          if (!values) return usual().insert(row).reporterData(data)
          return this.#insert(values)
        },
      }),
    }
  }

  update(usual: () => Update): Update {
    return {
      update: (changes) => {
        const values = plainValues(changes)
        return values ? this.#update(values) : usual().update(changes)
      },
    }
  }

  /**
   * Inserts the row.
   *
   * @returns an empty list: Lucid would use a value in the list as the key, which the record already has
   */
  async #insert(values: Row): Promise<never[]> {
    const [row] = await this.#run(insertSql(this.#table, values))
    if (!row) throw nothingStored()
    const { key } = this.resource
    const isGiven = key.of(this.record).every((part) => part !== undefined && part !== null)
    if (!isGiven) {
      const usual = asConnectionReturns(row) ?? row
      const generated = key.columns.map(({ name }) => [name, usual[name]])
      consumeValues(this.record, Object.fromEntries(generated))
    }
    await this.#note(row, 'create')
    return []
  }

  /** Updates the row. Uses the key as it was read, because a hook may have changed the attributes. */
  async #update(values: Row): Promise<void> {
    const { key } = this.resource
    const where = key.is(key.of(this.record.$original), this.dialect)
    const [row] = await this.#run(updateSql(this.#table, values, where))
    if (!row) throw nothingStored()
    await this.#note(row, 'update')
  }

  async #run({ sql, bindings }: Sql): Promise<Row[]> {
    const returned = this.resource.reader.statements.listOf(this.resource.columns.all, this.dialect)
    return await this.dialect.selectRows(this.client, `${sql} returning ${returned}`, bindings)
  }

  /**
   * Stores the row with the record, unless hooks of the model or triggers can change the row again after the statement.
   */
  async #note(row: Row, action: 'create' | 'update'): Promise<void> {
    const { model } = this.resource
    if (hasForeignHook(model, `after:${action}`) || hasForeignHook(model, 'after:save')) return
    if (await hasTriggers(this.resource, this.client)) return
    noteStoredRow(this.record, row)
  }

  get #table(): string {
    return this.dialect.quote(this.resource.table)
  }
}

/**
 * True if the table has triggers. Read once per process: like a new column, a new trigger requires a restart of the
 * server.
 */
export async function hasTriggers(
  { base: resource }: Resource,
  client: QueryClientContract
): Promise<boolean> {
  let known = TRIGGERS.get(resource)
  if (known === undefined) {
    known = await dialectOf(client).hasTriggers(client, resource.table)
    TRIGGERS.set(resource, known)
  }
  return known
}

const TRIGGERS = new WeakMap<Resource, boolean>()

/**
 * Returns the values if every driver binds them unchanged, otherwise null: expressions are written by Knex, and JSON
 * has a different form for each driver.
 */
export function plainValues(row: Row): Row | null {
  const values: Row = {}
  let isEmpty = true
  for (const [name, value] of Object.entries(row)) {
    if (value === undefined) continue
    if (!isPlain(value)) return null
    values[name] = value
    isEmpty = false
  }
  return isEmpty ? null : values
}

function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return true
    case 'object':
      return value === null || value instanceof Date || Buffer.isBuffer(value)
    default:
      return false
  }
}

/**
 * Makes Lucid's query for the write of one record throw if a trigger or a rule of the database prevented the write,
 * because Lucid ignores the number of written rows.
 */
export function ensured<Query extends { exec(): Promise<unknown> }>(
  query: Query,
  action: WriteAction
): Query {
  if (action === 'refresh') return query
  const exec = query.exec.bind(query)
  query.exec = async () => {
    const result = await exec()
    if (isNothing(result, action)) throw nothingStored()
    return result
  }
  return query
}

/** True if nothing was written. An insert returns the keys of its rows, an update and a delete the number of rows. */
function isNothing(result: unknown, action: WriteAction): boolean {
  if (action === 'insert') return Array.isArray(result) && result.length === 0
  return (Array.isArray(result) ? result[0] : result) === 0
}
