import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { AdminSite } from '../admin_site.js'
import { BulkFailure } from './errors.js'
import { returnPath } from '../http/site_paths.js'
import type { ModelView } from '../views/model_view.js'
import { idOfPath, MOST_IDS, readIds } from './bulk_ids.js'
import type { BulkTask } from './bulk_task.js'
import { redirect } from '../http/redirect.js'

/* Maximum number of submitted ids including duplicates; no list submits a record five times. */
const MOST_SENT = 5 * MOST_IDS

/* Longer addresses of the confirmation page might not pass a proxy. */
const LONGEST_ADDRESS = 4000

/**
 * A selection as forms send it, and what is to be done with it.
 */
export interface BulkForm {
  /** Paths of the selected records, as in the values of the list's checkboxes */
  ids: string[]
  /** Fields that select all records of the list instead of ids; null: the box is not checked [L8] */
  all: Record<string, unknown> | null
  action: unknown
  isConfirmed: boolean
  /** URL to redirect to afterwards */
  next: string
  /** URL of the page that asked, which a failure or *Cancel* leads back to; as `next` if the form has none */
  from: string
}

/**
 * @param body  the fields of a form; one that was sent several times is a list
 */
export async function bulkFormOf(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  body: Record<string, unknown>
): Promise<BulkForm> {
  const { ids, action, next, from, confirmed } = body
  const onward = await nextOf(ctx, site, view, next)
  return {
    ids: [ids ?? []].flat() as string[],
    all: allOf(body),
    action,
    isConfirmed: confirmed === '1',
    next: onward,
    from: returnPath(site, from) ?? onward,
  }
}

/**
 * The form of a confirmation page's own address.
 */
export async function bulkFormInQuery(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView
): Promise<BulkForm> {
  const query = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
  const next = await nextOf(ctx, site, view, query.get('next'))
  return {
    ids: query.getAll('ids'),
    all: allOf(Object.fromEntries(query)),
    action: query.get('action') ?? undefined,
    isConfirmed: false,
    next,
    from: returnPath(site, query.get('from')) ?? next,
  }
}

/**
 * @throws BulkFailure 400  when no records are selected
 * @throws BulkFailure 422
 */
export function keysIn({ ids }: BulkForm, { resource }: ModelView, task: BulkTask): KeyValue[] {
  if (ids.length === 0) throw new BulkFailure(400, `${task.noneSelected}Form`)
  if (ids.length > MOST_SENT) {
    throw new BulkFailure(422, 'bulk.tooMany', { most: MOST_IDS, count: ids.length })
  }
  return readIds(resource.key, ids.map(idOfPath))
}

/** A form that a browser sends to show its response, which programs and scripts do not. */
export function isNavigation({ request }: HttpContext): boolean {
  return request.method() === 'POST' && request.header('sec-fetch-mode') === 'navigate'
}

/**
 * Sends a browser on to the confirmation page's own address. It could not show the response to a form
 * again, when the user goes back after the task is done.
 *
 * @returns false if the address would be too long
 */
export function sendOn(
  view: ModelView,
  task: BulkTask,
  { all, ids, next, from }: BulkForm,
  ctx: HttpContext
): boolean {
  const query = new URLSearchParams([
    ...(all
      ? Object.entries({ ...all, all: '1' }).map(([name, value]) => [name, String(value)])
      : ids.map((id) => ['ids', id])),
    ['action', task.value],
    ['next', next],
    ...(from === next ? [] : [['from', from]]),
  ] as Array<[string, string]>)
  const address = `${view.url(task.path)}?${query}`
  if (address.length > LONGEST_ADDRESS) return false
  redirect(ctx, address)
  return true
}

async function nextOf(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  wanted: unknown
): Promise<string> {
  const list = (await view.isVisibleTo(ctx)) ? view.url('/') : site.url('/')
  return returnPath(site, wanted) ?? list
}

/** The box *all matching* counts whatever else is selected. */
function allOf({ all, query, count }: Record<string, unknown>): Record<string, unknown> | null {
  if (all !== '1') return null
  return { all: true, query, count: /^\d{1,15}$/.test(String(count)) ? Number(count) : null }
}
