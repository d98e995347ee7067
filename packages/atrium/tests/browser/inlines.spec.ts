import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { Camel, Caravan, TABLES } from '#tests/fixtures/inlines'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { getsFocus, Visit } from '#tests/helpers/browser'

/* The browser logs an expected 400 response to the console. */
const RESPONDED = /^console: Failed to load resource: .* status of 400/

test.group('Rows in a form, in a browser', (group) => {
  let caravan: Caravan

  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(table).delete()
    caravan = await Caravan.create({ name: 'Silk' })
    for (const [index, name] of ['Asra', 'Basim', 'Chadi'].entries()) {
      await Camel.create({ caravanId: caravan.id, name, weight: 100 + index, position: index + 1 })
    }
  })

  const stored = async () => {
    const rows = await Camel.query().orderBy('position')
    return rows.map(({ name, weight }) => `${name} ${weight}`)
  }

  test('[R2] rows can be added, moved and removed, and an error in a row corrected', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto(`/admin/Caravan/update/${caravan.id}`)
    const camels = page.getByRole('region', { name: 'Camels' })
    const said = camels.getByRole('status')
    const field = (label: string, row: number) => camels.getByLabel(`${label}, row ${row}`)

    assert.equal(await camels.locator('.inline-row').count(), 3)
    await camels.getByRole('button', { name: 'Add camel' }).click()
    assert.isTrue(await getsFocus(field('Name', 4)))
    assert.equal(await said.innerText(), 'Row 4 added')
    await page.keyboard.type('Dalal')
    await field('Weight', 4).fill('900')
    await camels.getByRole('button', { name: 'Move row 4 up' }).press('Enter')
    assert.equal(await said.innerText(), 'Moved to row 3')
    assert.isTrue(await getsFocus(camels.getByRole('button', { name: 'Move row 3 up' })))
    assert.equal(await field('Name', 3).inputValue(), 'Dalal')

    /* Alt and an arrow key move the row, and the focus stays in its field. */
    await field('Name', 3).press('Alt+ArrowDown')
    assert.equal(await said.innerText(), 'Moved to row 4')
    assert.isTrue(await getsFocus(field('Name', 4)))
    assert.equal(await field('Name', 4).inputValue(), 'Dalal')
    await page.keyboard.press('Alt+ArrowUp')
    assert.equal(await said.innerText(), 'Moved to row 3')

    await camels.getByRole('button', { name: 'Remove, 1' }).click()
    assert.include(await said.innerText(), 'Row 1 will be removed when you save')
    assert.isTrue(await field('Name', 1).isDisabled())
    await camels.getByRole('button', { name: 'Keep, 1' }).click()
    assert.isFalse(await field('Name', 1).isDisabled())
    await camels.getByRole('button', { name: 'Remove, 1' }).click()
    await camels.getByRole('button', { name: 'Remove, 2' }).click()
    await camels.getByRole('button', { name: 'Keep, 2' }).click()
    assert.deepEqual(await visit.accessibilityErrors(), [])

    await page.locator('#record-form').evaluate((form: any) => void (form.noValidate = true))
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('alert').waitFor()
    assert.isTrue(await getsFocus(field('Weight', 3)))
    assert.equal(await field('Weight', 3).inputValue(), '900')
    assert.isTrue(await camels.getByRole('button', { name: 'Keep, 1' }).isVisible())
    await page.getByRole('link', { name: /^Camels, row 3: / }).click()
    assert.isTrue(await getsFocus(field('Weight', 3)))
    assert.deepEqual(await stored(), ['Asra 100', 'Basim 101', 'Chadi 102'])
    assert.deepEqual(await visit.accessibilityErrors(), [])

    await field('Weight', 3).fill('90')
    await page.setViewportSize({ width: 360, height: 800 })
    assert.isAtMost(await visit.overflow(), 0)
    assert.isTrue(await camels.locator('.inline-row').first().getByText('Weight').isVisible())
    assert.deepEqual(await visit.accessibilityErrors(), [])
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL('**/admin/Caravan/')
    assert.deepEqual(await stored(), ['Basim 101', 'Dalal 90', 'Chadi 102'])
    const errors = visit.errors.filter((error) => !RESPONDED.test(error))
    assert.deepEqual(errors, [])
  })

  test('[R2] without JavaScript the form has blank rows, checkboxes and position fields', async ({
    assert,
  }) => {
    const visit = await Visit.begin({
      as: await makeUser('ada'),
      javaScript: false,
      theme: 'dark-theme',
    })
    const { page } = visit
    await page.goto(`/admin/Caravan/update/${caravan.id}`)
    const camels = page.getByRole('region', { name: 'Camels' })
    await camels.getByLabel('Position, row 3').fill('1')
    await camels.getByLabel('Position, row 1').fill('3')
    await camels.getByLabel('Remove, row 2').check()
    await camels.getByLabel('Name, row 4').fill('Dalal')
    await camels.getByLabel('Weight, row 4').fill('90')
    await camels.getByRole('button', { name: 'Add camel' }).click()
    assert.equal(await camels.getByLabel('Name, row 4').inputValue(), 'Dalal')
    assert.isTrue(await camels.getByLabel('Name, row 9').isVisible())
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL('**/admin/Caravan/')
    assert.deepEqual(await stored(), ['Chadi 102', 'Asra 100', 'Dalal 90'])
  })
})
