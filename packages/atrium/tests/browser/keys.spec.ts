import { test } from '@japa/runner'
import type { Page } from 'playwright-core'
import type { AdminUser } from '#admin'
import { SINGLE_KEYS } from '#admin/keyboard/keys'
import { adminSite, emptyAdminTables, leaveModels, makeUser } from '#tests/helpers/admin'
import { THEMES, type Theme, Visit } from '#tests/helpers/browser'
import { Play } from '#tests/fixtures/stages'

const LIST = '/admin/Play/?sort_by=title&sort_order=asc'

test.group('Keyboard shortcuts, in a browser', (group) => {
  let ada: AdminUser
  group.setup(() => leaveModels('Play', 'Stage', 'Ticket'))

  group.each.setup(async () => {
    await emptyAdminTables()
    await Play.query().delete()
    await Play.createMany(
      Array.from({ length: 45 }, (_, index) => ({
        title: `Scene ${String(index + 1).padStart(2, '0')}`,
        town: index % 2 ? 'west' : 'east',
        note: '',
      }))
    )
    ada = await makeUser('ada')
  })

  async function begin(place = LIST, theme?: Theme) {
    const visit = await Visit.begin({ as: ada, theme })
    await visit.page.goto(place)
    return visit
  }

  const press = async (page: Page, keys: string) => {
    for (const key of keys.split(' ')) await page.keyboard.press(key)
  }
  const current = async (page: Page) => {
    const row = page.locator('tbody tr[aria-current]')
    return (await row.count()) === 1 ? await row.locator('.lead').innerText() : null
  }
  const becomes = async (page: Page, title: string) =>
    await page.locator('tbody tr[aria-current] .lead', { hasText: title }).waitFor()
  const hasFocus = (page: Page) => page.locator('tbody tr:focus').count()
  const checked = (page: Page) =>
    page
      .locator('[name=ids]:checked')
      .evaluateAll((all: any[]) => all.map((one) => one.dataset.title))
  const heading = (page: Page) => page.getByRole('heading', { level: 1 })

  test('[L12] every function of a list can be used without a mouse', async ({ assert }) => {
    const visit = await begin()
    const { page } = visit

    /* Rows */
    await press(page, 'j')
    assert.equal(await current(page), 'Scene 01')
    await press(page, 'j j j k')
    assert.equal(await current(page), 'Scene 03')
    assert.equal(await hasFocus(page), 1)
    await press(page, 'k k k')
    assert.equal(await current(page), 'Scene 01')

    /* Selection, one and up to the current row; CapsLock does not change it. */
    await press(page, 'x j j j Shift+X')
    assert.deepEqual(await checked(page), ['Scene 01', 'Scene 02', 'Scene 03', 'Scene 04'])
    await press(page, 'k x')
    assert.notInclude(await checked(page), 'Scene 03')

    /* From page to page, and the last row is the last */
    await press(page, ']')
    await becomes(page, 'Scene 11')
    assert.equal(await hasFocus(page), 1)
    for (let step = 0; step < 12; step++) await page.keyboard.press('j')
    assert.equal(await current(page), 'Scene 20')
    await press(page, '[')
    await becomes(page, 'Scene 01')

    /* Another list goes on at the same record, if it has it. */
    await press(page, 'j')
    await page.locator('#rows-20').focus()
    await press(page, 'Enter')
    await page.waitForURL('**rows-per-page-select=20')
    await page.locator('tbody tr:nth-child(20)').waitFor()
    assert.equal(await current(page), 'Scene 02')
    await press(page, 'j')
    assert.equal(await current(page), 'Scene 03')
    await page.locator('#sort-title').focus()
    await press(page, 'Enter')
    await page.waitForURL('**sort_order=desc**')
    await page.locator('th[aria-sort="descending"]').waitFor()
    assert.isNull(await current(page))
    await press(page, 'j')
    assert.equal(await current(page), 'Scene 45')
    await page.goto(LIST)
    /* Until htmx has started, the browser submits the form itself. */
    await page.locator('.list-search[data-htmx-powered]').waitFor()

    /* Search, and from it back to the rows */
    await press(page, '/')
    await page.keyboard.type('west')
    await press(page, 'Enter')
    await page.waitForURL('**q=west**')
    await page.locator('.list-range', { hasText: 'of 22' }).waitFor()
    await press(page, 'Escape')
    assert.equal(await page.locator('#search-input').inputValue(), 'west')
    await press(page, 'j j')

    /* Open, the next of the list, save, back, new */
    const title = (await current(page))!
    await press(page, 'Enter')
    await page.waitForURL('**/update/*')
    assert.equal(await heading(page).innerText(), title)
    await press(page, ']')
    await page.getByRole('heading', { level: 1, name: title }).waitFor({ state: 'detached' })
    const next = await heading(page).innerText()
    await page.locator('#field-note').focus()
    await page.keyboard.type('jkxn?')
    await press(page, 'Control+s')
    await page.waitForURL('**q=west**')
    await becomes(page, next)
    const saved = await Play.findByOrFail('title', next)
    assert.equal(saved.note, 'jkxn?')
    await press(page, 'e')
    await page.waitForURL('**/update/*')
    await page.locator('#field-note').focus()
    await press(page, 'Escape Escape')
    await page.waitForURL('**q=west**')
    await press(page, 'n')
    await page.waitForURL('**/create_page*')
    await page.locator('#field-title').fill('By keyboard')
    await page.locator('#field-town').fill('east')
    await press(page, 'Control+Enter')
    await page.locator('#flash').getByText('By keyboard').waitFor()
    assert.isNotNull(await Play.findBy('title', 'By keyboard'))

    /* Pages */
    await press(page, 'g')
    assert.equal(
      await page.evaluate(
        `getComputedStyle(document.querySelector('.side [data-go=d]'), '::after').content`
      ),
      '"d" / ""'
    )
    await press(page, 'd')
    await page.waitForURL('**/admin')
    await press(page, 'g Escape d g a')
    await page.waitForURL('**/admin/account')
    assert.deepEqual(visit.errors, [])
  })

  test('[L12] the current row is never hidden below the heading or scrolled out of view', async ({
    assert,
  }) => {
    const { page } = await begin(`${LIST}&rows-per-page-select=50`)
    const unseen = await page.evaluate<string[]>(`(() => {
      const head = document.querySelector('.list-table thead th')
      const frame = document.querySelector('.list-scroll')
      const unseen = []
      for (const key of 'j'.repeat(45) + 'k'.repeat(45)) {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
        const row = document.activeElement
        const { top, bottom } = row.getBoundingClientRect()
        const last = Math.min(frame.getBoundingClientRect().bottom, innerHeight)
        if (top < head.getBoundingClientRect().bottom - 1 || bottom > last + 1) unseen.push(key + row.innerText)
      }
      return unseen
    })()`)
    assert.deepEqual(unseen, [])
    assert.equal(await current(page), 'Scene 01')
  })

  test('[L12] shortcuts do nothing in fields, with Alt, over a dialog, or during text composition (IME)', async ({
    assert,
  }) => {
    const { page } = await begin()
    await press(page, 'Alt+j Control+j Meta+x Shift+J')
    assert.isNull(await current(page))
    await page.evaluate(`for (const init of [{ isComposing: true }, { keyCode: 229 }, { key: undefined }])
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true, ...init }))`)
    assert.isNull(await current(page))

    await page.locator('#search-input').focus()
    await page.keyboard.type('jx?/n')
    assert.equal(await page.locator('#search-input').inputValue(), 'jx?/n')
    await page.locator('#column-to-search').focus()
    await press(page, 'j')
    assert.isNull(await current(page))
    assert.equal(await page.locator('dialog[open]').count(), 0)

    /* On a keyboard where it needs AltGr, and on one where CapsLock is on */
    await page.locator('#column-to-search').blur()
    await page.evaluate(`document.body.dispatchEvent(new KeyboardEvent('keydown', {
      key: 'J', bubbles: true, modifierCapsLock: true }))`)
    assert.equal(await current(page), 'Scene 01')
    await press(page, 'j')
    await page.evaluate(`document.body.dispatchEvent(new KeyboardEvent('keydown', {
      key: ']', bubbles: true, ctrlKey: true, altKey: true, modifierAltGraph: true }))`)
    await becomes(page, 'Scene 11')

    await press(page, 'Control+k')
    const palette = page.locator('#palette')
    await palette.getByRole('link', { name: 'Dashboard', exact: true }).waitFor()
    await palette.getByRole('link', { name: 'Dashboard', exact: true }).focus()
    await press(page, 'j n')
    assert.equal(await current(page), 'Scene 11')
    assert.equal(await palette.evaluate((one: any) => one.open), true)
  })

  test('[L12] the command palette offers the actions of the page', async ({ assert }) => {
    const visit = await begin()
    const { page } = visit
    await press(page, 'j j x Control+k')
    await page.keyboard.type('dele')
    const own = page.locator('#palette').getByRole('button', { name: 'Delete · 1 selected' })
    await own.waitFor()
    await press(page, 'Enter')
    const sure = page.getByRole('dialog', { name: 'Delete 1 play?' })
    await sure.getByRole('button', { name: 'Delete' }).focus()
    await press(page, 'Enter')
    await page.locator('#flash').getByText('1 play deleted').waitFor()
    await press(page, 'j')
    assert.equal(await current(page), 'Scene 03')
    await press(page, 'Control+k')
    await page.keyboard.type('theme')
    await page.getByRole('button', { name: 'Switch to the dark theme' }).last().waitFor()
    await press(page, 'Enter')
    await page.locator('html.dark-theme').waitFor()
    assert.equal(await page.locator('dialog[open]').count(), 0)
    assert.deepEqual(visit.errors, [])
  })

  test('[L12] single-key shortcuts that are switched off do nothing, and those with Ctrl can still be used', async ({
    assert,
  }) => {
    const visit = await begin()
    const { page } = visit
    const dialog = page.getByRole('dialog', { name: 'Keyboard' })
    const toggle = dialog.getByRole('switch', { name: 'Single keys' })
    const { preferences } = await adminSite()

    await press(page, '?')
    await toggle.uncheck()
    await dialog.getByText('Saved.').waitFor()
    const stored = await preferences.read(ada.id, [SINGLE_KEYS])
    assert.isFalse(stored.get(SINGLE_KEYS))
    await press(page, 'Escape')
    const nothing = async () => {
      await press(page, 'j / ? n f ] Escape')
      await press(page, 'g d')
      await page.waitForTimeout(100)
      assert.isNull(await current(page))
      assert.equal(new URL(page.url()).search, new URL(LIST, page.url()).search)
      assert.equal(await page.locator('dialog[open], #search-input:focus').count(), 0)
    }
    await nothing()
    await page.reload()
    await nothing()
    await press(page, 'Control+k')
    await page.locator('#palette').getByRole('link', { name: 'Dashboard', exact: true }).waitFor()
    await press(page, 'Escape Control+/')
    await toggle.check()
    await dialog.getByText('Saved.').waitFor()
    await press(page, '?')
    assert.isFalse(await dialog.isVisible())
    await press(page, 'j')
    assert.equal(await current(page), 'Scene 01')
    assert.deepEqual(visit.errors, [])
  })

  test(
    '[L12] the dialog, the page of keyboard shortcuts and the account are accessible, in the {$self}'
  )
    .with(THEMES)
    .run(async ({ assert }, theme) => {
      const visit = await begin(LIST, theme)
      const { page } = visit
      await press(page, 'j ?')
      await page.locator('#keys form').waitFor()
      assert.deepEqual(visit.errors, [])
      assert.deepEqual(await visit.accessibilityErrors(), [])
      for (const place of ['/admin/account', '/admin/keys']) {
        await page.goto(place)
        assert.equal(await visit.overflow(), 0)
        assert.deepEqual(await visit.accessibilityErrors(), [])
        await page.setViewportSize({ width: 360, height: 740 })
        assert.equal(await visit.overflow(), 0)
        if (theme === 'light-theme')
          assert.deepEqual(await visit.accessibilityErrors({ resized: true }), [])
        await page.setViewportSize({ width: 1280, height: 800 })
      }
    })
})
