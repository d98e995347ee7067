import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import type { Page } from 'playwright-core'
import { emptyAdminTables, leaveModels, makeUser } from '#tests/helpers/admin'
import { THEMES, Visit } from '#tests/helpers/browser'
import { ago, emptyEventTables, logEvent } from '#tests/helpers/logged_events'
import { insertRow } from '#tests/helpers/databases'

const PATH = '/admin/management/events'

/** Fills the log with ordinary and hostile events; the last one compares two states of a reel. */
async function fillLog(): Promise<{ reel: number; change: number; bulk: number }> {
  await db.from('reels').delete()
  const reel = await insertRow('reels', { title: 'Casablanca', created_at: ago() })
  const record = { resource_type: 'Reel', resource_id: String(reel) }
  for (let i = 0; i < 30; i++) {
    await logEvent({
      timestamp: ago({ minutes: 100 + i }),
      event_type: i % 2 ? 'VIEW' : 'LOGIN',
      username: 'grace',
      ...(i % 2 ? record : {}),
      ip_address: '2001:db8:85a3:1234:5678:8a2e:370:7334',
    })
  }
  await logEvent({
    timestamp: ago({ minutes: 9 }),
    event_type: 'FAILED_LOGIN',
    status: 'failure',
    username: `\u202E<img src=x onerror=alert(1)>${'W'.repeat(300)}`,
    user_agent: '{{ 7*7 }}',
  })
  const bulk = await logEvent(
    { timestamp: ago({ minutes: 8 }), event_type: 'DELETE', resource_type: 'Reel' },
    Array.from({ length: 30 }, (_, index) => ({
      resource_type: 'Reel',
      resource_id: String(900_000 + index),
      before: { title: `Reel ${index}`, director: null },
      after: null,
    }))
  )
  const before = { title: 'Casablnca', director: 'Curtiz', source: 'x'.repeat(10_000) }
  const after = { ...before, title: 'Casablanca', source: `${'long words 🎬 שלום '.repeat(400)}` }
  const change = await logEvent(
    { timestamp: ago({ minutes: 7 }), username: 'ada', user_agent: 'U'.repeat(255), ...record },
    [{ ...record, before, after }]
  )
  return { reel, change, bulk }
}

async function times(page: Page): Promise<number> {
  return await page.locator('.events-table tbody tr').count()
}

test.group('The event log, in a browser', (group) => {
  group.setup(() => leaveModels('Reel', 'Gadget', 'Utensil', 'Lender'))
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
  })

  test('[E5, B24] filters, pages, an event and the link back load by htmx and update the URL', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { change } = await fillLog()
    const { page } = visit
    await page.goto('/admin')
    await page.locator('.side').getByRole('link', { name: 'Events' }).click()
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
    assert.equal(await times(page), 25)
    await page.evaluate('window.isSamePage = true')

    await page.getByRole('link', { name: 'Page 2' }).click()
    await page.getByText(/^26–\d+ of/).waitFor()
    assert.match(page.url(), /\/events\?page=2$/)
    await page
      .getByRole('status')
      .getByText(/^Events, 26–/)
      .waitFor()

    await page.getByLabel('Event', { exact: true }).selectOption('Changed')
    await page.getByLabel('User name').fill('ada')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('1 found').waitFor()
    assert.match(page.url(), /\/events\?event_type=UPDATE&username=ada$/)
    assert.equal(await page.getByLabel('Event', { exact: true }).inputValue(), 'UPDATE')
    assert.equal(await page.getByLabel('User name').inputValue(), 'ada')
    assert.equal(await page.locator(':focus').innerText(), 'Filter')

    await page.getByRole('link', { name: 'Clear filters' }).click()
    await page.getByText(/\d+ events/).waitFor()
    assert.equal(await page.getByLabel('User name').inputValue(), '')
    assert.isTrue(await page.evaluate('window.isSamePage'))

    await page.goBack()
    await page.getByText('1 found').waitFor()
    await page.locator('.event-when a').click()
    await page.getByRole('heading', { level: 1, name: `Event ${change}` }).waitFor()
    assert.deepEqual(visit.errors, [])
  })

  test('[E5] the page of an event compares old and new values; long and unchanged ones can be expanded', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { reel, change } = await fillLog()
    const { page } = visit
    await page.goto(`${PATH}/${change}`)
    const row = page.getByRole('row', { name: 'Title' })
    assert.deepEqual(await row.getByRole('cell').allInnerTexts(), ['Casablnca', 'Casablanca'])
    assert.isFalse(await page.getByText('Curtiz').isVisible())
    await page.getByText('1 unchanged field').click()
    assert.isTrue(await page.getByText('Curtiz').isVisible())
    await page.getByText('10,000 characters').click()
    const whole = page.locator('.event-whole').first()
    assert.isTrue(await whole.isVisible())
    assert.lengthOf((await whole.textContent())!.trim(), 10_000)

    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('heading', { level: 1, name: 'History of Casablanca' }).waitFor()
    assert.match(page.url(), new RegExp(`/Reel/history/${reel}$`))
    await page.getByRole('link', { name: 'Back to Casablanca' }).waitFor()
    assert.deepEqual(visit.errors, [])
  })

  test('[E5, B24] the event log can be used without JavaScript', async ({ assert }) => {
    const visit = await Visit.begin({ as: await makeUser('ada'), javaScript: false })
    const { change } = await fillLog()
    const { page } = visit
    await page.goto(PATH)
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText(/^26–\d+ of/).waitFor()
    await page.getByLabel('Outcome').selectOption('Failure')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('1 found').waitFor()
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await page.getByText(/\d+ events/).waitFor()
    await page.locator(`#event-${change}`).click()
    await page.getByText('1 unchanged field').click()
    assert.isTrue(await page.getByText('Curtiz').isVisible())
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('heading', { name: 'History of Casablanca' }).waitFor()
    await page.locator('.side').getByRole('link', { name: 'Health' }).click()
    await page.getByText('All checks pass').waitFor()
    await page.getByRole('link', { name: 'Refresh' }).click()
    await page.getByText('All checks pass').waitFor()
    await page.getByRole('link', { name: 'Atrium' }).click()
    await page.getByRole('link', { name: 'ada changed Reel' }).click()
    await page.getByRole('heading', { name: `Event ${change}` }).waitFor()
  })

  test('[E5] refreshing the health page loads its content and announces it', async ({ assert }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto('/admin/management/health')
    const stored = page.locator('#health-events')
    const before = Number(await stored.innerText())
    await logEvent()
    await page.getByRole('link', { name: 'Refresh' }).click()
    await page.getByRole('status').getByText('The page is up to date.').waitFor()
    assert.equal(Number(await stored.innerText()), before + 1)
    assert.deepEqual(visit.errors, [])
  })

  test(
    '[B10, E5] the page "{path}" of the event log or of health is accessible and fits every screen in the {theme}'
  )
    .with(
      [
        '',
        '?username=nobody',
        '?start_date=x',
        '/change',
        '/bulk',
        '/record/Reel/reel',
        'health',
        'lately',
      ].flatMap((path) => THEMES.map((theme) => ({ path, theme })))
    )
    .run(async ({ assert }, { path, theme }) => {
      const visit = await Visit.begin({ as: await makeUser('ada'), theme })
      const { reel, change, bulk } = await fillLog()
      const { page } = visit
      const places: Record<string, string> = {
        '/change': `${PATH}/${change}`,
        '/bulk': `${PATH}/${bulk}`,
        '/record/Reel/reel': `${PATH}/record/Reel/${reel}`,
        'health': '/admin/management/health',
        'lately': '/admin',
      }
      const response = await page.goto(places[path] ?? PATH + path)
      assert.equal(response?.status(), 200)
      assert.include(response!.headers()['content-security-policy'], "default-src 'self'")
      assert.equal(response!.headers()['cache-control'], 'no-store')
      assert.deepEqual(visit.errors, [])
      await page.evaluate(
        `document.querySelectorAll('details').forEach((one) => (one.open = true))`
      )
      assert.equal(await visit.overflow(), 0)
      assert.deepEqual(await visit.accessibilityErrors(), [])
      await page.evaluate(
        `document.querySelectorAll('.menu-switch').forEach((one) => (one.open = false))`
      )
      await page.setViewportSize({ width: 360, height: 740 })
      assert.equal(await visit.overflow(), 0)
      if (theme === 'light-theme')
        assert.deepEqual(await visit.accessibilityErrors({ resized: true }), [])
    })
})
