import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { getsFocus, Visit, type Theme } from '#tests/helpers/browser'
import { Genre, Recording, Studio } from '#tests/fixtures/references'

/* The browser logs expected 422 responses to the console. */
const RESPONDED = /^console: Failed to load resource: .* status of 422/

test.group('Creating the record of a reference in a dialog, in a browser', (group) => {
  let jo: AdminUser

  group.each.setup(async () => {
    await emptyAdminTables()
    for (const model of [Recording, Studio, Genre]) await model.query().delete()
    jo = await makeUser('jo')
  })

  async function open(how: { theme?: Theme; width?: number } = {}) {
    const visit = await Visit.begin({ as: jo, ...how })
    const { page } = visit
    await page.goto('/admin/Recording/create_page')
    await page.locator('#field-title').fill('Help!')
    return { visit, page, dialog: page.locator('.new-reference-dialog') }
  }

  test('[R5] a record created in the dialog is selected in the search field, and errors are shown in the dialog', async ({
    assert,
  }) => {
    await Studio.createMany(Array.from({ length: 60 }, (_, index) => ({ name: `Studio ${index}` })))
    const { visit, page, dialog } = await open()
    const before = page.url()
    await page.getByRole('button', { name: 'New studio…' }).click()
    const name = dialog.getByLabel('Name')
    await name.waitFor()
    assert.isTrue(await getsFocus(name))
    await dialog.locator('form').evaluate((form: any) => void (form.noValidate = true))
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'Please correct' }).waitFor()
    assert.isTrue(await getsFocus(name))
    assert.deepEqual(await visit.accessibilityErrors(), [])

    await name.fill('Abbey Road')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    const picker = page.getByRole('combobox', { name: 'Studio' })
    assert.equal(await picker.inputValue(), 'Abbey Road')
    assert.isTrue(await getsFocus(picker))
    assert.equal(await page.locator('#field-title').inputValue(), 'Help!')
    assert.equal(page.url(), before)

    /* Enter saves the form, not the button next to the reference. */
    await page.locator('#field-title').focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/admin/Recording/')
    const studio = await Studio.findByOrFail('name', 'Abbey Road')
    const { studioId } = await Recording.firstOrFail()
    assert.equal(studioId, studio.id)
    assert.deepEqual(
      visit.errors.filter((error) => !RESPONDED.test(error)),
      []
    )
  })

  test('[R5, L12.3] Escape asks for confirmation only after input, Ctrl+S saves, and a select gets the new record as an option', async ({
    assert,
  }) => {
    const { page, dialog } = await open({ theme: 'dark-theme', width: 360 })
    const button = page.getByRole('button', { name: 'New genre…' })
    await button.click()
    await dialog.getByLabel('Code').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    assert.isTrue(await getsFocus(button))

    await button.click()
    await dialog.getByLabel('Code').fill('pop')
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Stay' }).click()
    assert.equal(await dialog.getByLabel('Code').inputValue(), 'pop')
    await dialog.getByLabel('Code').press('Control+s')
    await dialog.waitFor({ state: 'hidden' })
    const select = page.getByLabel('Genre code')
    assert.equal(await select.inputValue(), 'pop')
    assert.isTrue(await getsFocus(select))
    assert.equal(await page.locator('#field-title').inputValue(), 'Help!')
  })

  test('[R5] the dialog reports an ended session and preserves the input', async ({ assert }) => {
    const { page, dialog } = await open()
    await page.getByRole('button', { name: 'New genre…' }).click()
    await dialog.getByLabel('Code').fill('pop')
    await page.context().clearCookies()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Your session has ended.').waitFor()
    assert.equal(await dialog.getByLabel('Code').inputValue(), 'pop')
    assert.isEmpty(await Genre.all())
  })

  test('[R5] the dialog shows why a record was not saved and preserves the input: {fails}')
    .with([
      { fails: 'away', text: 'The server could not be reached.' },
      { fails: 504, text: 'The server could not be reached.' },
      { fails: 503, text: 'The server is busy and could not save this.' },
      { fails: 500, text: 'The server could not save this.' },
      { fails: 403, text: 'Not allowed. Your account does not have the permission' },
      { fails: 413, text: 'The server does not accept this form.' },
    ] as const)
    .run(async ({ assert }, { fails, text }) => {
      const { page, dialog } = await open()
      await page.getByRole('button', { name: 'New genre…' }).click()
      await dialog.getByLabel('Code').fill('pop')
      await page.route('**/Genre/form_create**', (route) =>
        fails === 'away' ? route.abort() : route.fulfill({ status: fails, body: 'x' })
      )
      await dialog.getByRole('button', { name: 'Create' }).click()
      await dialog.getByText(text).waitFor()
      assert.equal(await dialog.locator('[data-failure]:visible').count(), 1)
      assert.equal(await dialog.getByLabel('Code').inputValue(), 'pop')
    })
})
