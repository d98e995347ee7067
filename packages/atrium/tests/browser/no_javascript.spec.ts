import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { adminSite, emptyAdminTables, makeUser, PASSWORD } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'

test.group('Pages without JavaScript', (group) => {
  group.each.setup(() => emptyAdminTables())

  test('[B24] login, navigation and logout are possible', async ({ assert }) => {
    const user = await makeUser('ada')
    const visit = await Visit.begin({ javaScript: false })
    const { page } = visit

    await page.goto('/admin')
    await page.getByRole('status').filter({ hasText: 'Log in to continue.' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await visit.signIn('ada', 'wrong')
    assert.equal(
      await page.getByRole('alert').innerText(),
      'The user name or the password is wrong.'
    )
    await visit.signIn('ada', PASSWORD)
    await page.waitForURL('**/admin')

    await db.from('reels').delete()
    await db.from('lenders').delete()
    await page.getByRole('link', { name: 'Refresh' }).click()
    const none = page.getByRole('link', { name: 'Lenders 0 records' })
    await none.waitFor()
    await db.table('lenders').insert({ name: 'Rank', created_at: '2026-11-21 08:00:00' })
    await page.getByRole('link', { name: 'Refresh' }).click()
    await page.getByRole('link', { name: 'Lenders 1 record' }).waitFor()
    assert.isTrue(await page.locator('nav').isVisible())

    await page.getByText('Show as a table').click()
    await page.getByRole('columnheader', { name: 'Day' }).waitFor()

    await page.locator('.side').getByRole('link', { name: 'Utensil' }).click()
    await page.waitForURL('**/admin/Utensil/')
    await page.getByRole('link', { name: 'Atrium' }).click()
    await page.waitForURL('**/admin')

    await page.getByRole('link', { name: 'Log out' }).click()
    await page.waitForURL('**/admin/login')
    const { sessionManager } = await adminSite()
    assert.lengthOf(await sessionManager.activeOf(user.id), 0)
    await page.goBack()
    assert.match(page.url(), /\/admin\/login\?/)
    assert.deepEqual(visit.errors, [])
  })

  test('[B24] the theme form returns to the page that it is on', async ({ assert }) => {
    const visit = await Visit.begin({ as: await makeUser('ada'), javaScript: false })
    const { page } = visit
    await page.goto('/admin/nowhere')
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
    await page.getByRole('button', { name: 'Switch to the light theme' }).waitFor()
    assert.match(page.url(), /\/admin\/nowhere$/)
    assert.equal(await visit.theme(), 'dark-theme dark')

    await page.reload()
    assert.equal(await visit.theme(), 'dark-theme dark')
    await page.getByRole('button', { name: 'Switch to the light theme' }).click()
    await page.getByRole('button', { name: 'Switch to the dark theme' }).waitFor()
    assert.equal(await visit.theme(), 'light-theme')
  })

  test('[B24] the theme form of the login page preserves the return path', async ({ assert }) => {
    await makeUser('ada')
    const visit = await Visit.begin({ javaScript: false })
    const { page } = visit
    await page.goto('/admin/Utensil/?page=2')
    const before = page.url()
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
    await page.getByRole('button', { name: 'Switch to the light theme' }).waitFor()
    assert.equal(page.url(), before)

    await page.goto('/admin/login')
    await page.getByRole('button', { name: 'Switch to the light theme' }).click()
    await page.getByRole('button', { name: 'Switch to the dark theme' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
  })

  test('[B24] the menu of a narrow screen can be opened', async ({ assert }) => {
    const visit = await Visit.begin({
      as: await makeUser('ada'),
      javaScript: false,
      width: 360,
    })
    const { page } = visit
    await page.goto('/admin')
    assert.isFalse(await page.locator('.side').isVisible())
    await page.locator('.menu-switch summary').click()
    await page.locator('.side').getByRole('link', { name: 'Utensil' }).click()
    await page.waitForURL('**/admin/Utensil/')
  })
})
