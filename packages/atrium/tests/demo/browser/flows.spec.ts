import { readFile } from 'node:fs/promises'
import { test } from '@japa/runner'
import type { Page } from 'playwright-core'
import { LucidCrud } from '#crud'
import { fakeHashes, makeUser } from '#tests/helpers/admin'
import { getsFocus, startBrowser, Visit } from '#tests/helpers/browser'
import { seedDemo } from '#tests/demo/demo_data'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'
import Customer from '../../../../../app/models/customer.js'

test.group('Whole workflows in the demo', (group) => {
  group.setup(() => fakeHashes())
  group.setup(startBrowser)
  group.setup(seedDemo)
  group.setup(() => restoreRoles)

  const total = async (page: Page) =>
    Number(/[\d,]+/.exec(await page.locator('.list-total').innerText())![0].replace(',', ''))

  test('[G3, G5, L5] with the keyboard alone, a nested filter becomes a view with totals and groups, and is exported', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const panel = page.locator('#filter-panel')
    await page.goto('/admin/Film/?filter.imdb_rating__gte=8')
    const few = await total(page)
    await page.locator('#or-filter-0').focus()
    await press('Enter')
    await getsFocus(panel.getByLabel('Filter by'))
    await page.keyboard.type('MPAA')
    await press('Enter')
    assert.isTrue(await getsFocus(panel.getByLabel('Search values')))
    await press('ArrowDown', 'Space', 'Enter')
    await page.locator('.filter-any').first().waitFor()
    await page.waitForURL(/filter\.any\.1\.mpaa_rating/)
    const many = await total(page)
    assert.isAbove(many, few)

    await page.getByRole('link', { name: 'Save view' }).press('Enter')
    const form = page.getByRole('dialog', { name: 'Save view' })
    await form.getByLabel('Name').fill('Good or rated')
    await press('Enter')
    await page.locator('a[aria-current="page"]', { hasText: 'Good or rated' }).waitFor()
    assert.equal(await total(page), many)

    const columns = page.getByRole('dialog', { name: 'Columns of Films' })
    await page.getByRole('link', { name: 'Columns' }).press('Enter')
    await columns.getByText('Figures under the list').press('Enter')
    const figures = columns.getByRole('group', { name: 'Worldwide gross' })
    await figures.getByLabel('Total').press('Space')
    await columns.getByRole('button', { name: 'Apply' }).press('Enter')
    await page.locator('.list-summary', { hasText: 'Total' }).waitFor()
    assert.match(await page.locator('.list-summary').innerText(), /\$ ?[\d,]{9,}/)

    await page.getByRole('link', { name: 'Columns' }).press('Enter')
    await columns.getByLabel('Group by').selectOption('mpaa_rating')
    await columns.getByRole('button', { name: 'Apply' }).press('Enter')
    const rows = page.locator('.list-groups tbody tr')
    await rows.first().waitFor()
    const counts = await rows.locator('td:nth-child(2)').allInnerTexts()
    const sum = counts.reduce((all, one) => all + Number.parseInt(one.replace(',', ''), 10), 0)
    assert.equal(sum, many)
    const count = Number.parseInt(counts[0].replace(',', ''), 10)
    await rows.first().getByRole('link').press('Enter')
    await rows.first().waitFor({ state: 'detached' })
    assert.equal(await total(page), count)

    await page.getByRole('link', { name: 'Export' }).press('Enter')
    const exporting = page.getByRole('dialog', { name: 'Export Films' })
    await exporting.getByRole('radio', { name: 'CSV' }).press('Space')
    const downloading = page.waitForEvent('download')
    await exporting.getByRole('button', { name: 'Export' }).press('Enter')
    const file = await readFile(await downloading.then((one) => one.path()), 'utf8')
    assert.lengthOf(file.trimEnd().split('\r\n'), count + 1)
    assert.deepEqual(visit.errors, [])
  })

  test('[G7] two duplicates are found and merged, and the merge is undone', async ({ assert }) => {
    const customers = new LucidCrud(Customer)
    await customers.create({ name: 'Ada Twice', email: 'one@example.com' })
    await customers.create({ name: 'Ada Twice', email: 'two@example.com', city: 'Bonn' })
    const twice = async () => await customers.count({ name__ilike: 'Ada Twice' })
    const visit = await Visit.begin({ as: await makeUser('grace') })
    const { page } = visit
    await page.goto('/admin/Customer/')
    await page.getByRole('link', { name: 'Find duplicates' }).click()
    await page.getByRole('checkbox', { name: 'Name' }).check()
    await page.getByRole('checkbox', { name: 'Email' }).uncheck()
    await page.getByRole('button', { name: 'Find duplicates' }).click()
    await page.getByRole('link', { name: 'Compare and merge Ada Twice' }).click()
    await page.getByRole('button', { name: 'Merge and go back' }).click()
    await page.getByText('2 records merged into Ada Twice').first().waitFor()
    assert.equal(await twice(), 1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone').first().waitFor()
    assert.equal(await twice(), 2)
    assert.deepEqual(visit.errors, [])
  })

  test('[G2] cards of the dashboard can be hidden, moved and restored', async ({ assert }) => {
    const visit = await Visit.begin({ as: await makeUser('linus') })
    const { page } = visit
    const cards = async () => await page.locator('main h2').allInnerTexts()
    await page.goto('/admin')
    const before = await cards()
    await page.getByRole('link', { name: 'Arrange' }).click()
    const choices = page.locator('.arrange-choices > li')
    const shown = choices.filter({ has: page.locator('input:checked') })
    const last = await shown.last().getAttribute('data-label')
    const first = (await shown.first().getAttribute('data-label'))!
    await shown.first().getByRole('checkbox').uncheck()
    const up = page.getByRole('button', { name: `Move ${last} up` })
    await up.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save' }).last().click()
    await page.getByText('Dashboard saved').first().waitFor()
    const after = await cards()
    assert.notInclude(after, first)
    assert.notDeepEqual(after, before)

    await page.getByRole('link', { name: 'Arrange' }).click()
    await page.getByRole('button', { name: 'Restore the default' }).click()
    await page.getByText('Your dashboard is the default again').first().waitFor()
    assert.deepEqual(await cards(), before)
    assert.deepEqual(visit.errors, [])
  })

  test('[G1] a page of the application is shown to a user whose role allows it, and to no other', async ({
    assert,
  }) => {
    const models = { Order: { actions: ['view'] }, Customer: { actions: ['view'] } }
    await makeRole('Shift', { ...models, pages: ['today'] })
    await makeRole('Clerk', models)
    for (const [name, role, isAllowed] of [
      ['mary', 'Shift', true],
      ['john', 'Clerk', false],
    ] as const) {
      const user = await makeUser(name, { isSuperuser: false })
      await giveRoles(user, [role])
      const visit = await Visit.begin({ as: user })
      const { page } = visit
      await page.goto('/admin/Order/')
      const link = page.locator('.side').getByRole('link', { name: 'Today' })
      assert.equal(await link.count(), isAllowed ? 1 : 0)
      if (isAllowed) await link.click()
      else await page.goto('/admin/today')
      await page.getByRole('heading', { level: 1 }).waitFor()
      const heading = await page.getByRole('heading', { level: 1 }).innerText()
      assert.equal(heading, isAllowed ? 'Today' : 'Page not found')
      assert.deepEqual(visit.errors, [])
    }
  })
})
