import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { ambientActor, ANONYMOUS } from '#base/actor'
import { dialectOf } from '#base/database/dialects'
import { hasForeignHook } from '#base/lucid/own_hooks'
import { hasOwnPrepare } from '#base/lucid/column_functions'
import { makesOwnRecords } from '#upstream/lucid_record_queries'
import { recordersByStatements, type RecordByStatements } from '../../events/observers.js'
import { watchedClassOf, watchedResourceOf } from '../../events/watched.js'
import { hasTriggers } from '../../lucid/direct_writes.js'
import { StatementRows } from '../../lucid/statement_rows.js'
import type { Resource } from '../../resource/resource.js'
import type { CallOptions, CreateOptions, UpdateOptions } from '../call_options.js'
import type { CrudContext } from '../crud_context.js'
import { writesFiles } from './check_files.js'
import { checksReferences } from './check_references.js'
import { omit, withoutKeys } from './omit.js'

/*
 * Every row is written on one of two paths, and this file alone decides on which:
 *
 * - The statement path (statement_path.ts): prepared statements write the row, its event and its audit row. No record
 *   of Lucid exists. It serves single writes, writes in a transaction of the caller, and many rows with one statement.
 * - The record path (create.ts, update.ts, delete.ts): Lucid saves an instance of the model in a transaction, with hooks,
 *   overridden methods, policies and grants.
 *
 * A write takes the statement path if nothing could tell its result from that of the record path. What depends on the
 * model, the class of its `LucidCrud` and the actor's grants is found out once, at the first write: hooks and overridden
 * methods have to be there by then, as triggers have. Requests and values are looked at each time. Deletions always take
 * the record path: what the database deletes and empties with a record is read and reported with it.
 */

type Row = Record<string, unknown>
type Action = 'create' | 'update' | 'delete'

/** Why the writes of a model take the record path, whatever the request */
const OF_THE_MODEL: ReadonlyArray<(context: CrudContext, action: 'create' | 'update') => boolean> =
  [
    /* A policy may be given the record, before the write and after it. */
    ({ resource }) => resource.policy !== undefined,
    /* Grants of roles differ from record to record and from field to field. */
    ({ resource }) => resource.projection !== undefined,
    /* A write can move a record out of its writer's scope, which is found out by reading it again. */
    ({ resource }) => resource.scope !== undefined,
    /* The record path says why the table cannot be written. */
    ({ resource }) => resource.readOnly !== null,
    /* Hooks and overridden methods are given the record, and may change it. */
    (context, action) => runsMethods(context, action),
    /* The hooks of a read may narrow or refuse which records there are to be updated. */
    ({ resource }, action) => action === 'update' && !resource.reader.returnsRowsDirectly,
    /* Getters, setters and the model's own `prepare`, `consume` and `serialize` convert values of a record. */
    ({ resource }) => resource.columns.all.some(({ needsHydration }) => needsHydration),
    ({ resource }) => {
      const columns = [...resource.model.$columnsDefinitions.values()]
      return columns.some((one) => one.hasSetter || hasOwnPrepare(one))
    },
    /* Methods in the place of Lucid's, such as `save()`, and values that new instances have */
    ({ resource }) => makesOwnRecords(resource.model),
    /* Writes of a subclass are reported as those of the class that has endpoints, by its hooks. */
    ({ resource }) => (watchedClassOf(resource.model) ?? resource.model) !== resource.model,
  ]

interface Known {
  /** True if application code runs with each write */
  runsMethods: Partial<Record<Action, boolean>>
  /** True if the model needs the record path */
  needsRecord: { create?: boolean; update?: boolean }
  /** True if an item cannot be made of a row, as it has computed properties or its own conversion */
  needsRecordForItem: boolean
}

/* A context belongs to one `LucidCrud`, and to the grants of its actor. */
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

/** True if a write of the model can take the statement path, by what does not depend on its values. */
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
  /* In debug mode Lucid reports each of its queries; MariaDB does not return written rows. */
  if (client.debug || !dialectOf(client).returnsWrittenRows) return false
  /* A trigger can change the row after the database has returned it. Read once per process, as columns are. */
  if (await hasTriggers(resource, client)) return false
  /* The writer may not see every record that the row can refer to, so that each is looked for. */
  return !(await checksReferences(resource, client, options))
}

/**
 * Decides on the path of a create.
 *
 * @param values     that the actor may write, by attribute name
 * @param needsItem  true if the item of the new row is wanted
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
  /* Records are attached to a record. */
  if (options.related) return null
  if (needsItem && knownOf(context).needsRecordForItem) return null
  if (!(await mayTakeStatements(context, 'create', client, options))) return null
  /* Null for expressions and JSON, which only knex and Lucid can write */
  const { resource } = context
  return new StatementRows(resource, client).rowOf(omit(values, resource.virtualFields))
}

/**
 * Decides on the path of an update.
 *
 * @param values  by attribute name
 * @returns the changes to write by a statement, by column name; null for the record path
 */
export async function changesByStatement(
  context: CrudContext,
  values: Row,
  client: QueryClientContract,
  { located, precondition, related, ...options }: UpdateOptions
): Promise<Row | null> {
  /* The caller has the record, or its precondition and attached records need it. */
  if (located || precondition || related) return null
  if (!(await mayTakeStatements(context, 'update', client, options))) return null
  const { resource } = context
  const written = withoutKeys(resource, omit(values, resource.virtualFields))
  /* Nothing is changed; the former file of a column decides which one can be set. */
  if (Object.keys(written).length === 0 || writesFiles(resource, written)) return null
  /* Null for values that Lucid compares with those of the record: dates, bytes and JSON */
  return new StatementRows(resource, client).changesOf(written)
}

/**
 * The times that each reverted row gets, by column name; null for the record path.
 */
export async function stampsByStatement(
  context: CrudContext,
  client: QueryClientContract,
  options: CallOptions
): Promise<Row | null> {
  const { overrides, resource } = context
  /* A revert can be a deletion for the application. */
  if (overrides('revert') || overrides('prepareDelete')) return null
  if (!(await mayTakeStatements(context, 'update', client, options))) return null
  return new StatementRows(resource, client).stampsOfUpdate()
}

/**
 * True if records can be read together before many of them are updated, on either path: nothing that runs with one update
 * can change the next record.
 */
export async function canReadTogether(
  context: CrudContext,
  client: QueryClientContract
): Promise<boolean> {
  if (context.overrides('update')) return false
  /* Servers lock the rows one after the other, in the order of the caller. */
  if (dialectOf(client).lockClause !== '') return false
  return !(await runsOwnCode(context, client, ['update']))
}

/** True if code of the application or triggers run with each write, and may change the records that are next. */
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
 * The functions that record a write on the statement path outside a transaction of Lucid's, so that the driver can commit
 * it alone.
 *
 * @returns undefined if it needs one: the caller has one, or an observer of the application is given one
 */
export function recordersOf(
  { model }: Resource,
  client: QueryClientContract,
  { actor = ambientActor() ?? ANONYMOUS, origin }: CallOptions
): readonly RecordByStatements[] | undefined {
  if (client.isTransaction) return undefined
  return watchedResourceOf(model) ? recordersByStatements(client, { actor, origin }) : []
}
