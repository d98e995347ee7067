import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'
import type { ColumnSet } from '../resource/column_set.js'
import type { Resource } from '../resource/resource.js'
import { hasOwnPrepare } from '#upstream/lucid_column_defaults'
import { makesOwnRecords } from '#upstream/lucid_record_queries'
import { plainValues } from './direct_writes.js'
import { hasForeignHook } from './own_hooks.js'
import { stampNew } from './record_writes.js'

type Row = Record<string, unknown>

const HOOKS = ['before:save', 'before:create', 'after:create', 'after:save']

/* Answers that stay once the columns are known; hooks may be added at any time. */
const PLAIN = new WeakMap<ColumnSet, boolean>()

/**
 * True if Lucid's `save()` of a new record would do nothing but store its values: the model has no hook, setter or
 * method of its own that could see or change them.
 */
export function storesPlainly({ columns, model }: Resource): boolean {
  if (HOOKS.some((name) => hasForeignHook(model, name))) return false
  let isPlain = PLAIN.get(columns)
  if (isPlain === undefined) PLAIN.set(columns, (isPlain = isDefinedPlainly(columns, model)))
  return isPlain
}

function isDefinedPlainly(columns: ColumnSet, model: LucidModel): boolean {
  if (columns.all.some(({ needsHydration }) => needsHydration)) return false
  const definitions = [...model.$columnsDefinitions.values()]
  return !definitions.some((one) => one.hasSetter || hasOwnPrepare(one)) && !makesOwnRecords(model)
}

/* Lucid's own `prepare` asks a record for nothing but its connection. */
const ANY_RECORDS = new WeakMap<LucidModel, Map<string, LucidRow>>()

function anyRecord(model: LucidModel, connection: string): LucidRow {
  const known = ANY_RECORDS.get(model) ?? new Map<string, LucidRow>()
  ANY_RECORDS.set(model, known)
  let record = known.get(connection)
  if (!record) known.set(connection, (record = (new model() as LucidRow).useConnection(connection)))
  return record
}

/**
 * Makes the rows that Lucid would store for new records of a model that stores plainly.
 */
export class PlainRows {
  readonly #any: LucidRow

  constructor(
    private readonly resource: Resource,
    client: TransactionClientContract
  ) {
    this.#any = anyRecord(resource.model, client.connectionName)
  }

  /**
   * @param values  by attribute name
   * @returns by column name; null for values that only Lucid or knex can write
   */
  rowOf(values: Row): Row | null {
    const { columns, model } = this.resource
    const attributes: Row = {}
    for (const [key, value] of Object.entries(values)) {
      if (!model.$hasColumn(key)) return null
      attributes[key] = value
    }
    stampNew(attributes, this.resource)
    for (const { attribute, automatic } of columns.all) {
      if (automatic) attributes[attribute] ||= DateTime.local()
    }
    const row: Row = {}
    for (const [attribute, value] of Object.entries(attributes)) {
      const { columnName, prepare } = model.$getColumn(attribute)!
      row[columnName] = prepare ? prepare(value, attribute, this.#any) : value
    }
    return plainValues(row)
  }
}
