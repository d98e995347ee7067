import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { ambientActor, ANONYMOUS } from '#base/actor'
import { dialectOf } from '#base/database/dialects'
import { hasForeignHook } from '#base/lucid/own_hooks'
import { hasOwnPrepare } from '#base/lucid/column_functions'
import { makesOwnRecords } from '#upstream/lucid_record_queries'
import {
  recordersByStatements,
  type RecordByStatements,
  watchedClassOf,
  watchedResourceOf,
} from '../../events/observers.js'
import { hasTriggers } from '../../lucid/direct_writes.js'
import { StatementRows } from '../../lucid/statement_rows.js'
import type { Resource } from '../../resource/resource.js'
import type { CallOptions, CreateOptions, UpdateOptions } from '../call_options.js'
import type { CrudContext } from '../crud_context.js'
import { writesFiles } from './check_files.js'
import { checksReferences } from './check_references.js'
import { omit, withoutKeys } from './written_fields.js'

/*
 * Every row is written on one of two paths. Only this file decides which one:
 * - The statement path (statement_path.ts): prepared statements write the row, its event and its audit row. No Lucid
 *   record is created. It is used for single writes, writes in a transaction of the caller, and many rows per
 *   statement.
 * - The record path (create.ts, update.ts, delete.ts): Lucid saves an instance of the model in a transaction, with
 *   hooks, overridden methods, policies and grants.
 *
 * A write takes the statement path if its result is the same as on the record path. Conditions that depend on the
 * model, the class of its `LucidCrud` and the actor's grants are evaluated once, at the first write: hooks, overridden
 * methods and triggers have to be defined by then. Requests and values are checked for each write. Deletions always
 * take the record path, because the rows that the database deletes or updates with a record are read and reported with
 * it.
 */

type Row = Record<string, unknown>
type Action = 'create' | 'update' | 'delete'

/** Conditions under which all writes of a model take the record path */
const OF_THE_MODEL: ReadonlyArray<(context: CrudContext, action: 'create' | 'update') => boolean> =
  [
    /* A policy can require the record, before and after the write. */
    ({ resource }) => resource.policy !== undefined,
    /* Grants of roles can differ between records and between fields. */
    ({ resource }) => resource.projection !== undefined,
    /* A write can move a record out of its writer's scope, so it has to be read again. */
    ({ resource }) => resource.scope !== undefined,
    /* The record path throws the error with the reason why the table is read-only. */
    ({ resource }) => resource.readOnly !== null,
    /* Transitions depend on the stored value. */
    ({ resource }, action) => action === 'update' && resource.limitedColumns.length > 0,
    /* Hooks and overridden methods receive the record, and can change it. */
    (context, action) => runsMethods(context, action),
    /* Read hooks can exclude records from an update, or refuse it. */
    ({ resource }, action) => action === 'update' && !resource.reader.returnsRowsDirectly,
    /* Getters, setters and custom `prepare`, `consume` and `serialize` functions convert values of a record. */
    ({ resource }) => resource.columns.all.some(({ needsHydration }) => needsHydration),
    ({ resource }) => {
      const columns = [...resource.model.$columnsDefinitions.values()]
      return columns.some((one) => one.hasSetter || hasOwnPrepare(one))
    },
    /* The model overrides Lucid methods such as `save()`, or sets values of new instances. */
    ({ resource }) => makesOwnRecords(resource.model),
    /* Hooks report writes of a subclass as writes of the class that has endpoints. */
    ({ resource }) => (watchedClassOf(resource.model) ?? resource.model) !== resource.model,
  ]

interface Known {
  /** True if application code runs with each write */
  runsMethods: Partial<Record<Action, boolean>>
  /** True if the model needs the record path */
  needsRecord: { create?: boolean; update?: boolean }
  /** True if an item cannot be created from a row, because the model has computed properties or custom conversion */
  needsRecordForItem: boolean
}

/* By context, which belongs to one `LucidCrud` and to the grants of one actor */
const KNOWN = new WeakMap<CrudContext, Known>()

function knownOf(context: CrudContext): Known {
  let known = KNOWN.get(context)
  if (!known) {
    const needsRecordForItem = !context.resource.reader.returnsRowsDirectly
    known = { runsMethods: {}, needsRecord: {}, needsRecordForItem }
    KNOWN.set(context, known)
  }
  return known
}

/** True if a write of the model can take the statement path, regardless of its values. */
async function mayTakeStatements(
  context: CrudContext,
  action: 'create' | 'update',
  client: QueryClientContract,
  options: CallOptions
): Promise<boolean> {
  const { resource } = context
  const { needsRecord } = knownOf(context)
  needsRecord[action] ??= OF_THE_MODEL.some((isSo) => isSo(context, action))
  if (needsRecord[action]) return false
  /* In debug mode Lucid runs all queries, as it reports only its own; MySQL and MariaDB return no written rows. */
  if (client.debug || !dialectOf(client).returnsWrittenRows) return false
  /*
   * A trigger can change the row after the database has returned it. Triggers are read once per process, like columns.
   */
  if (await hasTriggers(resource, client)) return false
  /*
   * If the writer might not see every record that the row can refer to, each reference is checked on the record path.
   */
  return !(await checksReferences(resource, client, options))
}

/**
 * Decides on the path of a create.
 *
 * @param values     values that the actor is allowed to write, by attribute name
 * @param needsItem  true if the caller needs the item of the new row
 * @returns the row to insert by a statement, by column name; null for the record path
 * @throws Problem 422  for a row without a key
 */
export async function rowByStatement(
  context: CrudContext,
  values: Row,
  client: QueryClientContract,
  options: CreateOptions,
  needsItem = true
): Promise<Row | null> {
  /* Attaching related records requires a Lucid record. */
  if (options.related) return null
  if (needsItem && knownOf(context).needsRecordForItem) return null
  if (!(await mayTakeStatements(context, 'create', client, options))) return null
  /* Null for expressions and JSON, which only Knex and Lucid can write. */
  const { resource } = context
  return new StatementRows(resource, client).rowOf(omit(values, resource.virtualFields))
}

/**
 * Decides on the path of an update.
 *
 * @param values  values to write, by attribute name
 * @returns the changes to write by a statement, by column name; null for the record path
 */
export async function changesByStatement(
  context: CrudContext,
  values: Row,
  client: QueryClientContract,
  { located, precondition, related, ...options }: UpdateOptions
): Promise<Row | null> {
  /* The caller already has the record, or a precondition or related records require one. */
  if (located || precondition || related) return null
  if (!(await mayTakeStatements(context, 'update', client, options))) return null
  const { resource } = context
  const written = withoutKeys(resource, omit(values, resource.virtualFields))
  /* Either nothing is changed, or the current value of a file column decides which file can be set. */
  if (Object.keys(written).length === 0 || writesFiles(resource, written)) return null
  /* Null for values that Lucid compares with those of the record: dates, bytes and JSON. */
  return new StatementRows(resource, client).changesOf(written)
}

/** Returns the timestamps to set on each reverted row, by column name; null for the record path. */
export async function stampsByStatement(
  context: CrudContext,
  client: QueryClientContract,
  options: CallOptions
): Promise<Row | null> {
  const { overrides, resource } = context
  /* A revert can delete the item, so `prepareDelete` has to be called. */
  if (overrides('revert') || overrides('prepareDelete')) return null
  if (!(await mayTakeStatements(context, 'update', client, options))) return null
  return new StatementRows(resource, client).stampsOfUpdate()
}

/**
 * True if records can be read together before many of them are updated, on either path: no code that runs with one
 * update can change a later record.
 */
export async function canReadTogether(
  context: CrudContext,
  client: QueryClientContract
): Promise<boolean> {
  if (context.overrides('update')) return false
  /* Database servers lock the rows one after another, in the order of the caller. */
  if (dialectOf(client).lockClause !== '') return false
  return !(await runsOwnCode(context, client, ['update']))
}

/** True if application code or triggers run with each write and could change the records that are written next. */
export async function runsOwnCode(
  context: CrudContext,
  client: QueryClientContract,
  actions: readonly Action[]
): Promise<boolean> {
  if (actions.some((action) => runsMethods(context, action))) return true
  return await hasTriggers(context.resource, client)
}

const METHODS = {
  create: ['prepareCreate', 'afterCreate'],
  update: ['prepareUpdate', 'afterUpdate'],
  delete: ['prepareDelete'],
} as const

/** True if hooks of the model or overridden methods run with each write. */
export function runsMethods(context: CrudContext, action: Action): boolean {
  const known = knownOf(context).runsMethods
  const hooks = ['before:save', 'after:save', `before:${action}`, `after:${action}`]
  known[action] ??=
    METHODS[action].some((name) => context.overrides(name)) ||
    hooks.some((name) => hasForeignHook(context.resource.model, name))
  return known[action]
}

/**
 * Returns functions that log a write with SQL statements of the engine, so that the write needs no transaction of
 * Lucid's; an empty list if nothing observes the model.
 *
 * @returns undefined if a transaction is needed: the caller has one, or an observer of the application expects one
 */
export function recordersOf(
  { model }: Resource,
  client: QueryClientContract,
  { actor = ambientActor() ?? ANONYMOUS, origin }: CallOptions
): readonly RecordByStatements[] | undefined {
  if (client.isTransaction) return undefined
  return watchedResourceOf(model) ? recordersByStatements(client, { actor, origin }) : []
}
