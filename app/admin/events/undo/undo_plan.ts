import type { HttpContext } from '@adonisjs/core/http'
import { resources } from '#crud'
import {
  isExcludedFromInclude,
  isReadable,
  operationOf,
  requestsFirst,
  type GrantedOperation,
} from '#crud/internals'
import type { AdminSite } from '../../admin_site.js'
import { adminActor } from '../../authentication/admin_actor.js'
import { NotAllowed, UndoRefused } from '../../errors.js'
import AdminAuditLog from '../../models/admin_audit_log.js'
import type AdminEventLog from '../../models/admin_event_log.js'
import { may, type Offer } from '../../permissions/may.js'
import { readKey } from '../pages/record_places.js'
import type { UndoStep, UndoTarget } from './undo_step.js'
import { refuseLostFiles } from './undone_files.js'

const ROWS_AT_ONCE = 500

const OFFERS: Partial<Record<GrantedOperation, Offer>> = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  db_delete: 'purge',
  restore: 'restore',
}

/**
 * The steps that take an event back, as far as the log and the permissions of the signed-in user tell; the
 * records are looked at when it is done. [R7]
 *
 * @throws UndoRefused
 * @throws NotAllowed
 */
export async function planUndo(
  site: AdminSite,
  ctx: HttpContext,
  event: AdminEventLog
): Promise<UndoStep[]> {
  const targets = new Map<string, UndoTarget>()
  const steps: UndoStep[] = []
  for await (const rows of auditRows(site, event)) {
    if (event.status !== 'success') break
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
  return steps
}

/** The audit rows of an event in their order, some at once: rows of Lucid take several times as much as their steps. */
async function* auditRows(site: AdminSite, { id }: AdminEventLog): AsyncGenerator<AdminAuditLog[]> {
  let last = 0
  for (;;) {
    const rows = await AdminAuditLog.query({ client: site.dbConfig.adminSession() })
      .select('id', 'resourceType', 'resourceId', 'reversal')
      .where('eventId', id)
      .where('id', '>', last)
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
    if (rows.length > 0) yield rows
    if (rows.length < ROWS_AT_ONCE) return
    last = rows.at(-1)!.id
    await requestsFirst()
  }
}

async function targetOf(site: AdminSite, ctx: HttpContext, name: string): Promise<UndoTarget> {
  const base = site.models.get(name)
  if (base) {
    /* An undo must not give back rights that were taken from an account. */
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

function stepOf(row: AdminAuditLog, target: UndoTarget): UndoStep {
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

async function authorize(ctx: HttpContext, steps: readonly UndoStep[]): Promise<void> {
  const asked = new Set<string>()
  for (const { operation, target } of steps) {
    const id = `${target.name} ${operation}`
    if (asked.has(id)) continue
    asked.add(id)
    const { resource, view } = target
    const isAllowed = view ? await may(ctx, view, OFFERS[operation]!) : resource.permits(operation)
    if (!isAllowed) throw new NotAllowed()
  }
}
