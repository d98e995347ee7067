import { readdir } from 'node:fs/promises'
import db from '@adonisjs/lucid/services/db'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import type { Page } from 'playwright-core'
import { LucidCrud } from '#crud'
import { fakeHashes, makeUser } from '#tests/helpers/admin'
import { startBrowser, THEMES, Visit } from '#tests/helpers/browser'
import { firstIds, seedDemo } from '#tests/demo/demo_data'
import {
  allowPrivate,
  deliveries,
  emptyWebhooks,
  makeWebhook,
  sendDue,
  startReceiver,
} from '#tests/helpers/webhook_receiver'
import Customer from '../../../../../app/models/customer.js'

/** Templates that other tests open, as they need a state that the demo does not have */
const ELSEWHERE = {
  passkeys: ['factor_name', 'passkey_new', 'recovery_codes'],
  second_factors: ['login_second'],
  conflict: ['conflict'],
  pages: ['confirm_logout', 'job', 'login'],
  bulk: ['confirm_bulk'],
  import: ['import_waiting'],
  functional: ['record_action'],
}

/** An address, or steps that lead to a page, by its template */
type Place = string | ((page: Page) => Promise<unknown>)

const CSV = Buffer.from('name,email,city\nAda,ada@example.com,London\nBob,bob@example.com,Bonn\n')

async function importFile(page: Page) {
  await page.goto('/admin/Customer/import')
  const file = { name: 'customers.csv', mimeType: 'text/csv', buffer: CSV }
  await page.getByLabel('File to import').setInputFiles(file)
  await page.getByRole('button', { name: 'Upload and continue' }).click()
  await page.getByRole('button', { name: 'Preview', exact: true }).waitFor()
}

test.group('Templates of pages, with the demo', (group) => {
  const places: Record<string, Place> = {}

  group.setup(() => fakeHashes())
  group.setup(startBrowser)
  group.setup(seedDemo)
  group.setup(() => allowPrivate())
  group.setup(async () => {
    const receiver = await startReceiver()
    const { id: user } = await makeUser('grace')
    const { id: hook } = await makeWebhook({ address: receiver.url, ownerId: user })
    const customers = new LucidCrud(Customer)
    const made = [
      await customers.create({ name: 'Ada Same', email: 'one@example.com' }),
      await customers.create({ name: 'Ada Same', email: 'two@example.com' }),
    ]
    await sendDue()
    const [{ id: delivery }] = await deliveries()
    const pair = made.map(({ id }) => `ids=${id}`).join('&')
    const [order] = await firstIds('orders', 1)
    await db
      .from('customers')
      .where('id', made[0].id as number)
      .update({ city: 'Bonn' })
    Object.assign(
      places,
      addresses({ user, hook, delivery, pair, order, customer: made[0].id as number })
    )
    return async () => {
      await receiver.stop()
      await emptyWebhooks()
    }
  })

  test('[B24] every template of a page is checked for accessibility by this test or by a test that it names', async ({
    assert,
  }) => {
    const files = await readdir(app.makePath('packages/atrium/views/admin/pages'))
    const templates = files.map((name) => name.replace('.edge', ''))
    const checked = [...Object.keys(places), ...Object.values(ELSEWHERE).flat()]
    assert.sameMembers([...new Set(checked.map((name) => name.split(' ')[0]))], templates)
  })

  test('[B24] pages of each template are accessible, and as wide as the window: {$self}')
    .with(THEMES)
    .run(async ({ assert }, theme) => {
      const visit = await Visit.begin({ as: await makeUser(`ada-${theme}`), theme })
      const { page } = visit
      const wrong: Record<string, unknown> = {}
      for (const [name, place] of Object.entries(places)) {
        await page.setViewportSize({ width: 1280, height: 800 })
        await (typeof place === 'string' ? page.goto(place) : place(page))
        const errors = await visit.accessibilityErrors()
        const wide = await visit.overflow()
        await page.setViewportSize({ width: 360, height: 740 })
        const narrow = await visit.overflow()
        errors.push(...(await visit.accessibilityErrors({ resized: true })))
        if (wide > 0 || narrow > 0 || errors.length > 0) wrong[name] = { wide, narrow, errors }
      }
      assert.deepEqual(wrong, {})
    })
    .timeout(240_000)
})

interface Known {
  user: number
  hook: number
  delivery: number
  pair: string
  order: number
  customer: number
}

function addresses({ user, hook, delivery, pair, order, customer }: Known): Record<string, Place> {
  const groups = 'filter.any.1.status=paid&filter.any.1.status=draft&filter.not.number=SO-1'
  return {
    'account': '/admin/account',
    'application': '/admin/today',
    'bulk_edit': '/admin/Order/bulk-edit?all=1&query=&count=40',
    'compare': `/admin/Customer/compare?${pair}`,
    'confirm': `/admin/AdminUser/reset_factors/1`,
    'create': '/admin/Order/create_page',
    'create of a role': '/admin/AdminRole/create_page',
    'create of a token': '/admin/AdminAccessToken/create_page',
    'create of a webhook': '/admin/AdminWebhook/create_page',
    'dashboard': '/admin',
    'dashboard_arrange': '/admin/dashboard/arrange',
    'deliveries': `/admin/AdminWebhook/deliveries/${hook}`,
    'delivery': `/admin/AdminWebhook/delivery/${delivery}`,
    'duplicates': '/admin/Customer/duplicates?compare=name',
    'error': '/admin/nowhere',
    'events': '/admin/management/events',
    'event': async (page) => {
      const { id } = await db.from('admin_event_log').orderBy('id', 'desc').firstOrFail()
      await page.goto(`/admin/management/events/${id}`)
    },
    'facets': '/admin/Order/facets',
    'filter': '/admin/Order/filter?filter=status',
    'factor_setup': '/admin/account/factors/totp',
    'health': '/admin/management/health',
    'history': `/admin/Customer/history/${customer}`,
    'version': async (page) => {
      await page.goto(`/admin/Customer/history/${customer}`)
      await page
        .getByRole('link', { name: /version/i })
        .first()
        .click()
    },
    'import_file': '/admin/Customer/import',
    'import_columns': importFile,
    'import_trial': async (page) => {
      await importFile(page)
      await page.getByRole('button', { name: 'Preview', exact: true }).click()
      await page.getByRole('button', { name: /^Import \d/ }).waitFor()
    },
    'invitation_made': async (page) => {
      await page.goto(`/admin/AdminUser/update/${user}`)
      await page.locator('form[action*="/invite/"] button').click()
      await page.locator('#issued-token').waitFor()
    },
    'invitation': async (page) => {
      const link = await page.locator('#issued-token').inputValue()
      await page.goto(new URL(link).pathname)
    },
    'invitation_gone': `/admin/invitation/${'A'.repeat(43)}`,
    'token_issued': async (page) => {
      await page.goto(`/admin/AdminUser/update/${user}`)
      await page.locator('#field-token_name').fill('Reports')
      await page.getByRole('checkbox', { name: 'Read: Film' }).check()
      await page.getByRole('button', { name: 'Create token' }).click()
      await page.locator('#issued-token').waitFor()
    },
    'webhook_secret': async (page) => {
      await page.goto(`/admin/AdminWebhook/update/${hook}`)
      await page.getByRole('button', { name: 'Rotate secret' }).click()
      await page.locator('#webhook-secret').waitFor()
    },
    'reauthenticate': '/admin/reauthenticate?next=/admin/account',
    'jobs': '/admin/management/jobs',
    'keys': '/admin/keys',
    'list': '/admin/Order/',
    'list with groups of filters': `/admin/Order/?${groups}`,
    'list with groups of rows': '/admin/Order/?group_by=status',
    'list without records': '/admin/Order/?filter.number=nothing',
    'list of tokens': '/admin/AdminAccessToken/',
    'list_panel': '/admin/Order/columns',
    'list_panel of an export': '/admin/Order/export/dialog',
    'list_panel of Explain': `/admin/Order/explain?${groups}`,
    'list_panel of a view': '/admin/Order/views/new',
    'list_panel of a card': '/admin/Order/cards/new?group_by=status',
    'list_print': '/admin/Order/print',
    'merge': `/admin/Customer/merge?${pair}`,
    'record': `/admin/Order/view/${order}`,
    'related': `/admin/Customer/related/orders/${customer}`,
    'search': '/admin/search?q=order',
    'update': `/admin/Order/update/${order}`,
  }
}
