import type { HttpContext } from '@adonisjs/core/http'
import {
  formWithListQuery,
  listQueryIn,
  withListQuery,
  parentNameIn,
  withParentName,
} from './list_query.js'
import type { ViewSite } from '../views/model_view.js'
import { personal } from '../permissions/may.js'

/* Routes of form submissions, with the pages that contain the forms. */
const PAGES = new Map([
  ['form_create', 'create_page'],
  ['form_update', 'update'],
  ['issue_token', 'update'],
  ['reset_factors', 'update'],
])

/**
 * Returns the URL of the page that the response shows, to return to after the login, because the URL of a form's POST
 * cannot be opened.
 */
export async function pageAddress(
  site: ViewSite & { mountPath: string },
  ctx: HttpContext
): Promise<string> {
  const sent = sentAddress(site, ctx)
  if (sent !== undefined) return sent
  const path = ctx.request.parsedUrl.pathname ?? '/'
  const [, name, form, ...key] = path.slice(site.mountPath.length).split('/')
  const named = site.models.get(name)
  const view = named && (await personal(ctx, named))
  const page = PAGES.get(form)
  if (view && page && (page === 'create_page' || key.length > 0)) {
    const place = withListQuery(view.url(`/${[page, ...key].join('/')}`), listQueryIn(ctx))
    return withParentName(place, parentNameIn(ctx))
  }
  return (await view?.isVisibleTo(ctx)) ? view!.url('/') : site.url('/')
}

/**
 * Returns the URL of the page for requests without a login: for form submissions that of the dashboard, because the URL
 * of a form's page would reveal that the model exists.
 */
export function publicAddress(site: ViewSite, ctx: HttpContext): string {
  return sentAddress(site, ctx) ?? site.url('/')
}

/** Returns the URL of the request if it can be opened. */
function sentAddress(site: ViewSite, ctx: HttpContext): string | undefined {
  const { request } = ctx
  const isLogin = request.parsedUrl.pathname === site.url('/login')
  if (!isLogin && !['GET', 'HEAD'].includes(request.method())) return undefined
  return formWithListQuery(ctx, request.request.url ?? '/')
}
