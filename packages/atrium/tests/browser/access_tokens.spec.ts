import { test } from '@japa/runner'
import { AdminAccessToken, type AdminUser } from '#admin'
import { emptyAdminTables, leaveModels, makeUser } from '#tests/helpers/admin'
import { getsFocus, THEMES, Visit } from '#tests/helpers/browser'
import { issueToken } from '#tests/helpers/tokens'

test.group('Access tokens, in a browser', (group) => {
  let ada: AdminUser
  group.setup(() => leaveModels('Reel', 'Utensil'))

  group.each.setup(async () => {
    await emptyAdminTables()
    ada = await makeUser('ada')
  })

  test('[P10] the pages of access tokens are accessible and fit every screen: {$self}')
    .with(THEMES)
    .run(async ({ assert }, theme) => {
      await issueToken(ada, ['Reel:*', 'Utensil:read', '*:create'], { name: 'W'.repeat(64) })
      await issueToken(ada)
      const visit = await Visit.begin({ as: ada, theme })
      const { page } = visit
      const check = async () => {
        for (const width of [1280, 360]) {
          await page.setViewportSize({ width, height: 740 })
          /* The sticky top bar would cover elements that axe checks. */
          await page.evaluate('scrollTo(0, 0)')
          assert.equal(await visit.overflow(), 0, `${page.url()} at ${width}`)
          assert.deepEqual(
            await visit.accessibilityErrors({ resized: width < 1280 }),
            [],
            `${page.url()} at ${width}`
          )
        }
      }
      await page.goto(`/admin/AdminUser/update/${ada.id}`)
      await check()
      await page.getByLabel('Name *', { exact: true }).last().fill('ci')
      await page.getByText('Other abilities').click()
      const other = page.locator('#field-token_abilities')
      await other.fill('Flim:*')
      await page.getByRole('checkbox', { name: 'Read: Utensil' }).check()
      await page.getByRole('button', { name: 'Create token' }).click()
      await page.getByText('names a model without endpoints').waitFor()
      await check()
      assert.isTrue(await getsFocus(other))
      assert.isTrue(await page.getByRole('checkbox', { name: 'Read: Utensil' }).isChecked())

      await other.fill('Reel:*')
      await page.getByRole('button', { name: 'Create token' }).click()
      await page.getByRole('heading', { name: 'Access token ci' }).waitFor()
      await check()
      await page.goto('/admin/AdminAccessToken/')
      await check()
      assert.deepEqual(visit.errors, [])
    })

  test('[P10, B24] a token is issued and deleted without JavaScript', async ({ assert }) => {
    const jo = await makeUser('jo')
    const visit = await Visit.begin({ as: ada, javaScript: false })
    const { page } = visit
    await page.goto(`/admin/AdminUser/update/${jo.id}`)
    await page.locator('#field-token_name').fill('ci')
    await page.getByRole('checkbox', { name: 'Read: Reel' }).check()
    await page.getByRole('checkbox', { name: 'Create: All models' }).check()
    await page.getByLabel('Expires').selectOption('Never')
    await page.getByRole('button', { name: 'Create token' }).click()
    const token = await page.getByLabel('Token', { exact: true }).inputValue()
    await page.getByText('Reel:read, Reel:read_multi').waitFor()
    assert.match(token, /^atr_[\w-]+\.[\w-]+$/)
    assert.notInclude(page.url(), 'atr_')

    /* Switching the theme returns to the page of the user, which no longer shows the token. */
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
    await page.getByRole('button', { name: 'Delete the access token ci' }).waitFor()
    assert.notInclude(await page.content(), token)
    await page.getByRole('button', { name: 'Delete the access token ci' }).click()
    await page.getByRole('heading', { name: 'Delete 1 access token?' }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('1 access token deleted').waitFor()
    assert.match(page.url(), new RegExp(`/admin/AdminUser/update/${jo.id}$`))
    assert.isEmpty(await AdminAccessToken.all())
    assert.deepEqual(visit.errors, [])
  })
})
