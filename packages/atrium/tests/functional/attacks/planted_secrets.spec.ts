/*
 * A site in production whose users have everything that is secret: every page, response, download, log line and row
 * of the event log is looked through for it.
 */
import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import type { Secret } from '@adonisjs/core/helpers'
import type { AdminUser } from '#admin'
import { makeInvitation } from '#admin/authentication/invitations/invitation_controller'
import AdminFactor from '#admin/models/admin_factor'
import { passkeyIn } from '#admin/authentication/passkeys/relying_party'
import {
  adminSite,
  cookiesFrom,
  emptyAdminTables,
  fakeHashes,
  leaveModels,
  login,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { captureLog } from '#tests/helpers/captured_log'
import { giveFactor } from '#tests/helpers/factors'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { CLIENT_SECRET, useSso } from '#tests/helpers/oidc_provider'
import { givePasskey } from '#tests/helpers/passkeys'
import { pretendProduction } from '#tests/helpers/production'
import { issueToken } from '#tests/helpers/tokens'

const PASSWORD = 'a planted password'
const HASH = '$scrypt$n=16,r=8,p=1$planted0123456789$plantedhash0123456789'
const ID_TOKEN = 'planted.sealed.id-token'

const STARTS = [
  ...['/admin', '/admin/account', '/admin/keys', '/admin/search?q=jo', '/admin/login'],
  ...['/admin/login/second', '/admin/reauthenticate', '/admin/management/events'],
  ...['/admin/management/jobs', '/admin/management/health', '/admin/account/factors/totp'],
  ...['/admin/account/factors/passkeys', '/admin/account/factors/recovery-codes'],
  ...['AdminUser', 'AdminSession', 'AdminAccessToken', 'AdminTokenBlacklist', 'AdminRole'].map(
    (name) => `/admin/${name}/`
  ),
]

/** Lists for paper, and their lists */
const PRINT = /^(\/admin\/\w+\/)print(\?|$)/

/** Pages with one form and nothing next to it */
const STEPS = /\/account\/factors\/(?:totp|passkeys|\d+\/name)/

const FORMATS = ['csv', 'json', 'ndjson']

/** One page of each shape is enough. */
const shapeOf = (path: string) => path.replace(/\d+/g, '#').replace(/=[^&]*/g, '')

/** File paths and stack traces */
const INSIDE = /node_modules|file:\/\/|\n\s+at /

test.group('Attacks | planted secrets in production', (group) => {
  let root: AdminUser
  let cookie: string
  let restore: Array<() => void>

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    restore = [await leaveModels('Patron')]
    root = await makeUser('root', { password: PASSWORD })
    cookie = cookiesFrom(await login('root', PASSWORD))
    return async () => {
      restore.forEach((back) => back())
      await emptyAdminTables()
      await emptyEventTables()
    }
  })

  /** @returns all secret values, by their kind */
  async function plant(): Promise<Map<string, string>> {
    const site = await adminSite()
    const secrets = new Map<string, string>()
    const jo = await makeUser('jo', { isSuperuser: false })
    const passkey = await givePasskey(cookie, 'Key of root')
    cookie = cookiesFrom(
      await sendForm('/admin/reauthenticate', { password: PASSWORD }, { cookie })
    )
    await useSecretSso()
    await site.sso!.identities.link(root.id, { issuer: 'https://login.test', subject: 'kim' })
    for (const [index, user] of [root, jo].entries()) {
      const factor = await giveFactor(user)
      secrets.set(`app of ${user.username}`, factor.secret)
      factor.recoveryCodes.forEach((code, n) => secrets.set(`code ${index}.${n}`, code))
      const { token } = await issueToken(user)
      secrets.set(`token of ${user.username}`, token)
      secrets.set(`end of the token of ${user.username}`, token.split('.')[1])
    }
    for (const factor of await AdminFactor.all()) {
      secrets.set(`sealed factor ${factor.id}`, factor.secret)
      if (factor.credentialHash) secrets.set(`passkey ${factor.id}`, factor.credentialHash)
      const details = passkeyIn(factor)
      if (!details) continue
      secrets.set('id of the passkey', passkey.id)
      secrets.set('key of the passkey', details.publicKey)
      secrets.set('handle of the passkey', details.handle)
    }
    const { url } = await makeInvitation(site, jo)
    secrets.set('link', url.split('/').at(-1)!)
    /* Both sessions began with the same one: it is the row that counts. */
    await db.from('admin_users').update({ hashed_password: HASH })
    cookie = await site.adminAuthentication.cookieHeader(await root.refresh())
    const elsewhere = await site.adminAuthentication.cookieHeader(await jo.refresh())
    for (const pair of `${cookie}; ${elsewhere}`.split('; ')) {
      secrets.set(`cookie ${secrets.size}`, pair.split(/=(.*)/s)[1])
    }
    const [session] = await db.from('admin_sessions').where('user_id', jo.id)
    const metadata = { ...JSON.parse(session.session_metadata), sso: { idToken: ID_TOKEN } }
    await db
      .from('admin_sessions')
      .where('id', session.id)
      .update({ session_metadata: JSON.stringify(metadata) })
    for (const [table, column] of [
      ['admin_sessions', 'session_id'],
      ['admin_recovery_codes', 'hash'],
      ['admin_invitations', 'hash'],
      ['admin_devices', 'hash'],
      ['admin_access_tokens', 'hash'],
    ]) {
      const rows = await db.from(table)
      rows.forEach((row, index) => secrets.set(`${table} ${index}`, row[column]))
    }
    secrets.set('password', PASSWORD).set('hash', HASH).set('id token', ID_TOKEN)
    secrets.set('client secret', CLIENT_SECRET)
    secrets.set('APP_KEY', app.config.get<Secret<string>>('admin.appKey').release())
    for (const [name, value] of secrets) {
      if (!value || value.length < 8) throw new Error(`${name} is no secret: ${value}`)
    }
    return secrets
  }

  async function useSecretSso() {
    restore.push(await useSso({ issuer: 'https://login.test' }))
  }

  test('[U8, U12, E4] no page, response, download, log line or event contains a secret', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    const secrets = await plant()
    assert.isAbove(secrets.size, 40)
    restore.push(pretendProduction())
    const own = { headers: { cookie } }

    const check = (path: string, { text, headers }: Pick<HttpResponse, 'text' | 'headers'>) => {
      const all = `${text}\n${JSON.stringify([...headers])}`
      const plain = all.replaceAll('&#x2F;', '/').replaceAll('&#x3D;', '=')
      for (const [name, value] of secrets) {
        assert.isFalse(all.includes(value) || plain.includes(value), `${path} tells: ${name}`)
      }
    }

    const waiting = [...STARTS, `/admin/AdminUser/view/${root.id}`]
    const seen = new Set<string>()
    while (waiting.length > 0) {
      const path = waiting.shift()!
      if (seen.has(shapeOf(path))) continue
      seen.add(shapeOf(path))
      const response = await get(path, own)
      assert.isBelow(response.status, 500, path)
      check(path, response)
      /* Whole pages of people who are signed in lead to the logout, or back to the account or the list. */
      const isWhole = /<!doctype html>/i.test(response.text)
      const list = PRINT.exec(path)?.[1]
      const wayOut = STEPS.test(path) ? '/admin/account' : (list ?? '/admin/logout')
      if (isWhole) assert.include(response.text, `href="${wayOut}`, path)
      waiting.push(...linksOf(response.text))
    }
    for (const shape of [
      '/admin/AdminUser/update/#',
      '/admin/AdminUser/history/#',
      '/admin/AdminUser/view/#',
      '/admin/AdminUser/export/dialog',
      '/admin/management/events/#',
      '/admin/account/factors/#/remove',
    ]) {
      assert.isTrue(seen.has(shape), `${shape} was seen`)
    }

    const json = { ...own.headers, accept: 'application/json' }
    for (const name of ['AdminUser', 'AdminSession', 'AdminAccessToken', 'AdminTokenBlacklist']) {
      for (const path of [`/admin/${name}/crud`, `/admin/${name}/crud/${root.id}`]) {
        check(path, await get(path, { headers: json }))
      }
      for (const format of FORMATS) {
        const path = `/admin/${name}/export?format=${format}`
        check(path, await get(path, own))
      }
    }
    const page = await get('/admin/search?q=r', {
      headers: { ...own.headers, 'hx-request': 'true' },
    })
    assert.include(page.text, 'root')
    check('palette', page)

    const form = { username: 'root', password: PASSWORD, email: 'nobody' }
    for (const [path, response] of [
      ['taken name', await sendForm('/admin/AdminUser/form_create', form, own.headers)],
      ['wrong login', await login('root', PASSWORD)],
      ['wrong proof', await sendForm('/admin/account/password', form, own.headers)],
      ['not found', await get('/admin/AdminUser/update/0', own)],
      ['no page', await get('/admin/nothing', { headers: json })],
      ['wrong method', await call('PUT', '/admin/account', own)],
      ['no link', await get(`/admin/invitation/${'x'.repeat(43)}`)],
      ['no response of a provider', await get('/admin/login/sso/callback?code=x&state=y')],
    ] as Array<[string, HttpResponse]>) {
      check(path, response)
      assert.notMatch(response.text, INSIDE, path)
    }

    await db.rawQuery('alter table admin_notices rename to admin_notices_away')
    try {
      for (const accept of ['text/html', 'application/json']) {
        const broken = await get('/admin/account', { headers: { ...own.headers, accept } })
        assert.equal(broken.status, 500)
        check('a failure', broken)
        assert.notMatch(broken.text, INSIDE)
      }
    } finally {
      await db.rawQuery('alter table admin_notices_away rename to admin_notices')
    }

    const { events } = await adminSite()
    await events.settle()
    const stored = await Promise.all(
      ['admin_event_log', 'admin_audit_log', 'admin_notices', 'admin_jobs'].map((table) =>
        db.from(table)
      )
    )
    assert.isAbove(stored[0].length, 10)
    const lines = log()
    assert.isAbove(lines.length, 0)
    check('log', { text: JSON.stringify(lines), headers: new Headers() })
    check('rows', { text: JSON.stringify(stored), headers: new Headers() })
  }).timeout(60_000)
})

/** Targets of the links of a page, except those that end or download something. */
function linksOf(text: string): string[] {
  return [...text.matchAll(/(?:href|hx-get)="(\/admin[^"#]*)"/g)]
    .map(([, path]) => path.replaceAll('&amp;', '&').replaceAll('&#x2F;', '/'))
    .filter((path) => !/\/(?:logout|assets|files|Patron|login\/sso)/.test(path))
}
