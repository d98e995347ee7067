import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import { emptyAdminTables, leaveModels, makeUser } from '#tests/helpers/admin'
import { THEMES, Visit } from '#tests/helpers/browser'
import { Recording, Studio } from '#tests/fixtures/references'
import { Shipment } from '#tests/fixtures/suggestions'

test.group('Search fields, in a browser', (group) => {
  let jo: AdminUser
  let studios: Studio[]
  group.setup(() => leaveModels('Recording', 'Studio', 'Shipment'))

  group.each.setup(async () => {
    await emptyAdminTables()
    await Recording.query().delete()
    await Studio.query().delete()
    jo = await makeUser('jo')
    studios = await Studio.createMany([
      ...Array.from({ length: 58 }, (_, index) => ({ name: `Studio ${index + 10}` })),
      { name: 'Abbey Road' },
      { name: 'Abbey <b>Lane</b>' },
    ])
  })

  const idOf = (name: string) => studios.find((studio) => studio.name === name)!.id

  async function visit(path = '/admin/Recording/create_page', how = {}) {
    const begun = await Visit.begin({ as: jo, ...how })
    await begun.page.goto(path)
    const field = begun.page.getByRole('combobox', { name: 'Studio' })
    const options = begun.page.getByRole('listbox', { name: 'Studio' }).getByRole('option')
    return { visit: begun, page: begun.page, field, options }
  }

  test('[B17] the keyboard alone finds an option by part of its title and selects it', async ({
    assert,
  }) => {
    const { visit: begun, page, field, options } = await visit()
    await page.getByLabel('Title').fill('Help!')
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(`document.activeElement.id`), await field.getAttribute('id'))
    await page.keyboard.type('abbey')
    await options.nth(1).waitFor()
    assert.deepEqual(await options.allTextContents(), ['Abbey <b>Lane</b>', 'Abbey Road'])

    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const active = await field.getAttribute('aria-activedescendant')
    assert.equal(await page.locator(`#${active}`).textContent(), 'Abbey Road')
    await page.keyboard.press('Enter')
    assert.equal(await field.inputValue(), 'Abbey Road')
    assert.equal(await field.getAttribute('aria-expanded'), 'false')
    assert.isFalse(await options.first().isVisible())

    await page.keyboard.press('Enter')
    await page.waitForURL('**/admin/Recording/')
    const { studioId } = await Recording.findByOrFail('title', 'Help!')
    assert.equal(studioId, idOf('Abbey Road'))
    assert.deepEqual(begun.errors, [])
  })

  test('[B17] typing in a text field suggests existing values, in forms and in the filter form of the list', async ({
    assert,
  }) => {
    const names = Array.from({ length: 60 }, (_, index) => `Carrier ${index}`)
    await Shipment.query().delete()
    await Shipment.createMany(
      [...names, ...names].map((carrier) => ({ title: 'Shipment', carrier }))
    )
    const begun = await Visit.begin({ as: jo })
    const { page } = begun
    const offered = (id: string) => page.locator(`#${id} + datalist option`)
    await page.goto('/admin/Shipment/create_page')
    await page.getByLabel('Carrier').focus()
    await offered('field-carrier').nth(49).waitFor({ state: 'attached' })
    await page.getByLabel('Carrier').pressSequentially('er 59')
    await offered('field-carrier').nth(1).waitFor({ state: 'detached' })
    assert.equal(await offered('field-carrier').getAttribute('value'), 'Carrier 59')

    await page.goto('/admin/Shipment/')
    await page.locator('#add-filter').click()
    await page.locator('.filter-columns').getByText('Carrier', { exact: true }).click()
    await offered('filter-value').nth(49).waitFor({ state: 'attached' })
    assert.deepEqual(begun.errors, [])
  })

  test('[B17] a click opens the list of options, and a click on an option selects it', async ({
    assert,
  }) => {
    const { page, field, options } = await visit()
    await field.click()
    await options.nth(49).waitFor()
    assert.lengthOf(await options.all(), 50)
    await page.getByText('The first 50 of more').first().waitFor()
    await options.filter({ hasText: 'Studio 12' }).click()
    assert.equal(await field.inputValue(), 'Studio 12')
    assert.equal(
      await page.locator('input[name="studio_id"]').inputValue(),
      String(idOf('Studio 12'))
    )
  })

  test('[B17] the arrow keys open the list of options and wrap around, and Escape closes it', async ({
    assert,
  }) => {
    const { page, field, options } = await visit()
    const active = async () => {
      const id = await field.getAttribute('aria-activedescendant')
      return id === null ? null : await page.locator(`#${id}`).textContent()
    }
    await field.focus()
    await page.keyboard.press('ArrowUp')
    await options.nth(49).waitFor()
    const all = await options.allTextContents()
    assert.equal(await active(), all[49])
    await page.keyboard.press('ArrowDown')
    assert.equal(await active(), all[0])
    await page.keyboard.press('ArrowUp')
    assert.equal(await active(), all[49])
    await page.keyboard.press('Escape')
    assert.equal(await field.getAttribute('aria-expanded'), 'false')
    assert.isNull(await active())
    assert.equal(await page.locator('input[name="studio_id"]').inputValue(), '')
  })

  test('[B17] Escape discards the typed text', async ({ assert }) => {
    const { id } = await Recording.create({ title: 'Help!', studioId: idOf('Abbey Road') })
    const { page, field, options } = await visit(`/admin/Recording/update/${id}`)
    assert.equal(await field.inputValue(), 'Abbey Road')
    await field.fill('Studio 3')
    await options.first().waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    assert.equal(await field.inputValue(), 'Abbey Road')
    assert.equal(
      await page.locator('input[name="studio_id"]').inputValue(),
      String(idOf('Abbey Road'))
    )
  })

  test('[B17] the current reference is marked as selected', async ({ assert }) => {
    const { id } = await Recording.create({ title: 'Help!', studioId: idOf('Abbey Road') })
    const { field, options } = await visit(`/admin/Recording/update/${id}`)
    await field.click()
    await options.first().waitFor()
    const chosen = options.and(field.page().locator('[aria-selected="true"]'))
    assert.deepEqual(await chosen.allTextContents(), ['Abbey Road'])
  })

  test('[B17] a typed text without a matching record is not submitted', async ({ assert }) => {
    const { page, field } = await visit()
    await page.getByLabel('Title').fill('Help!')
    await field.fill('nowhere')
    await page.getByText('Nothing found').first().waitFor()
    await page.getByLabel('Title').focus()
    await page.getByRole('button', { name: 'Create' }).click()
    assert.equal(
      await page.evaluate(`document.querySelector('[role="combobox"]').validationMessage`),
      'Choose one from the list.'
    )
    assert.lengthOf(await Recording.all(), 0)
  })

  test('[B17] typing the full title of a record selects it, ignoring case', async ({ assert }) => {
    const { page, field, options } = await visit()
    await field.fill('abbey road')
    await options.first().waitFor()
    await page.getByLabel('Title').focus()
    assert.equal(await field.inputValue(), 'Abbey Road')
    assert.equal(
      await page.locator('input[name="studio_id"]').inputValue(),
      String(idOf('Abbey Road'))
    )
  })

  test('[B17] the number of matching options is announced to screen readers', async ({
    assert,
  }) => {
    const { page, field, options } = await visit()
    await field.fill('abbey')
    await options.nth(1).waitFor()
    assert.equal(await page.locator('.combobox [role="status"]').textContent(), '2 choices')
  })

  test('[B17] a failed search for options shows a message', async ({ assert }) => {
    const { visit: begun, page, field } = await visit()
    await begun.context.route('**/choices/**', (route) => route.abort())
    await field.fill('abbey')
    await page.getByText('The search failed.').first().waitFor()
    assert.equal(await field.inputValue(), 'abbey')
  })

  test('[B17] a search field still finds options after htmx has returned the form with an error', async ({
    assert,
  }) => {
    const { page, field, options } = await visit()
    await page.evaluate(`document.getElementById('record-form').noValidate = true`)
    await field.fill('Abbey Road')
    await options.first().click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Please correct the errors below.').waitFor()
    assert.equal(await field.inputValue(), 'Abbey Road')
    assert.lengthOf(await page.locator('.combobox input[type="hidden"]').all(), 1)
    await field.fill('lane')
    await options.first().click()
    assert.equal(await field.inputValue(), 'Abbey <b>Lane</b>')
  })

  test('[B24, B17] without JavaScript the user types the key of the record', async ({ assert }) => {
    const { page } = await visit(undefined, { javaScript: false })
    await page.getByLabel('Title').fill('Help!')
    await page.getByLabel('Studio').fill(String(idOf('Abbey Road')))
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL('**/admin/Recording/')
    const { studioId } = await Recording.findByOrFail('title', 'Help!')
    assert.equal(studioId, idOf('Abbey Road'))
  })

  test('[B17] the open list of options is accessible and fits every screen in the {$self}')
    .with(THEMES)
    .run(async ({ assert }, theme) => {
      const { visit: begun, page, field, options } = await visit(undefined, { theme })
      await field.click()
      await options.first().waitFor()
      await page.keyboard.press('ArrowDown')
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 })
        assert.isTrue(await options.first().isVisible())
        assert.equal(await begun.overflow(), 0)
        assert.deepEqual(begun.errors, [])
        assert.deepEqual(await begun.accessibilityErrors({ resized: width < 1280 }), [])
      }
    })
})
