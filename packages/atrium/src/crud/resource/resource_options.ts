import type { LucidRow, LucidModel } from '@adonisjs/lucid/types/model'
import type { ObjectSchema, CompiledSchema } from '#base/schema/object_schema'
import { type KeyKind, KEY_KINDS } from '#base/values/new_key'
import type { Operation } from '../operations/operation.js'
import type { Actor, ColumnSettings, FilterMap } from '../types.js'
import type { FilterConfig } from './filters.js'
import type { IncludeSettings } from './included_relation.js'
import type { FilterOperators } from './custom_operators.js'
import type { Scope } from './permissions.js'
import type { Transitions } from '#base/columns/transitions'
import db from '@adonisjs/lucid/services/db'
import type { Column } from '#base/columns/column'
import { ColumnSet } from '#base/columns/column_set'
import { splitFilterName } from '#base/columns/filter'
import { Key } from '#base/columns/key'
import type { SoftDelete } from '#base/columns/soft_delete'
import { listed, RuntimeError, shown, ValueError } from '#base/errors'
import { storeWholeSeconds } from '#base/lucid/column_functions'
import { inUtc } from '#base/values/datetime'
import { compareData } from '#upstream/lucid_dirty_data'
import { shareTransactionEnds } from '#upstream/lucid_record_transactions'

/**
 * Decides whether the actor is allowed to perform the action, on the record if one is given. A policy that declares
 * `record`, or can receive it through a rest parameter, after a default value or through `arguments`, is called for
 * every record that is returned, including lists, counts and includes. Omit `record` if the decision depends only on
 * actor and action: a list then needs one call.
 */
export type PolicyOf<Resource> = (
  actor: Actor,
  action: Operation,
  resource: Resource,
  record?: LucidRow
) => boolean | Promise<boolean>

/** Options of `@Crud` for the model itself. */
export interface ResourceOptionsOf<Resource> extends ColumnSettings {
  /** Tags of the endpoints in the API schema */
  tags?: Iterable<string>
  /** Body of create. Default: derived from the table */
  createSchema?: ObjectSchema
  /** Body of update. Default: derived from the table */
  updateSchema?: ObjectSchema
  /** If set, the hard-delete endpoint exists */
  deleteSchema?: ObjectSchema
  /** Generates keys for new records without one: UUID version 7 or 4, or ULID */
  key?: KeyKind
  /** Schema whose fields are the fields of responses. Default: all columns that are not hidden */
  selectSchema?: ObjectSchema
  /** Body fields that are not columns; they are passed to `prepareCreate` and `prepareUpdate` of `LucidCrud` */
  virtualFields?: Iterable<string>
  /** Filters of the list */
  filterConfig?: FilterConfig | FilterMap
  /** `'related'`: all visible fields of the relations in `include` are filters, too, with all operators */
  filters?: 'related'
  /** Filter operators of the application, such as `near` for `scale__near` in `filterConfig` */
  operators?: FilterOperators
  /** True if `?deleted=include` and `only` show soft-deleted items */
  showDeleted?: boolean
  /** Relations that `include=` can add to responses, or that they always contain */
  include?: IncludeSettings
  /** Decides on the allowed actions of each actor; default: all actions */
  policy?: PolicyOf<Resource>
  /**
   * Allowed changes of enums, such as `{ status: { draft: ['confirmed', 'cancelled'], confirmed: ['shipped'] } }`:
   * every other change is refused, and roles grant each by its name, `status:draft>confirmed`
   */
  transitions?: Transitions
  /** Narrows the rows that are visible to each actor; default: all rows */
  scope?: Scope
}

/* Checks of a model and its options. Each error explains what to change. */

/**
 * Returns the booted model, whose records store whole seconds and find their changes and transactions as the engine
 * needs them.
 *
 * @throws TypeError  for any value other than a Lucid model
 */
export function bootedModel(model: unknown): LucidModel {
  const isModel = typeof model === 'function' && '$addColumn' in model && 'boot' in model
  if (!isModel) {
    const name = typeof model === 'function' ? model.name : String(model)
    throw new TypeError(
      `${name} is not a Lucid model: it must extend BaseModel of @adonisjs/lucid/orm`
    )
  }
  const lucid = model as unknown as LucidModel
  lucid.boot()
  storeWholeSeconds(lucid, inUtc)
  compareData(lucid)
  shareTransactionEnds(lucid)
  return lucid
}

/** Checks that the model's connection exists. The introspection uses it, even with the option `session`. */
export function checkConnection(model: LucidModel): void {
  const name = model.connection ?? db.primaryConnectionName
  if (!db.manager.has(name)) {
    throw new RuntimeError(
      `${model.name}: there is no database connection "${name}"; config/database.ts has ${listed(db.manager.connections.keys())}`
    )
  }
}

export function keyOfColumns({ name, table }: LucidModel, columns: ColumnSet): Key {
  const primary = columns.all.filter((column) => column.isPrimary)
  if (primary.length === 0) {
    throw new ValueError(
      `${name}: the model has no primary key; mark its column with @column({ isPrimary: true })`
    )
  }
  return new Key(primary, table)
}

export function checkVirtualFields(
  model: string,
  virtualFields: readonly string[],
  columns: ColumnSet
): void {
  const named = virtualFields.filter((name) => columns.find(name))
  if (named.length > 0) {
    throw new ValueError(
      `${model}: virtualFields names ${listed(named)}, which the model has as a column; what it holds needs no virtual field`
    )
  }
}

export function checkShowDeleted(
  model: string,
  showDeleted: boolean,
  softDelete: SoftDelete | undefined
): void {
  if (showDeleted && !softDelete) {
    throw new ValueError(
      `${model}: showDeleted is set, but no column marks deleted items; name one by isDeletedColumn or deletedAtColumn`
    )
  }
}

/**
 * Checks that options match the table, once its columns are known.
 *
 * @param kind  kind of the keys that the engine generates
 * @throws ValueError
 */
export function checkAgainstTable(
  model: {
    name: string
    key: Key
    columns: ColumnSet
    softDelete: SoftDelete | undefined
    updatedAt: Column | undefined
  },
  kind: KeyKind | undefined,
  schemas: { create?: CompiledSchema; update?: CompiledSchema }
): void {
  checkMarkingColumns(model.name, model.softDelete, model.updatedAt)
  checkKeyKind(model.name, model.key, kind)
  checkGenerated(model.name, model.columns, schemas)
}

/**
 * Checks the types of the soft-delete and update columns: a wrong type would break every delete, or hide every item.
 */
function checkMarkingColumns(
  model: string,
  softDelete: SoftDelete | undefined,
  updatedAt: Column | undefined
): void {
  const expected: Array<[string, Column | undefined, string[]]> = [
    ['isDeletedColumn', softDelete?.flag, ['boolean', 'integer']],
    ['deletedAtColumn', softDelete?.timestamp, ['datetime', 'date']],
    ['updatedAtColumn', updatedAt, ['datetime', 'date']],
  ]
  for (const [option, column, kinds] of expected) {
    if (column && !kinds.includes(column.kind)) {
      throw new ValueError(
        `${model}: ${option} is '${column.apiName}', whose type is ${column.kind}; it must be ${kinds.join(' or ')}`
      )
    }
  }
}

/** Checks that no schema contains a generated column. Derived schemas leave them out. */
function checkGenerated(
  model: string,
  columns: ColumnSet,
  schemas: { create?: CompiledSchema; update?: CompiledSchema }
): void {
  for (const operation of ['create', 'update'] as const) {
    const named = schemas[operation]?.fields ?? []
    const found = named.map(({ input }) => columns.find(input))
    const generated = found.flatMap((column) => (column?.generated ? [column.apiName] : []))
    if (generated.length > 0) {
      throw new ValueError(
        `${model}: ${operation}Schema names ${listed(generated)}, which the database works out itself; leave it out`
      )
    }
  }
}

function checkKeyKind(model: string, key: Key, kind: KeyKind | undefined): void {
  if (kind === undefined) return
  const [column] = key.columns
  if (!KEY_KINDS.includes(kind)) {
    throw new ValueError(`${model}: key is ${shown(kind)}, and must be ${listed(KEY_KINDS)}`)
  }
  if (key.isComposite || !column.isText || (kind === 'ulid' && column.kind === 'uuid')) {
    throw new ValueError(
      `${model}: key is '${kind}', which needs a primary key of one column that can hold it; ${column.name} is ${key.isComposite ? 'one of several' : column.sqlType}`
    )
  }
}

/**
 * Checks the names of `filterConfig` such as `distributor.name__contains`: one or two relations, and a column.
 *
 * @throws ValueError
 */
export function checkRelatedFilters(model: LucidModel, names: readonly string[]): void {
  for (const name of names) {
    const [field, ...relations] = splitFilterName(name).column.split('.').reverse()
    const which = `${model.name}: filterConfig: the filter '${name}' can't be:`
    if (relations.length > 2) throw new ValueError(`${which} it names more than two relations`)
    let from = model
    for (const one of relations.reverse()) {
      const all = [...from.$relationsDefinitions.values()]
      const relation = all.find(({ serializeAs }) => serializeAs === one)
      if (!relation) {
        throw new ValueError(
          `${which} ${from.name} has no relation '${one}'; its relations are ${listed(all.flatMap(({ serializeAs }) => serializeAs ?? []))}`
        )
      }
      relation.boot()
      from = relation.relatedModel()
      from.boot()
    }
    const columns = new ColumnSet(from).visible.map(({ apiName }) => apiName)
    if (columns.includes(field)) continue
    throw new ValueError(
      `${which} ${from.name} has no column '${field}'; its columns are ${listed(columns)}`
    )
  }
}

/* `record` is the fourth parameter of a policy. */
const WITH_RECORD = 4

/**
 * True if a policy could use the record: it declares the fourth parameter, or can receive it through a rest parameter,
 * after a parameter with a default value, or through `arguments`. Also true if the parameters cannot be read, as for a
 * bound function: a wrong true costs time, but a wrong false would reveal a record.
 */
export function policyTakesRecord(policy: (...parameters: any[]) => unknown): boolean {
  if (policy.length >= WITH_RECORD) return true
  const source = Function.prototype.toString.call(policy)
  if (source.includes('[native code]') || /\barguments\b/.test(source)) return true
  const parameters = parametersIn(source)
  return parameters === null || /\.\.\.|=/.test(parameters)
}

/** Returns the source text of the parameters; null if it cannot be found. */
function parametersIn(source: string): string | null {
  /* An arrow function can have a single parameter without parentheses. */
  const single = /^(?:async\s+)?[\w$]+\s*=>/.exec(source)
  if (single) return ''
  const start = source.indexOf('(')
  let depth = 0
  for (let index = start; index >= 0 && index < source.length; index++) {
    if (source[index] === '(') depth++
    if (source[index] === ')' && --depth === 0) return source.slice(start, index)
  }
  return null
}
