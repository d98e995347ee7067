import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { THEMES, Visit } from '#tests/helpers/browser'
import { Machine, Maker } from '#tests/fixtures/forms'

const COLUMNS = 'name,status,amount,active,maker_id,data,website'
const LIST = `/admin/Machine/?columns=${COLUMNS}&sort_by=name&sort_order=asc`

test.group('Cells of a list, in a browser', (group) => {
  let ada: AdminUser

  group.each.setup(async () => {
    await emptyAdminTables()
    await Machine.query().delete()
    await Maker.query().delete()
    ada = await makeUser('ada')
    await Maker.createMany(
      Array.from({ length: 60 }, (_, index) => ({
        name: `Maker ${String(index).padStart(2, '0')}`,
      }))
    )
    const maker = await Maker.query().firstOrFail()
    await Machine.createMany(
      ['Anvil', 'Bellows', 'Crane'].map((name, index) => ({
        name,
        status: 'draft',
        amount: index,
        active: true,
        data: '{"a":1}',
        colours: '[]',
        makerId: maker.id,
        website: 'https://example.test',
      }))
    )
  })

  const begin = async (options: Parameters<typeof Visit.begin>[0] = {}) => {
    const visit = await Visit.begin({ as: ada, ...options })
    await visit.page.goto(LIST)
    return visit
  }

  const named = (name: string) => Machine.findByOrFail('name', name)

  /** A cell, by the title of its record and the number of its column. */
  const cell = ({ page }: Visit, name: string, column: string) =>
    page
      .locator('tbody tr')
      .filter({ has: page.getByRole('link', { name, exact: true }) })
      .locator(':is(th, td)')
      .nth(COLUMNS.split(',').indexOf(column) + 1)

  const editor = ({ page }: Visit) => page.locator('.cell-editor')
  const focused = ({ page }: Visit) =>
    page.evaluate(`document.activeElement.closest('th, td, body').innerText.trim()`)
  /** A browser complains of refusals in its console, too. */
  const errorsOf = ({ errors }: Visit) =>
    errors.filter((text) => !/status of (412|422) /.test(text))
  const isClosed = (visit: Visit) => editor(visit).waitFor({ state: 'detached' })

  test('[L10] a double click or Enter edits a cell, errors and conflicts are shown, and Escape cancels', async ({
    assert,
  }) => {
    const visit = await begin()
    const { page } = visit
    const amount = cell(visit, 'Bellows', 'amount')
    await amount.dblclick()
    const field = editor(visit).getByLabel('Amount')
    assert.equal(await field.inputValue(), '1')
    assert.isTrue(await field.evaluate((one: any) => one === one.ownerDocument.activeElement))
    await field.fill('12')
    await field.press('Enter')
    await isClosed(visit)
    assert.equal(await amount.innerText(), '12')
    const { amount: stored } = await named('Bellows')
    assert.equal(stored, 12)

    /* The focus is back at the cell, which says that it can be edited. */
    assert.equal(await focused(visit), '12')
    const hint = await amount.getAttribute('aria-describedby')
    assert.equal(await page.locator(`#${hint}`).textContent(), 'Can be edited: press Enter')

    /* Escape leaves what was typed behind. */
    await page.keyboard.press('Enter')
    await field.fill('99')
    await field.press('Escape')
    await isClosed(visit)
    assert.equal(await amount.innerText(), '12')
    assert.equal(await focused(visit), '12')

    /* Nothing changed: nothing is sent. */
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.method()))
    await page.keyboard.press('Enter')
    await field.press('Enter')
    await isClosed(visit)
    assert.notInclude(sent, 'POST')

    /* An error is at the cell: the browser's, and the server's. */
    await page.keyboard.press('Enter')
    await field.fill('1001')
    await field.press('Enter')
    const error = editor(visit).getByRole('alert')
    await error.waitFor()
    assert.match(await error.innerText(), /1000/)
    /* The value of a number that is none is empty, as if there was nothing to save. */
    await field.press('Escape')
    await page.goto(LIST.replace(COLUMNS, 'name,big'))
    await page.locator('tbody tr').nth(1).locator('td').last().dblclick()
    await editor(visit).getByLabel('Big').pressSequentially('12e')
    await page.keyboard.press('Enter')
    await error.waitFor()
    await page.keyboard.press('Escape')
    await page.goto(LIST)
    const name = cell(visit, 'Crane', 'name')
    await page.getByRole('link', { name: 'Crane', exact: true }).focus()
    await page.keyboard.press('F2')
    await editor(visit).getByLabel('Name').fill('Perpetuum mobile')
    await page.keyboard.press('Enter')
    await error.waitFor()
    assert.equal(await error.innerText(), 'Such a machine does not exist')
    const described = await editor(visit).getByLabel('Name').getAttribute('aria-describedby')
    assert.equal(described, await error.getAttribute('id'))
    assert.equal(await editor(visit).getByLabel('Name').inputValue(), 'Perpetuum mobile')
    await page.keyboard.press('Escape')
    assert.equal(await name.innerText(), 'Crane')

    /* Another user has written in the meantime: nothing is saved until Enter is pressed again. */
    await amount.dblclick()
    await field.fill('13')
    await Machine.query().where('name', 'Bellows').update({ amount: 500, status: 'paid' })
    await field.press('Enter')
    await error.waitFor()
    assert.include(await error.innerText(), 'It is now: 500.')
    assert.equal(await cell(visit, 'Bellows', 'status').innerText(), 'paid')
    const saved = await named('Bellows')
    assert.equal(saved.amount, 500)
    assert.equal(await field.inputValue(), '13')
    await field.press('Escape')
    assert.equal(await amount.innerText(), '500')
    await amount.dblclick()
    await field.fill('13')
    await Machine.query().where('name', 'Bellows').update({ amount: 501 })
    await field.press('Enter')
    await error.waitFor()
    await field.press('Enter')
    await isClosed(visit)
    const { amount: overwritten } = await named('Bellows')
    assert.equal(overwritten, 13)
    assert.deepEqual(errorsOf(visit), [])
  })

  test('[L10, G5.4] the figures of the list include a saved cell', async ({ assert }) => {
    const visit = await begin()
    const { page } = visit
    await page.goto(`${LIST}&summary=amount:sum`)
    const figures = page.locator('.list-summary')
    assert.match(await figures.innerText(), /Total\s+3\b/)
    await cell(visit, 'Anvil', 'amount').dblclick()
    await editor(visit).locator('input:not([type="hidden"])').fill('40')
    await page.keyboard.press('Enter')
    await figures.filter({ hasText: '43' }).waitFor()
    assert.deepEqual(errorsOf(visit), [])
  })

  test('[L10] Tab saves a cell and edits the next one, arrow keys move between cells, and links in cells can be opened', async ({
    assert,
  }) => {
    const visit = await begin()
    const { page } = visit
    await page.locator('tbody input[name="ids"]').first().check()
    await cell(visit, 'Anvil', 'status').dblclick()
    await editor(visit).getByLabel('Status').selectOption('sent')
    await page.keyboard.press('Tab')
    const amount = editor(visit).getByLabel('Amount')
    await amount.waitFor()
    await amount.fill('7')
    await page.keyboard.press('Tab')
    const active = editor(visit).getByLabel('Active')
    await active.waitFor()
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    const maker = editor(visit).getByRole('combobox')
    await maker.waitFor()
    await maker.fill('Maker 42')
    await page.getByRole('option', { name: 'Maker 42' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await isClosed(visit)
    const anvil = await named('Anvil')
    const { name } = await Maker.findOrFail(anvil.makerId)
    assert.deepEqual([anvil.status, anvil.amount, name], ['sent', 7, 'Maker 42'])
    assert.isFalse(Boolean(anvil.active))
    assert.equal(await cell(visit, 'Anvil', 'maker_id').innerText(), 'Maker 42')
    /* The row was replaced; what is selected is not lost. */
    assert.isTrue(await page.locator('tbody input[name="ids"]').first().isChecked())

    /* JSON is passed over. */
    await page.keyboard.press('ArrowRight')
    assert.equal(await focused(visit), 'https://example.test')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    assert.equal(await focused(visit), '1')
    await page.keyboard.press('Enter')
    await amount.waitFor()
    await page.keyboard.press('Shift+Tab')
    await editor(visit).getByLabel('Status').waitFor()
    /* A click elsewhere saves, as in a spreadsheet. */
    await editor(visit).getByLabel('Status').selectOption('paid')
    await page.getByRole('heading', { level: 1 }).click()
    await isClosed(visit)
    const bellows = await named('Bellows')
    assert.deepEqual([bellows.status, bellows.amount], ['paid', 1])

    await cell(visit, 'Bellows', 'data').dblclick()
    await page.waitForTimeout(100)
    assert.equal(await editor(visit).count(), 0)
    await page.keyboard.press('j')
    await page.keyboard.press('ArrowRight')
    assert.equal(await focused(visit), 'Anvil')
    await page.getByRole('link', { name: 'Crane', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/update/*')
    assert.deepEqual(visit.errors, [])
  })

  test('[L10] the editor of a cell is accessible, and fits a narrow screen in both themes', async ({
    assert,
  }) => {
    const visit = await begin()
    const { page } = visit
    for (const [width, theme] of [
      [1280, 'light'],
      ...(THEMES.includes('dark-theme') ? [[1280, 'dark'] as const] : []),
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.evaluate(
        `for (const name of ['dark', 'dark-theme']) document.documentElement.classList.toggle(name, ${theme === 'dark'})`
      )
      await cell(visit, 'Bellows', 'amount').dblclick({ position: { x: 3, y: 3 } })
      const field = editor(visit).getByLabel('Amount')
      await field.fill('-1')
      await field.press('Enter')
      await editor(visit).getByRole('alert').waitFor()
      assert.equal(await visit.overflow(), 0, `${width} ${theme}`)
      assert.deepEqual(
        await visit.accessibilityErrors({ resized: width < 1280 }),
        [],
        `${width} ${theme}`
      )
      await field.press('Escape')
    }
    assert.deepEqual(visit.errors, [])
  })
})
