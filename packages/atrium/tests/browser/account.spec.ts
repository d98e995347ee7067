import { test } from '@japa/runner'
import { AdminSession, type AdminUser } from '#admin'
import { adminSite, leaveModels, cookiesOf, emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { THEMES, Visit } from '#tests/helpers/browser'
import { issueToken } from '#tests/helpers/tokens'

const NEW = 'battery staple 7 moons'

test.group('Account and invitations, in a browser', (group) => {
  let ada: AdminUser
  group.setup(() => leaveModels('Reel', 'Utensil'))

  group.each.setup(async () => {
    await emptyAdminTables()
    ada = await makeUser('ada')
  })

  test(
    '[U7, U12, U13] the account, invitation and password link pages fit a phone and are accessible: {$self}'
  )
    .with(THEMES)
    .run(async ({ assert }, theme) => {
      await issueToken(ada, ['Reel:*', 'Utensil:read'], { name: 'W'.repeat(64) })
      await cookiesOf(ada)
      const visit = await Visit.begin({ as: ada, theme, width: 360 })
      const { page } = visit
      const check = async () => {
        await page.evaluate('scrollTo(0, 0)')
        assert.equal(await visit.overflow(), 0, page.url())
        assert.deepEqual(await visit.accessibilityErrors(), [], page.url())
      }
      await page.goto('/admin/account')
      const field = page.getByLabel('New password', { exact: true })
      const words = page.locator('#new-password-strength [aria-live="polite"]')
      for (const [typed, verdict] of [
        ['short', 'too short'],
        ['Ada-2026!', 'too close to the user name'],
        ['password2', 'weak'],
        [NEW, 'strong'],
      ]) {
        await field.fill(typed)
        await words.filter({ hasText: verdict }).waitFor()
      }
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      assert.equal(await field.getAttribute('type'), 'text')
      await check()
      assert.deepEqual(visit.errors, [])

      await page.goto('/admin/AdminUser/create_page')
      await page.getByLabel('User name').fill('kim')
      await page.getByLabel('Invite instead of a password').check()
      await page.getByRole('button', { name: 'Create' }).click()
      await page.waitForURL(/AdminUser\/update\/\d+#password-link$/)
      await page.getByRole('button', { name: 'Create an invitation link' }).click()
      const link = page.getByLabel('Link', { exact: true })
      await link.waitFor()
      const { pathname } = new URL(await link.inputValue())
      await check()
      await page.goto(pathname)
      await page.getByLabel('Password', { exact: true }).fill(NEW)
      await page.getByLabel('Repeat password').fill(NEW)
      await check()
      await page.getByRole('button', { name: 'Set password' }).click()
      /* Signed in as another user already: the login leads on. */
      await page.waitForURL((url) => !url.pathname.includes('invitation'))
      await page.goto(pathname)
      await page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor()
      await check()
    })

  test('[U7, U14] a session can be ended, and a superuser can sign in as another user and return', async ({
    assert,
  }) => {
    const kim = await makeUser('kim', { isSuperuser: false })
    await cookiesOf(ada)
    const visit = await Visit.begin({ as: ada, width: 360 })
    const { page } = visit
    await page.goto('/admin/account')
    await page.getByRole('button', { name: /^End the session of/ }).click()
    await page.getByText('The session has ended').waitFor()
    assert.lengthOf(await AdminSession.query().where({ userId: ada.id, isActive: true }), 1)
    await page.goto(`/admin/AdminUser/update/${kim.id}`)
    await page.getByRole('button', { name: 'Sign in as kim' }).click()
    await page.getByText('ada, you are signed in as kim.').waitFor()
    assert.equal(await visit.overflow(), 0)
    assert.deepEqual(await visit.accessibilityErrors(), [])
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.waitForURL(/AdminUser\/update/)
    assert.deepEqual(visit.errors, [])
  })

  test('[U16] a notice fits on one line of a desktop screen', async ({ assert }) => {
    const site = await adminSite()
    await site.notices.notify(ada, 'new_device', {
      device: 'Safari on iPhone',
      address: '192.0.2.7',
    })
    const { page } = await Visit.begin({ as: ada })
    await page.goto('/admin')
    const { height } = (await page.locator('.notices').boundingBox())!
    assert.isAtMost(height, 44)
  })
})
