import { readFileSync } from 'node:fs'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import type { AdminSite, AdminUser } from '#admin'
import { healthReport } from '#admin/health/health_report'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
} from '#tests/helpers/admin'
import { emptyEventTables, logEvent, withIntegration } from '#tests/helpers/logged_events'
import { get } from '#tests/helpers/http'
import { each } from '#tests/helpers/databases'

const PATH = '/admin/management/health'

const NAME = process.env.DB_CONNECTION!
const DIALECT = each({ sqlite: 'SQLite', postgres: 'PostgreSQL', mysql: 'MySQL' })

function plain(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

test.group('Admin | health', (group) => {
  let site: AdminSite
  let ada: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    site = await adminSite()
    ada = await makeUser('ada')
    cookie = await cookiesOf(ada)
    await emptyEventTables()
  })

  async function page(headers: Record<string, string> = {}) {
    const response = await get(PATH, { headers: { cookie, ...headers } })
    return { ...response, plain: plain(response.text) }
  }

  /** Makes the application's database fail until the end of the test. */
  function breakDatabase(query: () => Promise<unknown>): () => void {
    const client = site.dbConfig.applicationSession()
    Object.assign(site.dbConfig, {
      applicationConnection: 'broken',
      applicationSession: () => Object.create(client, { rawQuery: { value: query } }),
    })
    return () => {
      Object.assign(site.dbConfig, { applicationConnection: site.dbConfig.adminConnection })
      Reflect.deleteProperty(site.dbConfig, 'applicationSession')
    }
  }

  test('[E5] the page shows databases, sessions, the event log, version, uptime and memory', async ({
    assert,
  }) => {
    await cookiesOf(ada)
    await logEvent({ timestamp: '2026-03-02 14:05:09' })
    await logEvent()
    const { status, plain: text } = await page()
    assert.equal(status, 200)
    assert.match(text, new RegExp(`Application ${NAME} ${DIALECT} [\\d.]+ ms Available`))
    assert.match(text, new RegExp(`Admin site ${NAME} ${DIALECT} [\\d.]+ ms Available`))
    assert.include(text, 'All checks pass')
    assert.include(text, 'Active sessions 2')
    assert.include(text, 'Events stored 2')
    assert.include(text, 'Oldest event (UTC) 2 Mar 2026, 14:05:09')
    assert.include(text, 'Events waiting to be written 0')
    const { version } = JSON.parse(readFileSync(app.makePath('package.json'), 'utf8'))
    assert.include(text, `Version ${version}`)
    assert.include(text, `Node.js ${process.version}`)
    assert.match(text, /Running for \d+ (second|minute)/)
    assert.match(text, /Memory [\d,]+ MB/)
  })

  test('[E5] the page shows the number of events that wait to be written', async ({
    assert,
    cleanup,
  }) => {
    let end = () => {}
    const waiting = new Promise<void>((resolve) => (end = resolve))
    const { integration } = site.events
    const { log } = integration!
    cleanup(async () => {
      Object.assign(integration!, { log })
      end()
      await site.events.settle()
    })
    Object.assign(integration!, { log: () => waiting })
    await login('ada', 'wrong')
    const { plain: text } = await page()
    assert.include(text, 'Events waiting to be written 1')
  })

  test('[E5] a failed check is marked without its details, and the page is still shown', async ({
    assert,
    cleanup,
  }) => {
    const failing = async () => {
      throw new Error('connect ECONNREFUSED db.internal:5432 as secret_user')
    }
    cleanup(breakDatabase(failing))
    const { status, plain: text } = await page()
    assert.equal(status, 200)
    assert.match(text, new RegExp(`Application broken ${DIALECT} – Failing`))
    assert.match(text, new RegExp(`Admin site ${NAME} ${DIALECT} [\\d.]+ ms Available`))
    assert.include(text, '1 check fails')
    assert.notMatch(text, /ECONNREFUSED|db\.internal|secret_user/)
  })

  test('[E5] the page waits only briefly for a database that does not respond', async ({
    assert,
    cleanup,
  }) => {
    cleanup(breakDatabase(() => new Promise(() => {})))
    const reports: string[] = []
    const report = await healthReport(site, (_, what) => reports.push(what), { timeout: 30 })
    assert.isNull(report.databases[0].latency)
    assert.isNumber(report.databases[1].latency)
    assert.equal(report.failures, 1)
    assert.deepEqual(reports, ['The database connection broken'])
  })

  test('[E5] the health page contains no path, key or hash', async ({ assert }) => {
    const { text } = await page()
    const { filename, host } = db.getRawConnection(site.dbConfig.adminConnection)!.config
      .connection as { filename?: string; host?: string }
    for (const secret of [
      (filename ?? host)!,
      app.makePath(),
      process.env.APP_KEY!,
      process.env.DB_DATABASE!,
    ]) {
      assert.isNotEmpty(secret)
      assert.notInclude(text, secret)
    }
  })

  test('[B13] only superusers can open the health page and see its link', async ({ assert }) => {
    const { text } = await page()
    assert.match(text, new RegExp(`<a href="${PATH}" title="Health" [^>]*aria-current="page">`))
    const bob = await cookiesOf(await makeUser('bob', { isSuperuser: false }))
    const refused = await get(PATH, { headers: { cookie: bob } })
    assert.equal(refused.status, 403)
    assert.notInclude(refused.text, `href="${PATH}"`)
    assert.notInclude(refused.text, process.version)
    const { status } = await get(PATH)
    assert.equal(status, 303)
  })

  test('[E2] without an event log the health page does not mention events', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await withIntegration(undefined))
    const { status, plain: text } = await page()
    assert.equal(status, 200)
    assert.include(text, 'All checks pass')
    assert.notMatch(text, /Events stored|Oldest event|waiting to be written/)
  })

  test('[B24] htmx receives only the content of the health page', async ({ assert }) => {
    const { text, headers } = await page({ 'hx-request': 'true' })
    assert.match(text.trim(), /^<div id="health-content"/)
    assert.match(headers.get('vary')!, /hx-request/i)
  })

  test('[E5] an empty event log is not reported as a failure', async ({ assert }) => {
    const { plain: text } = await page()
    assert.include(text, 'Events stored 0')
    assert.notInclude(text, 'Oldest event')
  })
})
