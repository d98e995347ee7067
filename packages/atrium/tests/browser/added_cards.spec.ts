import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'

test.group('Cards that users add from lists, in a browser', (group) => {
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('reels').delete()
    await db.from('lenders').delete()
    const created = '2026-01-02 03:04:05'
    const [lender] = await db.table('lenders').insert({ name: 'Ealing', created_at: created })
    const reels = ['Ran', 'Ikiru'].map((title, index) => ({
      title,
      worldwide_gross: (index + 1) * 100,
      lender_id: lender,
      created_at: created,
    }))
    await db.table('reels').multiInsert(reels)
  })

  test('[G2.8] a user adds a chart of a list by keyboard, changes it to a number, and removes it', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto('/admin/Reel/?filter.worldwide_gross__gte=100')
    await page.locator('#add-card').focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Add to your dashboard' })
    await dialog.waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Reels by title')
    await page.keyboard.press('Tab')
    assert.isTrue(await dialog.getByRole('radio', { name: 'Number' }).isChecked())
    assert.isFalse(await dialog.getByRole('combobox', { name: 'By' }).isVisible())
    await page.keyboard.press('ArrowRight')
    await dialog.getByRole('combobox', { name: 'Figure' }).selectOption('Worldwide gross, total')
    await dialog.getByRole('combobox', { name: 'By' }).selectOption('Title')
    assert.deepEqual(await visit.accessibilityErrors(), [])
    await dialog.getByRole('button', { name: 'Add', exact: true }).press('Enter')

    const card = page.getByRole('region', { name: 'Reels by title' })
    await card.getByRole('img', { name: 'Chart: Reels by title.' }).waitFor()
    assert.equal(await page.locator('.dash-card:target svg.card-chart').count(), 1)
    /* A link that the header covers in part counts as too small. */
    await page.evaluate('scrollTo(0, 0)')
    assert.deepEqual(await visit.accessibilityErrors(), [])

    await card.getByRole('link', { name: 'Edit the card “Reels by title”' }).click()
    await page.getByLabel('Name').fill('Gross')
    await page.getByRole('radio', { name: 'Number' }).check()
    await page.getByRole('combobox', { name: 'Figure' }).selectOption('Worldwide gross, average')
    await page.getByRole('button', { name: 'Save' }).click()
    const number = page.getByRole('region', { name: 'Gross', exact: true })
    await number.getByText('150').waitFor()
    await number.getByRole('link', { name: 'Gross', exact: true }).click()
    await page.waitForURL('**/admin/Reel/?filter.worldwide_gross__gte=100**')

    await page.goto('/admin')
    await number.getByRole('link', { name: 'Edit the card “Gross”' }).click()
    await page.getByRole('link', { name: 'Remove card' }).click()
    await page.getByRole('button', { name: 'Remove card' }).click()
    await page.getByText('Card removed').waitFor()
    assert.equal(await number.count(), 0)
    assert.deepEqual(visit.errors, [])
  })

  test('[G2.8] without JavaScript, a user adds and removes a card, on a phone', async ({
    assert,
  }) => {
    const as = await makeUser('ada')
    const visit = await Visit.begin({ as, javaScript: false, width: 360 })
    const { page } = visit
    await page.goto('/admin/Reel/')
    await page.getByRole('link', { name: 'Add to dashboard' }).click()
    await page.getByLabel('Name').fill('Latest reels')
    await page.getByRole('radio', { name: 'First rows' }).check()
    assert.equal(await visit.overflow(), 0)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const card = page.getByRole('region', { name: 'Latest reels', exact: true })
    await card.getByText('Ikiru').waitFor()
    assert.equal(await visit.overflow(), 0)
    await card.getByRole('link', { name: 'Edit the card “Latest reels”' }).click()
    await page.getByRole('link', { name: 'Remove card' }).click()
    await page.getByRole('button', { name: 'Remove card' }).click()
    await page.waitForURL('**/admin')
    assert.equal(await card.count(), 0)
  })
})
