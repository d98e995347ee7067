import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'

/* What a form is sent to, and the page with that form. */
const PAGES = new Map([
  ['form_create', 'create_page'],
  ['form_update', 'update'],
  ['issue_token', 'update'],
])

/**
 * Where the page is that a request is answered with, for coming back to it: a form's own address is
 * none that can be opened.
 */
export async function pageAddress(site: AdminSite, ctx: HttpContext): Promise<string> {
  const { request } = ctx
  const address = request.request.url ?? '/'
  const path = request.parsedUrl.pathname ?? '/'
  if (['GET', 'HEAD'].includes(request.method()) || path === site.url('/login')) return address

  const [, name, form, ...key] = path.slice(site.mountPath.length).split('/')
  const view = site.models.get(name)
  const page = PAGES.get(form)
  if (view && page && (page === 'create_page' || key.length > 0)) {
    return view.url(`/${[page, ...key].join('/')}`)
  }
  return (await view?.isVisibleTo(ctx)) ? view!.url('/') : site.url('/')
}
