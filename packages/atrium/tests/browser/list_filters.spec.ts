import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { Page } from 'playwright-core'
import { leaveModels, emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { getsFocus, THEMES, Visit } from '#tests/helpers/browser'

async function makeReels() {
  const lenders = Array.from({ length: 60 }, (_, index) => ({
    id: index + 1,
    name: `Lender ${index + 1}`,
    created_at: '2026-01-02 03:04:05',
  }))
  await db.table('lenders').multiInsert(lenders)
  const reels = Array.from({ length: 40 }, (_, index) => ({
    title: `Reel ${String(index + 1).padStart(2, '0')}`,
    worldwide_gross: index * 1_000_000,
    release_date: index % 2 === 0 ? '1949-06-01' : '1951-06-01',
    major_genre: index < 30 ? 'Drama' : 'Comedy',
    lender_id: 1 + (index % 3),
    created_at: '2026-01-02 03:04:05',
  }))
  await db.table('reels').multiInsert(reels)
}

const search = (page: Page) => decodeURIComponent(new URL(page.url()).search)

const FIRST = 'filter.worldwide_gross__gte=10000000'
const SECOND = 'filter.release_date__between=1949-01-01,1949-12-31'
const THIRD = 'filter.lender_id=2'

test.group('The filters of a list, in a browser', (group) => {
  group.setup(() => leaveModels('Reel', 'Lender'))
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['reels', 'lenders']) await db.from(table).delete()
    await makeReels()
  })

  async function visit(place: string, options: Parameters<typeof Visit.begin>[0] = {}) {
    const begun = await Visit.begin({ as: await makeUser('ada'), ...options })
    await begun.page.goto(place)
    return begun
  }

  const found = async (page: Page) => await page.locator('.list-total').innerText()

  test('[L2] three filters can be added in the list and removed', async ({ assert }) => {
    const visited = await visit('/admin/Reel/')
    const { page } = visited
    await page.evaluate('window.isSamePage = true')
    const panel = page.locator('#filter-panel')
    const add = async (column: string, operator?: string) => {
      await page.locator('#add-filter').click()
      await replaced(() => panel.getByRole('link', { name: column, exact: true }).click())
      if (!operator) return
      await replaced(() => panel.getByLabel('Condition').selectOption({ label: operator }))
    }
    /* The form that comes for the choice takes the place of the current one. */
    const replaced = async (choose: () => Promise<unknown>) => {
      await panel.locator('#filter-form').evaluate((form) => form.setAttribute('data-old', ''))
      await choose()
      await panel.locator('#filter-form:not([data-old])').waitFor()
    }
    const apply = async (total: string) => {
      await panel.getByRole('button', { name: 'Add filter' }).click()
      await page.getByText(total, { exact: true }).waitFor()
    }
    await add('Worldwide gross')
    await panel.getByLabel('Value').fill('10,000,000')
    await apply('30 found')
    assert.isTrue(await getsFocus(page.locator('#add-filter')))

    await add('Release date', 'is between')
    await panel.getByLabel('To').waitFor()
    await panel.getByLabel('From').fill('1949-01-01')
    await panel.getByLabel('To').fill('1949-12-31')
    await apply('15 found')

    /* Only three of the lenders have reels; the others are searched. */
    await add('Lender')
    await panel.getByLabel('Search values').fill('lender 2')
    await panel.getByLabel('Lender 20').waitFor()
    await panel.getByRole('checkbox', { name: /^Lender 2 / }).check()
    await apply('5 found')
    assert.equal(search(page), `?${FIRST}&${SECOND}&${THIRD}`)
    assert.deepEqual(await page.locator('.filter-text').allInnerTexts(), [
      'Worldwide gross is at least 10,000,000',
      'Release date is between 1 Jan 1949 and 31 Dec 1949',
      'Lender is Lender 2',
    ])

    await page.getByRole('link', { name: 'Remove: Release date' }).click()
    await page.getByText('10 found', { exact: true }).waitFor()
    assert.equal(search(page), `?${FIRST}&${THIRD}`)
    await page.goBack()
    await page.getByText('5 found', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await page.getByText('40 records', { exact: true }).waitFor()
    assert.equal(search(page), '')
    assert.deepEqual(visited.errors, [])
  })

  test('[L2] the filter form shows errors, preserves its values and closes with Escape', async ({
    assert,
  }) => {
    const visited = await visit('/admin/Reel/')
    const { page } = visited
    const panel = page.locator('#filter-panel')
    await page.locator('#add-filter').focus()
    await page.keyboard.press('Enter')
    assert.isTrue(await getsFocus(panel.getByLabel('Filter by')))
    await page.keyboard.type('worldw')
    await page.keyboard.press('Enter')
    assert.isTrue(await getsFocus(panel.getByLabel('Value')))
    await panel.getByLabel('Value').fill('much')
    await page.keyboard.press('Enter')
    await panel.getByText('It must be an integer, not “much”.').waitFor()
    assert.equal(await panel.getByLabel('Value').inputValue(), 'much')
    assert.equal(search(page), '')
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    assert.isTrue(await getsFocus(page.locator('#add-filter')))
    assert.deepEqual(
      visited.errors.filter((error) => !error.includes('status of 422')),
      []
    )
  })

  test('[G3] with the keyboard alone, a group of alternative filters is built and edited, and its values are selected', async ({
    assert,
  }) => {
    const visited = await visit(`/admin/Reel/?${FIRST}`)
    const { page } = visited
    const panel = page.locator('#filter-panel')
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const texts = () => page.locator('.filter-text').allInnerTexts()

    await page.locator('#or-filter-0').focus()
    await press('Enter')
    await getsFocus(panel.getByLabel('Filter by'))
    await page.keyboard.type('lend')
    await press('Enter')
    assert.isTrue(await getsFocus(panel.getByLabel('Search values')))
    /* Lender 1 has the most reels. */
    await press('ArrowDown', 'Space', 'Enter')
    await page.getByText('34 found', { exact: true }).waitFor()
    assert.equal(
      search(page),
      '?filter.any.1.worldwide_gross__gte=10000000&filter.any.1.lender_id=1'
    )
    assert.isTrue(await getsFocus(page.locator('#or-filter-0')))

    /* The chip opens with what it says. */
    await page.locator('#edit-filter-0-1').focus()
    await press('Enter')
    const lender = (number: number) =>
      panel.getByRole('checkbox', { name: new RegExp(`^Lender ${number} `) })
    await lender(1).waitFor()
    assert.isTrue(await lender(1).isChecked())
    await lender(2).focus()
    await press('Space', 'Enter')
    await page.getByText('37 found', { exact: true }).waitFor()
    assert.deepEqual(await texts(), [
      'Worldwide gross is at least 10,000,000',
      'Lender is Lender 1 or Lender 2',
    ])
    await page.locator('#edit-filter-0-0').focus()
    await press('Enter')
    await getsFocus(panel.getByLabel('Value'))
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    assert.isTrue(await getsFocus(page.locator('#edit-filter-0-0')))

    await page.locator('#remove-filter-0-1').focus()
    await press('Enter')
    await page.getByText('30 found', { exact: true }).waitFor()
    await page.locator('#facet-lender_id').click()
    await page.getByLabel('Lender 1', { exact: true }).check()
    await page.getByLabel('Lender 3', { exact: true }).check()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('20 found', { exact: true }).waitFor()
    assert.include(search(page), 'filter.lender_id__in=')
    assert.deepEqual(visited.errors, [])
  })

  test('[L3] a facet value filters the list, and the filter can be removed alone', async ({
    assert,
  }) => {
    const visited = await visit(`/admin/Reel/?${FIRST}`)
    const { page } = visited
    const facet = page.locator('#facet-lender_id')
    await facet.click()
    const value = page.locator('.facet').getByRole('link', { name: 'Lender 2' })
    assert.match(await value.innerText(), /10/)
    await value.click()
    await page.getByText('10 found', { exact: true }).waitFor()
    assert.equal(search(page), `?${FIRST}&${THIRD}`)
    await page.locator('.facet[data-active]').waitFor()
    await facet.click()
    await page.keyboard.press('Escape')
    assert.isFalse(await value.isVisible())
    await facet.click()
    await page.getByRole('link', { name: 'Lender 2 (remove this filter)' }).click()
    await page.getByText('30 found', { exact: true }).waitFor()
    assert.equal(search(page), `?${FIRST}`)
    assert.deepEqual(visited.errors, [])
  })

  test('[L2, L3] without JavaScript the filter form is a page with several steps, and the facets are a separate page', async ({
    assert,
  }) => {
    const visited = await visit('/admin/Reel/', { javaScript: false })
    const { page } = visited
    const add = async (column: string) => {
      await page.getByRole('link', { name: 'Add filter' }).click()
      await page.getByRole('link', { name: column, exact: true }).click()
    }
    const apply = () => page.getByRole('button', { name: 'Add filter' }).click()
    await add('Worldwide gross')
    await page.getByLabel('Value').fill('10,000,000')
    await apply()
    assert.equal(await found(page), '30 found')
    await add('Release date')
    await page.getByLabel('Condition').selectOption({ label: 'is between' })
    await page.getByLabel('Days').selectOption('today')
    await apply()
    await page.getByLabel('From').fill('1949-01-01')
    await page.getByLabel('To').fill('1949-12-31')
    await apply()
    assert.equal(await found(page), '15 found')
    await add('Lender')
    await page.getByLabel('Search values').fill('Lender 2')
    await page.getByRole('button', { name: 'Search' }).last().click()
    await page.locator('#filter-ticks input[value="2"]').check()
    await apply()
    assert.equal(search(page), `?${FIRST}&${SECOND}&${THIRD}`)
    assert.equal(await found(page), '5 found')

    await page.getByRole('link', { name: 'Clear filters' }).click()
    await page.getByRole('link', { name: 'Facets' }).click()
    await page.getByRole('link', { name: 'Lender 2 13 records' }).click()
    assert.equal(await found(page), '13 found')
    assert.deepEqual(visited.errors, [])
  })

  const widths = { 'light-theme': 1280, 'dark-theme': 360 }
  for (const theme of THEMES) {
    const width = widths[theme]
    test(`[G3, G6, B24] filters, form, facets and Explain are accessible, and as wide as the window: ${theme}`, async ({
      assert,
    }) => {
      const query = `${FIRST}&${SECOND}&filter.title__contains=${'long'.repeat(40)}`
      const visited = await visit(`/admin/Reel/?${query}`, { theme, width })
      const { page } = visited
      await page.locator('#facet-lender_id').waitFor()
      assert.isAtMost(await visited.overflow(), 0)
      await page.locator('#add-filter').click()
      await page.locator('#find-column').waitFor()
      assert.deepEqual(await visited.accessibilityErrors(), [])
      await page.getByRole('link', { name: 'Lender', exact: true }).click()
      await page.locator('#filter-search').waitFor()
      assert.isAtMost(await visited.overflow(), 0)
      const box = await page.locator('#filter-panel').boundingBox()
      assert.isAtLeast(box!.x, 0)
      assert.isAtMost(box!.x + box!.width, width)
      assert.deepEqual(await visited.accessibilityErrors(), [])
      await page.keyboard.press('Escape')
      await page.locator('#explain-list').click()
      await page.locator('#list-panel .explain-steps').waitFor()
      assert.isAtMost(await visited.overflow(), 0)
      assert.deepEqual(await visited.accessibilityErrors(), [])
    })
  }
})
