import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { Problem } from '#crud'
import type { KeyValue } from '#base/columns/key'
import type { AdminSite } from '../admin_site.js'
import { PageNotFound } from '../errors.js'
import type { ModelView } from '../model_view.js'

export interface FoundRecord {
  key: KeyValue
  record: LucidRow
}

/**
 * The record of a request's path, as far as the user may see it.
 *
 * @returns null if there is none; an id that is not valid for the key's type is not found [B21]
 */
export async function findRecord(ctx: HttpContext, view: ModelView): Promise<FoundRecord | null> {
  let key: KeyValue
  try {
    key = view.resource.key.fromParams(ctx.params)
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
  const record = await view.crud.find(key, view.callOptions(ctx))
  return record && { key, record }
}

/**
 * Responds with 404 with a message. [S41]
 *
 * @throws PageNotFound  for a browser that opens a page
 */
export function recordNotFound(
  { params, request, response }: HttpContext,
  site: AdminSite,
  view: ModelView
): { message: string } {
  const id = view.resource.key.params.map((name) => params[name]).join(', ')
  const message = site.text('form.notFound', { id })
  const isPage = request.header('hx-request') === undefined
  if (isPage && request.header('accept')?.includes('text/html')) {
    throw Object.assign(new PageNotFound(), { list: { label: view.label, url: view.url('/') } })
  }
  response.status(404)
  return { message }
}
