import type { HttpContext } from '@adonisjs/core/http'
import { resources, type GrantedOperation, type LucidCrud, type Resource } from '#crud'
import {
  isExcludedFromInclude,
  operationOf,
  checkReverted,
  type Reversal,
  recordsChangedSince,
} from '#crud/internals'
import { isReadable, fromStored } from '#base/values/stored_json'
import { mergedPivots } from '#base/database/pivot_change'
import { requestsFirst } from '#base/event_loop'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'
import { adminActor } from '../identity/admin_actor.js'
import { NotAllowed } from '../http/errors.js'
import AdminAuditLog from '../models/admin_audit_log.js'
import type AdminEventLog from '../models/admin_event_log.js'
import { may, type Offer } from '../permissions/may.js'
import { readKey } from '../views/record_items.js'
import { ROWS_PER_READ } from '#base/chunks'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { fileKeysIn } from '#base/values/file_keys'
import { fileColumnsOf } from '../forms/files/file_fields.js'
import { hasFile } from '../forms/files/file_store.js'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../views/model_view.js'
import { Exception } from '@adonisjs/core/exceptions'

const OFFERS: Partial<Record<GrantedOperation, Offer>> = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  db_delete: 'purge',
  restore: 'restore',
}

/**
 * Returns the steps that undo an event, checked against the log and the permissions of the signed-in user. The
 * records are only checked when the undo runs.
 *
 * @throws UndoRefused
 * @throws NotAllowed
 */
export async function planUndo(
  site: Site & WithDatabase,
  ctx: HttpContext,
  event: AdminEventLog
): Promise<UndoStep[]> {
  const { steps } = await planStart(site, ctx, event, Infinity)
  return steps
}

/* Maximum number of an event's records that a page checks */
export const MOST_ON_PAGE = 1000

/**
 * Like `planUndo`, for the first records of an event only. For a large event this decides whether a page offers the
 * undo; the job that undoes the event checks all records.
 *
 * @throws UndoRefused
 * @throws NotAllowed
 */
export async function planStart(
  site: Site & WithDatabase,
  ctx: HttpContext,
  event: AdminEventLog,
  most = MOST_ON_PAGE
): Promise<{ steps: UndoStep[]; isWhole: boolean }> {
  const targets = new Map<string, UndoTarget>()
  const steps: UndoStep[] = []
  for await (const rows of auditRows(site, event)) {
    if (event.status !== 'success' || steps.length > most) break
    for (const { resourceType } of rows) {
      if (!targets.has(resourceType)) {
        targets.set(resourceType, await targetOf(site, ctx, resourceType))
      }
    }
    for (const row of rows) steps.push(stepOf(row, targets.get(row.resourceType)!))
  }
  if (steps.length === 0) throw new UndoRefused('nothing')
  await authorize(ctx, steps)
  for (const target of targets.values()) await refuseLostFiles(target, steps)
  return { steps: mergedSteps(steps), isWhole: steps.length <= most }
}

/**
 * Like `planUndo`, but yields groups of steps, the last record first, for an event with too many steps to hold in
 * memory.
 *
 * @throws UndoRefused
 * @throws NotAllowed
 */
export async function* stepsOf(
  site: Site & WithDatabase,
  ctx: HttpContext,
  event: AdminEventLog
): AsyncGenerator<UndoStep[]> {
  const targets = new Map<string, UndoTarget>()
  for await (const rows of auditRows(site, event, 'desc')) {
    if (event.status !== 'success') return
    const steps: UndoStep[] = []
    for (const row of rows) {
      const name = row.resourceType
      const target = targets.get(name) ?? (await targetOf(site, ctx, name))
      targets.set(name, target)
      steps.push(stepOf(row, target))
    }
    await authorize(ctx, steps)
    for (const target of targets.values()) await refuseLostFiles(target, steps)
    yield steps
  }
}

/**
 * Yields the audit rows of an event in groups, one query per group, as Lucid rows take several times the memory of
 * the steps.
 */
async function* auditRows(
  site: WithDatabase,
  { id }: AdminEventLog,
  direction: 'asc' | 'desc' = 'asc'
): AsyncGenerator<AdminAuditLog[]> {
  const after = direction === 'asc' ? '>' : '<'
  let last = direction === 'asc' ? 0 : Number.MAX_SAFE_INTEGER
  for (;;) {
    const rows = await AdminAuditLog.query({ client: site.dbConfig.readingSession() })
      .select('id', 'resourceType', 'resourceId', 'reversal')
      .where('eventId', id)
      .where('id', after, last)
      .orderBy('id', direction)
      .limit(ROWS_PER_READ)
    if (rows.length > 0) yield rows
    if (rows.length < ROWS_PER_READ) return
    last = rows.at(-1)!.id
    await requestsFirst()
  }
}

/**
 * Returns a model of an event with the permissions of the signed-in user.
 *
 * @throws UndoRefused
 * @throws NotAllowed
 */
export async function targetOf(site: Site, ctx: HttpContext, name: string): Promise<UndoTarget> {
  const base = site.models.get(name)
  if (base) {
    /* An undo must not restore permissions that were removed from an account. */
    if (base.adminModel) throw new UndoRefused('accounts')
    const view = base.admits(ctx) ? await base.for(ctx) : null
    if (!view || view.isWithheld) throw new NotAllowed()
    await view.resource.load()
    return { name, resource: view.resource, crud: view.crud, view }
  }
  const endpoints = resources.endpoints().find(({ resource }) => resource.name === name)
  if (!endpoints) throw new UndoRefused('modelGone', { model: name })
  if (isExcludedFromInclude(endpoints.resource.model)) throw new UndoRefused('accounts')
  const resource = await endpoints.resource.for(adminActor(ctx))
  await resource.load()
  return { name, resource, crud: endpoints.crud, view: null }
}

/**
 * Returns a model of an event for writes by the site itself, which need no permissions.
 *
 * @throws UndoRefused
 */
export async function unrestrictedTarget(site: Site, name: string): Promise<UndoTarget> {
  const view = site.models.get(name)?.base
  const endpoints = resources.endpoints().find(({ resource }) => resource.name === name)
  const found = view ?? endpoints
  if (!found) throw new UndoRefused('modelGone', { model: name })
  await found.resource.load()
  return { name, resource: found.resource, crud: found.crud, view: view ?? null }
}

/** @throws UndoRefused  if the log does not contain what is needed to restore the record */
export function stepOf(row: AdminAuditLog, target: UndoTarget): UndoStep {
  const { resourceType, resourceId, reversal } = row
  if (!reversal || reversal.lack === 'unknown') throw new UndoRefused('unknown')
  if (reversal.lack) throw new UndoRefused(reversal.lack)
  const [key] = readKey(target, resourceId) ?? []
  if (!key) throw new UndoRefused('unknown')
  const names = new Set(target.resource.columns.all.map((column) => column.name))
  if (Object.keys(reversal.before ?? {}).some((name) => !names.has(name))) {
    throw new UndoRefused('columnsGone')
  }
  if (!Object.values(reversal.before ?? {}).every(isReadable)) throw new UndoRefused('unknown')
  const operation = operationOf(target.resource, reversal)
  return { resourceType, resourceId, key, reversal, operation, target }
}

/** Returns one step per record. A record that several transactions of the event have written has several rows. */
function mergedSteps(steps: readonly UndoStep[]): UndoStep[] {
  const merged = new Map<string, UndoStep>()
  for (const step of steps) {
    const id = `${step.resourceType}/${step.resourceId}`
    const earlier = merged.get(id)
    merged.set(id, earlier ? mergedStep(earlier, step) : step)
  }
  /* Without records that the same event created and deleted */
  return [...merged.values()].filter(
    ({ reversal: { before, left, pivots } }) => before !== null || left !== null || pivots
  )
}

function mergedStep(earlier: UndoStep, later: UndoStep): UndoStep {
  const { before } = earlier.reversal
  const { left, ...last } = later.reversal
  const pivots = mergedPivots([earlier, later].flatMap(({ reversal }) => reversal.pivots ?? []))
  const reversal = {
    before: before && { ...last.before, ...before },
    left,
    ...(pivots.length > 0 && { pivots }),
  }
  return { ...later, reversal, operation: operationOf(later.target.resource, reversal) }
}

/** @throws NotAllowed  if the signed-in user is not allowed to perform one of the steps */
export async function authorize(ctx: HttpContext, steps: readonly UndoStep[]): Promise<void> {
  const requested = new Set<string>()
  for (const { operation, target } of steps) {
    const id = `${target.name} ${operation}`
    if (requested.has(id)) continue
    requested.add(id)
    const { resource, view } = target
    const isAllowed = view ? await may(ctx, view, OFFERS[operation]!) : resource.permits(operation)
    if (!isAllowed) throw new NotAllowed()
  }
}

/**
 * Checks that the files of all restored records still exist.
 *
 * @throws UndoRefused  if an undo would restore the name of a file that no longer exists
 */
async function refuseLostFiles(
  { name, view }: UndoTarget,
  steps: readonly UndoStep[]
): Promise<void> {
  const columns = view ? fileColumnsOf(view.base) : []
  if (!view || columns.length === 0) return
  for (const { reversal, resourceType } of steps) {
    if (resourceType !== name) continue
    for (const column of columns) {
      const files = fileKeysIn(column, fromStored(reversal.before?.[column.name])) ?? []
      for (const file of files) if (!(await hasFile(view, file))) throw new UndoRefused('files')
    }
  }
}

/** Returns the client of the database that contains all records of the event. */
export function clientOf([{ target }]: readonly UndoStep[]): QueryClientContract {
  return target.view?.client() ?? target.resource.client()
}

/* Maximum number of records whose references are checked before an undo is offered; the undo itself checks all. */
const MOST_REFERRING = 50

/**
 * Checks that no restored record refers to a record that the viewer can't see, as the undo would be refused.
 *
 * @throws Problem 409
 */
export async function checkReferencesOf(
  ctx: HttpContext,
  steps: readonly UndoStep[]
): Promise<void> {
  for (const { operation, reversal, target } of steps.slice(0, MOST_REFERRING)) {
    if (operation === 'db_delete') continue
    const { resource, view } = target
    const options = view?.callOptions(ctx) ?? { actor: adminActor(ctx) }
    await checkReverted(resource, reversal, clientOf(steps), options)
  }
}

/** The undo of an event for one record. */
export interface UndoStep {
  resourceType: string
  /** Key in the format of URL paths, without the leading slash */
  resourceId: string
  key: KeyValue
  reversal: Reversal
  operation: GrantedOperation
  target: UndoTarget
}

/** A model whose records are written, with the permissions of the signed-in user. */
export interface UndoTarget {
  name: string
  resource: Resource
  crud: LucidCrud
  /** Null for a model without pages */
  view: ModelView | null
}

/** Returns the steps whose records have changed since the event. In a transaction the records are locked. */
export async function changedSteps(
  steps: readonly UndoStep[],
  client: QueryClientContract
): Promise<UndoStep[]> {
  const changed: UndoStep[] = []
  for (const [{ resource }, some] of Map.groupBy(steps, ({ target }) => target)) {
    changed.push(...(await recordsChangedSince(resource, some, client)))
  }
  return changed
}

/** Returns the refusal of an undo whose records have changed, with these records. */
export function changedRefusal(steps: readonly UndoStep[]): UndoRefused {
  const records = steps.map(({ resourceId: id, resourceType: model, target }) => {
    return { model, id, label: target.view?.singular ?? model }
  })
  return new UndoRefused('changed', {}, records)
}

/** An event can't be undone. */
export class UndoRefused extends Exception {
  static status = 409
  static code = 'E_UNDO_REFUSED'
  static message = 'This can no longer be undone'

  /**
   * @param reason   catalogue key below `undo.refused`
   * @param data     data of the message
   * @param records  conflicting records, with keys in the format of URL paths
   */
  constructor(
    readonly reason: string,
    readonly data: Record<string, unknown> = {},
    readonly records: ReadonlyArray<{ model: string; id: string; label: string }> = []
  ) {
    super()
  }
}
