/*
 * The admin site as its users meet it: somebody who may sign in, the form they sign in with, and the
 * cookies they get for it.
 */
import { request as nodeRequest } from 'node:http'
import app from '@adonisjs/core/services/app'
import hash from '@adonisjs/core/services/hash'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { AdminSite, AdminUser, type AdminViewOptions } from '#admin'
import { registerModelRoutes } from '#admin/http/routes/model_routes'
import { call, type Answer } from '#tests/helpers/http'

export const PASSWORD = 'correct horse'

export function adminSite(): Promise<AdminSite> {
  return app.container.make(AdminSite)
}

/**
 * Puts a fixture's model into the site. To be called from the fixture's `mount`, before the server
 * commits its routes.
 */
export async function addView(model: LucidModel, options: AdminViewOptions = {}) {
  const site = await adminSite()
  const view = site.addModel(model, options)
  registerModelRoutes(site, view)
  return view
}

/**
 * Empties every table of the door, for a group's set-up.
 */
export async function emptyAdminTables(): Promise<void> {
  for (const table of ['admin_sessions', 'admin_token_blacklist', 'admin_users', 'rate_limits']) {
    await db.from(table).delete()
  }
}

/**
 * Has passwords compared as they are, as a real hash costs a tenth of a second; for tests that are
 * not about hashes. Users must be made afterwards.
 *
 * @returns what puts the real hashes back
 */
export async function fakeHashes(): Promise<() => void> {
  /* What is kept to compare with for unknown users must not be a fake one for ever. */
  const site = await adminSite()
  await site.adminUserService.verify('nobody', PASSWORD)
  hash.fake()
  return () => hash.restore()
}

export async function makeUser(
  username: string,
  { isSuperuser = true, password = PASSWORD } = {}
): Promise<AdminUser> {
  return await AdminUser.create({
    username,
    hashedPassword: await hash.make(password),
    isSuperuser,
  })
}

/**
 * Cookies of a new session of the user, as a `Cookie` header.
 */
export async function cookiesOf(user: AdminUser): Promise<string> {
  const site = await adminSite()
  return await site.adminAuthentication.cookieHeader(user)
}

/**
 * Sends the login form.
 */
export async function login(
  username: string,
  password: string = PASSWORD,
  { headers, ...fields }: { next?: string; headers?: Record<string, string> } = {}
): Promise<Answer> {
  return await sendForm('/admin/login', { username, password, ...fields }, headers)
}

export async function sendForm(
  path: string,
  fields: Record<string, string> | string,
  headers: Record<string, string> = {}
): Promise<Answer> {
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

/**
 * The cookies that an answer sets; the last one of a name counts, as it does for a browser.
 */
export function receivedCookies({ headers }: Answer): Record<string, ReceivedCookie> {
  const cookies: Record<string, ReceivedCookie> = {}
  for (const line of headers.getSetCookie()) {
    const [pair, ...attributes] = line.split('; ')
    const [name, value] = pair.split(/=(.*)/s)
    cookies[name] = { value, attributes: attributes.map((one) => one.toLowerCase()) }
  }
  return cookies
}

/**
 * What a browser sends back of an answer's cookies, as a `Cookie` header.
 */
export function cookiesFrom(answer: Answer): string {
  return Object.entries(receivedCookies(answer))
    .map(([name, { value }]) => `${name}=${value}`)
    .join('; ')
}

/**
 * One of the two cookies in a `Cookie` header.
 */
export function cookieIn(header: string, name: string): string {
  return header
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))!
    .slice(name.length + 1)
}

/**
 * A call whose path goes over the wire letter by letter; `fetch` would resolve its dots and slashes.
 */
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

/**
 * Cookies of a new session of the user whose token was issued some time ago.
 */
export async function agedCookiesOf(user: AdminUser, { minutes }: { minutes: number }) {
  const now = Date.now
  Date.now = () => now() - minutes * 60_000
  try {
    return await cookiesOf(user)
  } finally {
    Date.now = now
  }
}

/**
 * Makes the user's sessions look as if they had begun, or been used last, some time ago.
 */
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

/**
 * Whether cookies open the site.
 */
export async function isSignedIn(cookie: string): Promise<boolean> {
  const { status } = await call('GET', '/admin', { headers: { cookie } })
  return status === 200
}
