import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import { countIn } from '#base/values/numbers'
import type { Site } from '../views/site.js'
import { BulkFailure } from './errors.js'
import { returnPath } from '../http/site_paths.js'
import type { ModelView } from '../views/model_view.js'
import { idOfPath, MOST_IDS, readIds } from './bulk_ids.js'
import type { BulkTask } from './bulk_task.js'
import { redirect } from '../http/redirect.js'

/* Maximum number of submitted ids including duplicates. The pages submit a record at most a few times. */
const MOST_SENT = 5 * MOST_IDS

/* Maximum length of the confirmation page's URL; proxies can reject longer ones. */
const LONGEST_ADDRESS = 4000

/** Selection and task as submitted by a form. */
export interface BulkForm {
  /** Key paths of the selected records, which are the values of the list's checkboxes */
  ids: string[]
  /** Fields that select all records of the list instead of ids; null: the checkbox is not checked */
  all: Record<string, unknown> | null
  action: unknown
  isConfirmed: boolean
  /** URL to redirect to afterwards */
  next: string
  /** URL of the page with the form, which a failure or *Cancel* redirects to. Default: `next` */
  from: string
}

/**
 * Reads the selection and the task from the fields of a form.
 *
 * @param body  fields of the form; a field that was sent several times is an array
 */
export async function bulkFormOf(
  ctx: HttpContext,
  site: Site,
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

/** Reads the form from the query of the confirmation page's URL. */
export async function bulkFormInQuery(
  ctx: HttpContext,
  site: Site,
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
 * Returns the keys of the selected records.
 *
 * @throws BulkFailure 400  if no records are selected
 * @throws BulkFailure 422  for invalid ids, or too many
 */
export function keysIn({ ids }: BulkForm, { resource }: ModelView, task: BulkTask): KeyValue[] {
  if (ids.length === 0) throw new BulkFailure(400, `${task.noneSelected}Form`)
  if (ids.length > MOST_SENT) {
    throw new BulkFailure(422, 'bulk.tooMany', { most: MOST_IDS, count: ids.length })
  }
  return readIds(resource.key, ids.map(idOfPath))
}

/**
 * Returns true for a form submission whose response the browser shows, unlike the requests of API clients and scripts.
 */
export function isNavigation({ request }: HttpContext): boolean {
  return request.method() === 'POST' && request.header('sec-fetch-mode') === 'navigate'
}

/**
 * Redirects a browser to the URL of the confirmation page. Without the redirect, the browser could not show the page
 * again when the user goes back after the task is done.
 *
 * @returns false if the URL would be too long
 */
export function redirectToConfirmation(
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
  site: Site,
  view: ModelView,
  wanted: unknown
): Promise<string> {
  const list = (await view.isVisibleTo(ctx)) ? view.url('/') : site.url('/')
  return returnPath(site, wanted) ?? list
}

/**
 * Returns the fields that select all matching records, instead of the selected ones; null if the checkbox is not
 * checked.
 */
function allOf({ all, query, count }: Record<string, unknown>): Record<string, unknown> | null {
  if (all !== '1') return null
  return { all: true, query, count: countIn(String(count)) }
}
