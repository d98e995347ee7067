import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'

test.group('Refusals of the policy, in a browser', (group) => {
  let ada: AdminUser

  group.each.setup(async () => {
    await emptyAdminTables()
    ada = await makeUser('ada')
  })

  test('[P14, S39] a form shows that the policy refused it, and preserves the submitted values', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: ada })
    const { page } = visit
    await page.goto('/admin/Ruled/create_page')
    await page.locator('#field-title').fill('sealed')
    await page.getByRole('button', { name: 'Create' }).click()
    const said = page.locator('#flash [data-kind="error"]')
    await said.waitFor()
    assert.equal(await said.innerText(), 'Not allowed. Your account does not have the permission.')
    assert.equal(await page.locator('#field-title').inputValue(), 'sealed')
    assert.deepEqual(
      visit.errors.filter((error) => !/status of 403/.test(error)),
      []
    )
  })
})
