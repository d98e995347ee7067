import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AdminSavedView, type AdminUser } from '#admin'
import type { Page } from 'playwright-core'
import { leaveModels, emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { THEMES, Visit } from '#tests/helpers/browser'

const path = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search

/* Narrow screens have them in a sheet. */
const headings = async (page: Page) => {
  const texts = await page.locator('.list-table thead th').allTextContents()
  return texts.map((text) => text.trim())
}

async function makeReels() {
  await db.from('reels').delete()
  await db.from('lenders').delete()
  const created = '2026-01-02 03:04:05'
  const [lender] = await db.table('lenders').insert({ name: 'Ealing', created_at: created })
  const reels = ['Rashomon', 'Ran', 'Ikiru'].map((title, index) => ({
    title,
    worldwide_gross: index * 100,
    lender_id: lender,
    created_at: created,
  }))
  await db.table('reels').multiInsert(reels)
}

test.group('Views and columns of a list, in a browser', (group) => {
  let ada: AdminUser
  group.setup(() => leaveModels('Reel', 'Lender'))

  group.each.setup(async () => {
    await emptyAdminTables()
    await makeReels()
    ada = await makeUser('ada', { isSuperuser: false })
  })

  test('[L5, L6] a user selects columns, saves them as a view and shares it, and another user opens it', async ({
    assert,
  }) => {
    const visited = await Visit.begin({ as: ada })
    const { page } = visited
    await page.goto('/admin/Reel/?filter.worldwide_gross__gte=100&sort_by=title&sort_order=asc')
    await page.getByRole('link', { name: 'Columns' }).click()
    const dialog = page.getByRole('dialog', { name: 'Columns of Reels' })
    await dialog.waitFor()
    const boxes = dialog.locator('input[name="columns"]:checked')
    for (const name of await boxes.evaluateAll((all) => all.map((box: any) => box.value))) {
      if (name !== 'title') await dialog.locator(`input[value="${name}"][name="columns"]`).uncheck()
    }
    /* By keyboard: the focus stays at the button while the column goes up. */
    await dialog.getByRole('checkbox', { name: 'Worldwide gross' }).check()
    const up = dialog.getByRole('button', { name: 'Move Worldwide gross up' })
    await up.focus()
    for (let count = 0; (await up.getAttribute('aria-disabled')) !== 'true'; count++) {
      assert.isBelow(count, 30)
      await page.keyboard.press('Enter')
    }
    assert.match(
      await dialog.getByRole('status').innerText(),
      /^Worldwide gross: position 1 of \d+$/
    )
    await dialog.getByRole('radio', { name: 'Compact' }).check()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.locator('[data-density="compact"]').waitFor()
    assert.deepEqual(await headings(page), ['Worldwide gross', 'Title'])
    assert.include(path(page), 'filter.worldwide_gross__gte=100')

    await page.getByRole('link', { name: 'Save view' }).click()
    const form = page.getByRole('dialog', { name: 'Save view' })
    await form.getByLabel('Name').fill('Big ones')
    await form.getByLabel('Share view').check()
    await page.keyboard.press('Control+s')
    await page.getByRole('link', { name: 'Big ones (shared)' }).waitFor()
    assert.match(path(page), /^\/admin\/Reel\/\?view=\d+$/)
    assert.deepEqual(visited.errors, [])

    const other = await Visit.begin({ as: await makeUser('bob', { isSuperuser: false }) })
    await other.page.goto('/admin/Reel/')
    await other.page.getByRole('link', { name: 'Big ones (shared)' }).click()
    await other.page.locator('a[aria-current="page"]', { hasText: 'Big ones' }).waitFor()
    assert.deepEqual(await headings(other.page), ['Worldwide gross', 'Title'])
    assert.deepEqual(await other.page.locator('tbody .lead').allInnerTexts(), ['Ikiru', 'Ran'])
    assert.equal(await other.page.locator('.list').getAttribute('data-density'), 'comfortable')
    await other.page.getByRole('link', { name: 'All', exact: true }).click()
    await other.page.waitForURL('**/admin/Reel/')
    assert.deepEqual(other.errors, [])
  })

  test('[L6] a column is dragged to its position; Escape and Cancel revert the changes', async ({
    assert,
  }) => {
    const { page } = await Visit.begin({ as: ada })
    await page.goto('/admin/Reel/?columns=title,worldwide_gross')
    const dialog = page.locator('#list-panel')
    const names = () =>
      dialog.locator('li').evaluateAll((rows) => rows.map((row: any) => row.dataset.label))
    await page.getByRole('link', { name: 'Columns' }).click()
    await dialog
      .locator('li')
      .nth(1)
      .dragTo(dialog.locator('li').nth(0), { targetPosition: { x: 200, y: 3 } })
    const [first, second] = await names()
    assert.deepEqual([first, second], ['Worldwide gross', 'Title'])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Columns' }).click()
    await dialog.locator('li').first().waitFor()
    const [leading] = await names()
    assert.equal(leading, 'Title')
    await dialog.getByRole('link', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.equal(path(page), '/admin/Reel/?columns=title,worldwide_gross')
  })

  test('[L5, L6] without JavaScript, columns can be moved and saved, and a view can be saved and deleted', async ({
    assert,
  }) => {
    const { page } = await Visit.begin({ as: ada, javaScript: false, width: 360 })
    await page.goto('/admin/Reel/?columns=title,worldwide_gross')
    await page.getByRole('link', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Move Worldwide gross up' }).click()
    await page.getByRole('button', { name: 'Apply' }).last().click()
    assert.deepEqual(await headings(page), ['Worldwide gross', 'Title'])
    await page.getByRole('link', { name: 'Save view' }).click()
    await page.getByLabel('Name').fill('Mine')
    await page.getByLabel('Open the list with this view').check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('View saved').waitFor()
    await page.goto('/admin/Reel/')
    await page.getByRole('link', { name: 'Edit view' }).click()
    await page.getByRole('link', { name: 'Delete view' }).click()
    await page.getByRole('heading', { name: 'Delete the view “Mine”?' }).waitFor()
    await page.getByRole('button', { name: 'Delete view' }).click()
    await page.getByText('View deleted').waitFor()
    assert.isEmpty(await AdminSavedView.all())
  })

  test('[L5, L6] views, columns and their forms are accessible and fit 360 px: {theme}')
    .with(THEMES.map((theme) => ({ theme })))
    .run(async ({ assert }, { theme }) => {
      await AdminSavedView.createMany(
        ['Big ones', 'A view with quite a long name that nobody can read', 'Third', 'Fourth'].map(
          (name) => ({ model: 'Reel', name, query: 'columns=title', ownerId: ada.id, shared: true })
        )
      )
      const { id } = await AdminSavedView.findByOrFail('name', 'Big ones')
      const visited = await Visit.begin({ as: ada, theme, width: 360 })
      const { page } = visited
      await page.goto(`/admin/Reel/?view=${id}&q=a`)
      assert.equal(await visited.overflow(), 0)
      await page.getByRole('link', { name: 'Columns' }).click()
      await page.locator('#list-panel[open] li').first().waitFor()
      assert.equal(await visited.overflow(), 0)
      assert.deepEqual(await visited.accessibilityErrors(), [])
      await page.goto(`/admin/Reel/views/${id}`)
      assert.equal(await visited.overflow(), 0)
      assert.deepEqual(await visited.accessibilityErrors(), [])
      await page.goto(`/admin/Reel/?view=${id}&q=a`)
      assert.deepEqual(await visited.accessibilityErrors(), [])
    })
})
