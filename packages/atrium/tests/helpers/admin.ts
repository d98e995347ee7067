/* Users, login form and cookies of the admin site. */
import { request as nodeRequest } from 'node:http'
import app from '@adonisjs/core/services/app'
import { passwordHash as hash } from '#admin/authentication/passwords/password_hash'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { AdminSite, AdminUser, type AdminViewOptions } from '#admin'
import { giveRoles } from '#tests/helpers/roles'
import type { ModelView } from '#admin/views/model_view'
import { referencesOf } from '#admin/relations/references'
import { registerModelRoutes } from '#admin/capabilities'
import { call, type HttpResponse } from '#tests/helpers/http'

export const PASSWORD = 'correct horse'

export function adminSite(): Promise<AdminSite> {
  return app.container.make(AdminSite)
}

/**
 * Adds a fixture's model to the site. Call it in the fixture's `mount`, before the server commits
 * its routes.
 */
export async function addView(model: LucidModel, options: AdminViewOptions = {}) {
  const site = await adminSite()
  const view = site.addModel(model, options)
  registerModelRoutes(site, view)
  return view
}

/**
 * Leaves only these models, those that they refer to, and the admin's own in the site: what a browser does with a
 * page grows with the models in its sidebar, of which the fixtures have more than any site.
 *
 * A form keeps its fields from the first time it is shown, and with them its references: without the models that
 * these refer to, forms would stay without them for the other files of the process.
 *
 * @returns a function that puts the others back
 */
export async function leaveModels(...names: string[]): Promise<() => void> {
  const site = await adminSite()
  const { models } = site
  const all = [...models]
  const left = new Set<ModelView>()
  const leave = (view?: ModelView) => {
    if (!view || left.has(view)) return
    left.add(view)
    for (const reference of referencesOf(site, view)) leave(reference.view)
  }
  for (const name of names) leave(models.get(name))
  for (const [name, view] of all) {
    if (!view.adminModel && !left.has(view)) models.delete(name)
  }
  return () => {
    models.clear()
    for (const [name, view] of all) models.set(name, view)
  }
}

/** Empties the tables of users, sessions, tokens and the throttle. */
export async function emptyAdminTables(): Promise<void> {
  const tables = [
    'admin_kept_forms',
    'admin_saved_views',
    'admin_sessions',
    'admin_token_blacklist',
    'admin_users',
  ]
  for (const table of [...tables, 'admin_rate_limits']) {
    await db.from(table).delete()
  }
}

/**
 * Compares passwords in plain text, as a real hash takes a tenth of a second. Create users
 * afterwards.
 *
 * @returns a function that restores the real hashes
 */
export async function fakeHashes(): Promise<() => void> {
  /* The cached hash for unknown users must not stay a fake one. */
  const site = await adminSite()
  await site.adminUserService.verify('nobody', PASSWORD)
  hash.fake()
  return () => hash.restore()
}

/**
 * @param options.roles  names of roles
 */
export async function makeUser(
  username: string,
  { isSuperuser = true, password = PASSWORD, roles = ['Everything'] } = {}
): Promise<AdminUser> {
  const user = await AdminUser.create({
    username,
    hashedPassword: await hash.make(password),
    isSuperuser,
  })
  await giveRoles(user, roles)
  return user
}

/** Cookies of a new session of the user, as a `Cookie` header. */
export async function cookiesOf(user: AdminUser): Promise<string> {
  const site = await adminSite()
  return await site.adminAuthentication.cookieHeader(user)
}

/** Sends the login form. */
export async function login(
  username: string,
  password: string = PASSWORD,
  { headers, ...fields }: { next?: string; headers?: Record<string, string> } = {}
): Promise<HttpResponse> {
  return await sendForm('/admin/login', { username, password, ...fields }, headers)
}

export async function sendForm(
  path: string,
  fields: Record<string, string> | string,
  headers: Record<string, string> = {}
): Promise<HttpResponse> {
  return await call('POST', path, {
    body: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

export interface ReceivedCookie {
  value: string
  /** In lower case, as in `path=/admin` */
  attributes: string[]
}

/** Cookies that a response sets; the last one of a name counts, as in a browser. */
export function receivedCookies({ headers }: HttpResponse): Record<string, ReceivedCookie> {
  const cookies: Record<string, ReceivedCookie> = {}
  for (const line of headers.getSetCookie()) {
    const [pair, ...attributes] = line.split('; ')
    const [name, value] = pair.split(/=(.*)/s)
    cookies[name] = { value, attributes: attributes.map((one) => one.toLowerCase()) }
  }
  return cookies
}

/** `Cookie` header that a browser sends after this response. */
export function cookiesFrom(response: HttpResponse): string {
  return Object.entries(receivedCookies(response))
    .map(([name, { value }]) => `${name}=${value}`)
    .join('; ')
}

/** One of the two cookies in a `Cookie` header. */
export function cookieIn(header: string, name: string): string {
  return header
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))!
    .slice(name.length + 1)
}

/** A request with exactly this path; `fetch` would resolve its dots and slashes. */
export function callRaw(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = ''
): Promise<{
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}> {
  return new Promise((resolve, reject) => {
    const { HOST: host, PORT: port } = process.env
    const length = body === '' ? undefined : { 'content-length': String(Buffer.byteLength(body)) }
    const request = nodeRequest({ host, port, method, path, headers: { ...headers, ...length } })
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, text })
      )
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** Cookies of a new session whose token was issued some time ago. */
export async function agedCookiesOf(user: AdminUser, { minutes }: { minutes: number }) {
  const now = Date.now
  Date.now = () => now() - minutes * 60_000
  try {
    return await cookiesOf(user)
  } finally {
    Date.now = now
  }
}

/** Makes the user's sessions older, or their last use. */
export async function ageSessions(
  user: AdminUser,
  column: 'created_at' | 'last_activity',
  time: { minutes: number }
): Promise<void> {
  const moment = DateTime.utc().minus(time).toFormat('yyyy-MM-dd HH:mm:ss')
  await db
    .from('admin_sessions')
    .where('user_id', user.id)
    .update({ [column]: moment })
}

/** Returns true if the cookies are accepted by the site. */
export async function isSignedIn(cookie: string): Promise<boolean> {
  const { status } = await call('GET', '/admin', { headers: { cookie } })
  return status === 200
}
