import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import { leaveModels, emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { THEMES, Visit } from '#tests/helpers/browser'
import { Play } from '#tests/fixtures/stages'

const LIST = '/admin/Play/?filter.town=east&sort_by=title&sort_order=asc&page=3'

test.group('Returning from a form, in a browser', (group) => {
  let ada: AdminUser
  group.setup(() => leaveModels('Play', 'Stage', 'Ticket'))

  group.each.setup(async () => {
    await emptyAdminTables()
    await Play.query().delete()
    await Play.createMany(
      Array.from({ length: 45 }, (_, index) => ({
        title: `Scene ${String(index + 1).padStart(2, '0')}`,
        town: index === 44 ? 'west' : 'east',
        note: '',
      }))
    )
    ada = await makeUser('ada')
  })

  const addressOf = ({ page }: Visit) => page.url().slice(new URL(page.url()).origin.length)
  const titleOf = ({ page }: Visit) => page.getByRole('heading', { level: 1 }).innerText()

  async function open(title: string, options: Parameters<typeof Visit.begin>[0] = {}) {
    const visit = await Visit.begin({ as: ada, ...options })
    await visit.page.goto(LIST)
    await visit.page.getByRole('link', { name: title, exact: true }).click()
    await visit.page.waitForURL('**/update/*')
    return visit
  }

  test('[L11, B18] after a save, the list has the same filters, order and page, and the saved record is marked and focused', async ({
    assert,
  }) => {
    const visit = await open('Scene 29')
    const { page } = visit
    await page.locator('#field-note').fill('changed')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL('**/admin/Play/?*')
    assert.equal(addressOf(visit), LIST)
    const row = page.locator('tr.is-marked')
    assert.include(await row.innerText(), 'Scene 29')
    assert.isTrue(await row.evaluate((one: any) => one === one.ownerDocument.activeElement))
    assert.isTrue(
      await row.evaluate((one: any) => {
        const { top, bottom } = one.getBoundingClientRect()
        return top >= 0 && bottom <= (globalThis as any).innerHeight
      })
    )
    /* The message is announced, with its link. */
    await page.waitForTimeout(200)
    assert.equal(await page.locator('#flash .flash-message').innerText(), 'Play Scene 29 updated')
    await page.keyboard.press('Tab')
    await page.locator('#flash').getByRole('link', { name: 'Scene 29' }).click()
    await page.waitForURL('**/update/*')
    await page.getByRole('link', { name: 'Back to Plays' }).click()
    await page.waitForURL('**/admin/Play/?*')
    assert.equal(addressOf(visit), LIST)
    assert.deepEqual(visit.errors, [])
  })

  test('[L11] Save and next opens one record after another by keyboard', async ({ assert }) => {
    const visit = await open('Scene 29')
    const { page } = visit
    const seen: string[] = []
    for (let turn = 1; turn <= 3; turn++) {
      seen.push(await titleOf(visit))
      await page.locator('#field-note').focus()
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(`note ${turn}`)
      await page.getByRole('button', { name: 'Save and next' }).focus()
      const next = page.waitForEvent('load')
      await page.keyboard.press('Enter')
      await next
    }
    assert.deepEqual(seen, ['Scene 29', 'Scene 30', 'Scene 31'])
    assert.equal(await titleOf(visit), 'Scene 32')
    const stored = await Play.query().whereIn('title', seen).orderBy('title')
    assert.deepEqual(
      stored.map(({ note }) => note),
      ['note 1', 'note 2', 'note 3']
    )
    await page.getByRole('link', { name: 'Previous' }).click()
    await page.waitForURL('**/update/*')
    assert.equal(await titleOf(visit), 'Scene 31')
    /* Enter in a field is the first button: it saves, and leads to the list. */
    await page.locator('#field-note').press('Enter')
    await page.waitForURL('**/admin/Play/?*')
    assert.equal(addressOf(visit), LIST)
    assert.deepEqual(visit.errors, [])
  })

  test('[L11] without JavaScript, cancelling, saving and deleting return to the list', async ({
    assert,
  }) => {
    const visit = await open('Scene 29', { javaScript: false })
    const { page } = visit
    await page.getByRole('link', { name: 'Cancel' }).click()
    assert.equal(addressOf(visit), LIST)
    assert.include(await page.locator('tr.is-marked').innerText(), 'Scene 29')

    await page.getByRole('link', { name: 'Scene 29', exact: true }).click()
    await page.locator('#field-title').fill('x'.repeat(100))
    await page.getByRole('button', { name: 'Save and next' }).click()
    await page.getByRole('alert').waitFor()
    await page.locator('#field-title').fill('Scene 29 b')
    await page.getByRole('button', { name: 'Save and next' }).click()
    assert.equal(await titleOf(visit), 'Scene 30')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: /^Delete/ }).click()
    assert.equal(addressOf(visit), LIST)
    assert.deepEqual(
      await Play.query()
        .where('isDeleted', true)
        .then((gone) => gone.map(({ title }) => title)),
      ['Scene 30']
    )
  })

  const widths = { 'light-theme': 360, 'dark-theme': 1280 }
  for (const theme of THEMES) {
    const width = widths[theme]
    test(`form and list have no accessibility violation before and after a save: ${theme}, ${width} px`, async ({
      assert,
    }) => {
      const visit = await open('Scene 29', { theme, width })
      assert.isAtMost(await visit.overflow(), 0)
      assert.deepEqual(await visit.accessibilityErrors(), [])
      await visit.page.getByRole('button', { name: 'Save changes' }).click()
      await visit.page.waitForURL('**/admin/Play/?*')
      await visit.page.locator('tr.is-marked').waitFor()
      assert.isAtMost(await visit.overflow(), 0)
      assert.deepEqual(await visit.accessibilityErrors(), [])
    })
  }
})
