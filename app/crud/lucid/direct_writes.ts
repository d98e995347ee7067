import { BaseModel } from '@adonisjs/lucid/orm'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Dialect } from '../database/dialect.js'
import { dialectOf } from '../database/dialects.js'
import { quoted } from '../sql/quoted.js'
import { insertSql, type Sql } from '../sql/sql.js'
import { hasForeignHook } from './own_hooks.js'
import type { Resource } from '../resource/resource.js'
import { forgetStoredRow, noteStoredRow } from './stored_rows.js'

type Row = Record<string, unknown>

/** What Lucid's adapter does with the query for an insert, and with that for an update. */
interface Insertion {
  insert(row: Row): { reporterData(data: unknown): PromiseLike<unknown> }
}
interface Update {
  update(changes: Row): PromiseLike<unknown>
}

/**
 * Has Lucid's `save()` write the record by a statement of our own, which the connection keeps ready and
 * which tells the whole row: so nobody need read it afterwards. Lucid does all else, hooks first of all.
 * What is no plain value, and what somebody wants to hear of in the log, goes the usual way.
 */
export function writeDirectly(record: LucidRow, resource: Resource): void {
  /* Who makes queries of his own for his model gets them. */
  if (resource.model.prototype.$getQueryFor !== BaseModel.prototype.$getQueryFor) return

  const queryFor = record.$getQueryFor.bind(record) as (
    action: string,
    client: QueryClientContract
  ) => any
  record.$getQueryFor = ((action: string, client: TransactionClientContract) => {
    const dialect = dialectOf(client)
    const isOurs = client.isTransaction && dialect.tellsWritten && !client.debug
    forgetStoredRow(record)
    if (!isOurs) return queryFor(action, client)
    const write = new DirectWrite(record, resource, client, dialect)
    if (action === 'insert') return write.insertion(() => queryFor(action, client))
    if (action === 'update') return write.update(() => queryFor(action, client))
    return queryFor(action, client)
  }) as any
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

  /** @returns nothing of what Lucid would take for the key: the record has it then */
  async #insert(values: Row): Promise<never[]> {
    const [row] = await this.#run(insertSql(this.#table, values))
    const { key } = this.resource
    const isGiven = key.of(this.record).every((part) => part !== undefined && part !== null)
    if (!isGiven) {
      this.record.$consumeAdapterResult(
        Object.fromEntries(key.columns.map(({ name }) => [name, row[name]]))
      )
    }
    await this.#note(row, 'create')
    return []
  }

  /** By the key as it was read: a hook may have changed the attributes meanwhile. */
  async #update(values: Row): Promise<void> {
    const { key } = this.resource
    const where = key.is(key.of(this.record.$original), this.dialect)
    const parts = Object.keys(values).map((name) => `${quoted(name)} = ?`)
    const [row] = await this.#run({
      sql: `update ${this.#table} set ${parts.join(', ')} where ${where.sql}`,
      bindings: [...Object.values(values), ...where.bindings],
    })
    if (row) await this.#note(row, 'update')
  }

  async #run({ sql, bindings }: Sql): Promise<Row[]> {
    const told = this.resource.reader.listOf(this.resource.columns.all, this.dialect)
    return await this.dialect.selectRows(this.client, `${sql} returning ${told}`, bindings)
  }

  /** What comes after the statement may change the row once more: hooks of the model, and triggers. */
  async #note(row: Row, action: 'create' | 'update'): Promise<void> {
    const { model } = this.resource
    if (hasForeignHook(model, `after:${action}`) || hasForeignHook(model, 'after:save')) return
    if (await this.#hasTriggers()) return
    noteStoredRow(this.record, row)
  }

  /** Asked once: who adds one has the server started anew, as for a column. */
  async #hasTriggers(): Promise<boolean> {
    let known = TRIGGERS.get(this.resource)
    if (known === undefined) {
      known = await this.dialect.hasTriggers(this.client, this.resource.table)
      TRIGGERS.set(this.resource, known)
    }
    return known
  }

  get #table(): string {
    return this.dialect.quote(this.resource.table)
  }
}

const TRIGGERS = new WeakMap<Resource, boolean>()

/**
 * The values that are given, if every driver takes them as they are; an expression is for knex to
 * write, and JSON is for each driver to understand.
 */
function plainValues(row: Row): Row | null {
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
