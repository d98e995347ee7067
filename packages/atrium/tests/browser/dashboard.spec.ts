import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { adminSite, emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'
import { Shelf } from '#tests/fixtures/undo'
import { addCards } from '#tests/fixtures/cards'

test.group('The dashboard, in a browser', (group) => {
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['reels', 'lenders', 'utensils']) await db.from(table).delete()
  })

  test('[S24] the letter of a model without an icon is on the line of its record', async ({
    assert,
    cleanup,
  }) => {
    cleanup(async () => void (await Shelf.query().delete()))
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto('/admin/Shelf/create_page')
    await page.getByLabel('Name').fill('Novels')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Shelf Novels created').waitFor()
    await page.goto('/admin')
    const row = page
      .locator('.recent li')
      .filter({ has: page.locator('.icon-letter') })
      .first()
    const middle = async (selector: string) => {
      const box = (await row.locator(selector).boundingBox())!
      return box.y + box.height / 2
    }
    assert.approximately(await middle('.icon-letter'), await middle('.recent-record'), 1)
  })

  test('[S24, B24] refreshing the dashboard loads only its content, announces it and preserves the focus', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto('/admin')
    const count = page.locator('#count-Lender .number')
    assert.match(await count.innerText(), /^0/)
    await page.locator('.chart-data summary').click()
    await page.evaluate('window.isSamePage = true')
    await makeLender('Ealing')

    const responded = page.waitForResponse('**/admin/dashboard-content')
    await page.getByRole('link', { name: 'Refresh' }).click()
    const response = await responded
    const part = await response.text()
    assert.match(part.trim(), /^<div id="dashboard-content"/)
    assert.notMatch(part, /<html|<nav|<header/)

    await page.getByRole('status').getByText('The dashboard is up to date.').waitFor()
    assert.match(await count.innerText(), /^1/)
    assert.equal(await page.locator('#dashboard-content').count(), 1)
    assert.equal(await page.locator('a:focus').innerText(), 'Refresh')
    assert.isTrue(await page.locator('.chart-data table').isVisible())
    assert.isTrue(await page.evaluate('window.isSamePage'))
    assert.match(page.url(), /\/admin$/)
    assert.deepEqual(visit.errors, [])
  })

  test('[G2] a list card shows all columns of its list at every window width', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await addCards())
    cleanup(async () => void (await db.from('crossings').delete()))
    const port = 'The eastern harbour of Sankt Peterburg'
    const sailed = { sailed_on: '2026-11-29', logged_at: '2026-11-29 10:00:00', secret: 'no' }
    await db.table('crossings').insert({ port, state: 'late', fare: '10.00', ...sailed })
    const { page } = await Visit.begin({ as: await makeUser('ada') })
    for (const width of [1280, 1100, 1024, 900, 700, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto('/admin')
      const table = page.locator('#card-latest_crossings .table-container')
      await table.waitFor()
      const beyond = await table.evaluate((one: any) => one.scrollWidth - one.clientWidth)
      assert.equal(beyond, 0, `at ${width}`)
    }
  })

  test('a failed refresh of the dashboard shows a message and preserves the content', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto('/admin')
    await page.route('**/dashboard-content*', (route) =>
      route.fulfill({ status: 500, body: '<p>Broken</p>' })
    )
    await page.getByRole('link', { name: 'Refresh' }).click()
    await page.getByRole('status').getByText('That did not work').waitFor()
    assert.isTrue(await page.getByRole('heading', { name: 'Records created per day' }).isVisible())
    assert.equal(await page.getByText('Broken').count(), 0)
  })

  test('the dashboard refreshes itself every minute without an announcement, and only while it is visible', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada'), fresh: true })
    const { page } = visit
    let refreshes = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/dashboard-content?poll=1')) refreshes++
    })
    await page.clock.install()
    await page.goto('/admin')
    await makeLender('Ealing')

    const responded = page.waitForResponse('**/dashboard-content?poll=1')
    await page.clock.runFor(61_000)
    await responded
    await page.locator('#count-Lender .number', { hasText: '1' }).waitFor()
    await page.clock.runFor(1000)
    const announced = await page.getByRole('status').textContent()
    assert.equal(announced?.trim(), '')
    assert.equal(refreshes, 1)

    await page.evaluate(`Object.defineProperty(document, 'hidden', { value: true })`)
    await page.clock.runFor(121_000)
    assert.equal(refreshes, 1)
    assert.deepEqual(visit.errors, [])
  })

  test("[B23] every model is shown with its count and a link, and the site's own models are in a separate group", async ({
    assert,
  }) => {
    await ageRecords()
    await makeLender('Ealing')
    await makeLender('Rank')
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto('/admin')

    const models = page.getByRole('region', { name: 'Models' })
    const lenders = models.getByRole('link', { name: 'Lenders 2 records' })
    assert.equal(await lenders.getAttribute('href'), '/admin/Lender/')
    assert.isTrue(await models.getByRole('link', { name: 'Reels 0 records' }).isVisible())
    assert.isTrue(await models.getByRole('link', { name: 'Utensils 0 records' }).isVisible())
    assert.equal(await models.getByRole('link', { name: 'Admin users' }).count(), 0)
    const management = page.getByRole('region', { name: 'Management' })
    assert.isTrue(await management.getByRole('link', { name: 'Admin users 1 record' }).isVisible())
    assert.isTrue(
      await management.getByRole('link', { name: 'Admin sessions 1 record' }).isVisible()
    )
    assert.isTrue(await management.getByRole('link', { name: 'Revoked logins' }).isVisible())

    const chart = page.getByRole('img', { name: 'Records created per day' })
    assert.isTrue(await chart.isVisible())
    const bar = await chart.locator('.chart-bar').last().boundingBox()
    assert.isAbove(bar!.height, 100)
    await page.getByText('Show as a table').click()
    const today = new Date().toISOString().slice(0, 10)
    await page.getByRole('row', { name: `${today} 2` }).waitFor()
  })

  test('the first load of the dashboard needs at most 6 requests and 60 KB, with compressed assets', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada'), fresh: true })
    const { page } = visit
    const responses: Array<{ path: string; encoding: string | undefined; bytes: number }> = []
    page.on('requestfinished', async (request) => {
      const [response, sizes] = await Promise.all([request.response(), request.sizes()])
      responses.push({
        path: new URL(request.url()).pathname,
        encoding: response!.headers()['content-encoding'],
        bytes: sizes.responseBodySize + sizes.responseHeadersSize,
      })
    })
    await page.goto('/admin', { waitUntil: 'networkidle' })

    assert.isAtMost(responses.length, 6)
    const total = responses.reduce((sum, { bytes }) => sum + bytes, 0)
    assert.isAtMost(total, 60 * 1024)
    const files = responses.filter(({ path }) => /\.(css|js)$/.test(path))
    assert.lengthOf(files, 3)
    for (const { path, encoding, bytes } of files) {
      assert.equal(encoding, 'br', path)
      assert.isAbove(bytes, 1000, path)
    }
    assert.isTrue(responses.some(({ path }) => path === '/admin'))
  })

  test('the second load of the dashboard requests only the page itself', async ({ assert }) => {
    const visit = await Visit.begin({ as: await makeUser('ada'), fresh: true })
    await visit.page.goto('/admin', { waitUntil: 'networkidle' })
    const [entry, ...others]: number[] = await visit.page.goto('/admin/nowhere').then(() =>
      visit.page.evaluate(
        `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
          .map(({ transferSize }) => transferSize)`
      )
    )
    assert.isAbove(entry, 0)
    assert.isNotEmpty(others)
    assert.isTrue(others.every((size) => size === 0))
  })
})

/** Ages the records that earlier files have left, as the chart counts those of all models. */
async function ageRecords() {
  const { models } = await adminSite()
  for (const { resource, adminModel } of models.values()) {
    if (adminModel || resource.columns.all.every(({ name }) => name !== 'created_at')) continue
    await db.from(resource.table).update({ created_at: '2001-02-03 04:05:06' })
  }
}

async function makeLender(name: string) {
  const now = new Date().toISOString().slice(0, 19).replace('T', ' ')
  await db.table('lenders').insert({ name, created_at: now })
}
