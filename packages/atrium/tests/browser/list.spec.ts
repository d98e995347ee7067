import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { Locator, Page } from 'playwright-core'
import { emptyAdminTables, leaveModels, makeUser } from '#tests/helpers/admin'
import { THEMES, Visit } from '#tests/helpers/browser'
import { firstLoad, KB } from '#tests/helpers/first_load'
import { someOf } from '#tests/helpers/random_runs'
import { WIDE_COLUMNS } from '#tests/fixtures/list_views'

const TABLES = [
  'reels',
  'lenders',
  'utensils',
  'list_artefacts',
  'list_alcoves',
  'list_wide_sheets',
]

async function makeReels(count: number) {
  const [lender] = await db
    .table('lenders')
    .insert({ name: 'Ealing', created_at: '2026-01-02 03:04:05' })
  const reels = Array.from({ length: count }, (_, index) => ({
    title: index === 0 ? 'Ärger im Paradies' : `Reel ${String(index + 1).padStart(3, '0')}`,
    worldwide_gross: (index * 7919) % 1000,
    release_date: '1949-06-01',
    lender_id: lender,
    created_at: '2026-01-02 03:04:05',
  }))
  for (let start = 0; start < count; start += 50) {
    await db.table('reels').multiInsert(reels.slice(start, start + 50))
  }
}

async function makeUtensils(...names: string[]) {
  await db.table('utensils').multiInsert(
    names.map((name) => ({
      name,
      description: 'x',
      category: 'y',
      price: 1,
      is_deleted: name.startsWith('Gone'),
      created_at: '2026-01-02 03:04:05',
    }))
  )
}

/** Titles of the rows, from top to bottom. */
async function titles(page: Page): Promise<string[]> {
  const texts = await page.locator('tbody .lead').allInnerTexts()
  return texts.map((text) => text.replace(/\sDeleted$/, ''))
}

async function firstTitle(page: Page): Promise<string> {
  const [first] = await titles(page)
  return first
}

const path = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search

/** Runs the action and waits until the list has been swapped. */
async function swap(page: Page, act: () => Promise<unknown>) {
  const old = await page.locator('#list-content').elementHandle()
  await act()
  await old!.waitForElementState('hidden')
  await page.locator('#list-content[data-is-shown]').waitFor()
}

test.group('The list, in a browser', (group) => {
  group.setup(() => leaveModels('Artefact', 'Lender', 'Reel', 'Utensil', 'Vacancy', 'WideSheet'))
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(table).delete()
  })

  async function visit(place: string, options: Parameters<typeof Visit.begin>[0] = {}) {
    const begun = await Visit.begin({ as: await makeUser('ada'), ...options })
    await begun.page.goto(place)
    return begun
  }

  test('[L7] a click on a heading with Shift adds its column to the sorting', async ({
    assert,
  }) => {
    await makeReels(3)
    const { page } = await visit('/admin/Reel/')
    await swap(page, () => page.locator('#sort-lender_id').click({ modifiers: ['Shift'] }))
    await swap(page, () => page.locator('#sort-worldwide_gross').click({ modifiers: ['Shift'] }))
    const added = '/admin/Reel/?sort_by=lender_id%2Cworldwide_gross&sort_order=asc%2Casc'
    assert.equal(path(page), added)
    await swap(page, () => page.locator('#sort-worldwide_gross').click({ modifiers: ['Shift'] }))
    assert.equal(path(page), added.replace(/asc$/, 'desc'))
    assert.equal(page.context().pages().length, 1)
    await page.goBack()
    await page.waitForURL(added)
    await page.locator('#sort-worldwide_gross[data-sorted="ascending"]').waitFor()
    await swap(page, () => page.locator('#sort-title').click())
    assert.equal(path(page), '/admin/Reel/?sort_by=title&sort_order=asc')
  })

  test('[S29, S32] a search loads only the list and updates the URL', async ({ assert }) => {
    await makeReels(30)
    const visited = await visit('/admin/Reel/')
    const { page } = visited
    await page.evaluate('window.isSamePage = true')
    assert.equal(await page.getByLabel('Search by').inputValue(), '*')
    await page.getByLabel('Search by').selectOption('title')
    await page.getByLabel('Search for').fill('ÄRGER')
    await swap(page, () => page.keyboard.press('Enter'))

    assert.deepEqual(await titles(page), ['Ärger im Paradies'])
    assert.equal(path(page), '/admin/Reel/?column-to-search=title&search-input=%C3%84RGER')
    assert.isTrue(await page.evaluate('window.isSamePage'))
    assert.equal(await page.locator(':focus').getAttribute('id'), 'search-input')
    assert.equal(await page.getByText('1 found').count(), 1)
    await page
      .getByRole('status')
      .filter({ hasText: 'Reels, 1–1 of 1' })
      .waitFor({ state: 'attached' })

    await swap(page, () => page.getByRole('link', { name: 'Clear search' }).click())
    assert.lengthOf(await titles(page), 10)
    assert.equal(path(page), '/admin/Reel/')
    assert.equal(await page.getByLabel('Search for').inputValue(), '')
    assert.deepEqual(visited.errors, [])
  })

  test('[S28] a click on a heading sorts the list, a second one reverses the order, and the focus stays on the heading', async ({
    assert,
  }) => {
    await makeReels(12)
    const visited = await visit('/admin/Reel/')
    const { page } = visited
    const heading = page.getByRole('columnheader', { name: 'Worldwide gross' })
    await swap(page, () => heading.getByRole('link').click())
    assert.equal(await heading.getAttribute('aria-sort'), 'ascending')
    assert.equal(path(page), '/admin/Reel/?sort_by=worldwide_gross&sort_order=asc')
    assert.equal(await firstTitle(page), 'Ärger im Paradies')
    assert.equal(await page.locator(':focus').innerText(), 'Worldwide gross')

    await swap(page, () => page.keyboard.press('Enter'))
    assert.equal(await heading.getAttribute('aria-sort'), 'descending')
    assert.include(path(page), 'sort_order=desc')
    assert.deepEqual(visited.errors, [])
  })

  test('[S27, B15] the pager opens other pages, and the page size can be changed', async ({
    assert,
  }) => {
    await makeReels(25)
    const visited = await visit('/admin/Reel/')
    const { page } = visited
    const pager = page.getByRole('navigation', { name: 'Pages' })
    await swap(page, () => pager.getByRole('link', { name: 'Next page' }).click())
    assert.equal(path(page), '/admin/Reel/?page=2')
    assert.isTrue(await page.getByText('11–20 of 25', { exact: true }).isVisible())
    await swap(page, () => pager.getByRole('link', { name: 'Next page' }).click())
    assert.lengthOf(await titles(page), 5)
    const next = pager.getByRole('link', { name: 'Next page' })
    assert.equal(await next.getAttribute('aria-disabled'), 'true')
    assert.equal(await page.locator(':focus').getAttribute('id'), 'next-page')
    await swap(page, () => pager.getByRole('link', { name: 'Page 1' }).click())
    const jump = page.getByRole('spinbutton', { name: 'Page' })
    assert.equal(await jump.count(), 0)
    await swap(page, () => page.locator('#rows-50').click())
    assert.lengthOf(await titles(page), 25)
    assert.equal(path(page), '/admin/Reel/?rows-per-page-select=50')
    assert.deepEqual(visited.errors, [])
  })

  test('the list matches its URL after going back, forward and reloading', async ({ assert }) => {
    await makeReels(25)
    const visited = await visit('/admin/Reel/')
    const { page } = visited
    const first = await titles(page)
    const steps: Array<() => Promise<unknown>> = [
      () => page.locator('#sort-title').click(),
      () => page.locator('#page-2').click(),
    ]
    const seen: Array<[string, string[]]> = [[path(page), first]]
    for (const step of steps) {
      await swap(page, step)
      seen.push([path(page), await titles(page)])
    }
    assert.lengthOf(new Set(seen.map(([, shown]) => shown.join())), 3)

    const shows = async ([address, records]: [string, string[]]) => {
      await page.waitForURL((url) => url.pathname + url.search === address)
      await page.locator('tbody .lead', { hasText: records[0] }).first().waitFor()
      assert.deepEqual(await titles(page), records)
    }
    await page.goBack()
    await shows(seen[1])
    await page.goBack()
    await shows(seen[0])
    await page.goForward()
    await shows(seen[1])
    await page.reload()
    await shows(seen[1])

    await page
      .locator('tbody .lead a')
      .first()
      .click({ modifiers: [] })
      .catch(() => {})
    await page.waitForURL('**/admin/Reel/update/**')
    await page.goBack()
    await shows(seen[1])
    assert.deepEqual(visited.errors, [])
  })

  test('[B16] the switch for deleted records shows them in the list', async ({ assert }) => {
    await makeUtensils('Lamp', 'Gone desk')
    const visited = await visit('/admin/Utensil/')
    const { page } = visited
    const choose = page.getByRole('navigation', { name: 'Deleted records' })
    assert.deepEqual(await titles(page), ['Lamp'])
    await swap(page, () => choose.getByRole('link', { name: 'All' }).click())
    assert.deepEqual(await titles(page), ['Gone desk', 'Lamp'])
    assert.equal(await page.locator('tr.is-deleted').count(), 1)
    await swap(page, () => choose.getByRole('link', { name: 'Deleted' }).click())
    assert.deepEqual(await titles(page), ['Gone desk'])
    assert.equal(path(page), '/admin/Utensil/?deleted=only')
    assert.deepEqual(visited.errors, [])
  })

  test('[B24] without JavaScript the list can be used with links and forms', async ({ assert }) => {
    await makeReels(25)
    await makeUtensils('Lamp', 'Gone desk')
    const visited = await visit('/admin/Reel/', { javaScript: false })
    const { page } = visited
    assert.isFalse(await page.locator('.select-all').isVisible())
    await page.getByLabel('Search for').fill('reel')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('24 found').waitFor()
    await page.locator('#sort-title').click()
    assert.equal(await firstTitle(page), 'Reel 002')
    await page.getByRole('link', { name: 'Next page' }).click()
    assert.equal(await firstTitle(page), 'Reel 012')
    await page.locator('#rows-20').click()
    assert.lengthOf(await titles(page), 20)
    assert.equal(
      path(page),
      '/admin/Reel/?q=reel&sort_by=title&sort_order=asc&rows-per-page-select=20'
    )
    await page.goBack()
    assert.equal(await firstTitle(page), 'Reel 012')
    await page.goto('/admin/Utensil/')
    await page.getByRole('link', { name: 'Deleted', exact: true }).click()
    assert.deepEqual(await titles(page), ['Gone desk'])
    assert.deepEqual(visited.errors, [])
  })

  test('the keyboard can use every control and scroll the table', async ({ assert }) => {
    /* A right-to-left title does not change the place of its column or of the labels on a card. */
    const row = Object.fromEntries(WIDE_COLUMNS.map((name) => [name, `שלום ${name}`]))
    await db.table('list_wide_sheets').insert(row)
    const { page } = await visit('/admin/WideSheet/')
    assert.isAbove(await page.locator('tbody .cell-text[dir=auto]').count(), 1)
    await page.getByLabel('Search by').focus()
    const reached: string[] = []
    for (let step = 0; step < 8; step++) {
      await page.keyboard.press('Tab')
      reached.push(
        await page.evaluate(
          `document.activeElement.id || document.activeElement.name || document.activeElement.className`
        )
      )
    }
    assert.includeMembers(reached, ['search-input', 'table-container list-scroll', 'sort-id'])
    const region = page.getByRole('region', { name: 'Wide sheets, table' })
    const scrolled = () =>
      page.evaluate<number>(`document.querySelector('.list-scroll').scrollLeft`)
    /* The lead column stays visible. */
    await page.evaluate(`document.querySelector('.list-scroll').scrollLeft = 1000`)
    const inside = async (locator: Locator) => {
      const [box, frame] = await Promise.all([locator.boundingBox(), region.boundingBox()])
      return box!.x >= frame!.x && box!.x < frame!.x + frame!.width
    }
    assert.isTrue(await inside(page.locator('tbody .lead')))
    assert.isFalse(await inside(page.locator('#sort-reading_2')))
    const before = await scrolled()
    await swap(page, () => page.evaluate(`document.getElementById('sort-reading_12').click()`))
    assert.equal(await scrolled(), before)

    /* Last, as the browser is slow to scroll. */
    await region.focus()
    await page.keyboard.press('ArrowLeft')
    await page.waitForFunction(
      (from) => (globalThis as any).document.querySelector('.list-scroll').scrollLeft < from,
      before
    )
  })

  test('a list that is loading is marked immediately, and only the response to the newest request is shown', async ({
    assert,
  }) => {
    await makeReels(120)
    const visited = await visit('/admin/Reel/?rows-per-page-select=100')
    const { page } = visited
    const held: Array<() => void> = []
    await page.route('**/admin/Reel/?*', async (route) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held.push(resolve)
      await promise
      /* An aborted request can't be fulfilled. */
      await route.continue().catch(() => {})
    })
    await page.evaluate(`document.querySelector('.list-scroll').scrollTop = 900`)
    const [frame, heading] = await Promise.all([
      page.locator('.list-scroll').boundingBox(),
      page.locator('#sort-title').boundingBox(),
    ])
    assert.closeTo(heading!.y, frame!.y, 12)

    /* Turns of the page, four milliseconds each if the machine is quiet */
    const silence = await page.evaluate<number>(`(async () => {
      const list = document.getElementById('list-content')
      document.getElementById('sort-title').click()
      let turns = 0
      for (; !list.matches('.htmx-request'); turns++) await new Promise((go) => setTimeout(go))
      return turns
    })()`)
    assert.isBelow(silence, 25)
    const line = `getComputedStyle(document.querySelector('.list-frame'), '::before').height`
    assert.equal(await page.evaluate(line), '2px')
    await page.evaluate(`(async () => {
      const rows = document.querySelector('.list-table tbody')
      while (getComputedStyle(rows).opacity > 0.7) await new Promise(requestAnimationFrame)
    })()`)
    await page.locator('#sort-worldwide_gross').click()
    while (held.length < 2) await page.waitForTimeout(10)
    await swap(page, async () => {
      held[1]()
      await page.waitForURL('**sort_by=worldwide_gross**')
    })
    held[0]()
    await page.waitForTimeout(100)
    assert.equal(
      path(page),
      '/admin/Reel/?sort_by=worldwide_gross&sort_order=asc&rows-per-page-select=100'
    )
    assert.equal(
      await page.getByRole('columnheader', { name: 'Worldwide gross' }).getAttribute('aria-sort'),
      'ascending'
    )
    assert.equal(await page.locator('.htmx-request').count(), 0)
    assert.deepEqual(visited.errors, [])
  })

  test('[L14] printed lists and forms show their content dark on white, without the controls around it', async ({
    assert,
  }) => {
    await makeReels(3)
    const visited = await visit('/admin/Reel/', { theme: 'dark-theme', width: 700 })
    const { page } = visited
    await page.emulateMedia({ media: 'print' })
    const around =
      '.topbar, .side, .list-toolbar, .filter-tools, .list-check, .pager, .btn, .back-link'
    const onPaper = async () => {
      for (const one of await page.locator(around).all()) assert.isFalse(await one.isVisible())
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
      assert.equal(background, 'rgb(255, 255, 255)')
      assert.equal(await visited.overflow(), 0)
    }
    await onPaper()
    assert.lengthOf(await titles(page), 3)
    assert.isTrue(await page.getByRole('columnheader', { name: 'Director' }).isVisible())
    await page.goto(await page.locator('tbody .lead a').first().getAttribute('href').then(String))
    await onPaper()
    assert.isTrue(await page.getByLabel('Title', { exact: false }).first().isVisible())
  })

  test('an overflowing table has a shadow at its edge')
    .with(THEMES)
    .run(async ({ assert }, theme) => {
      const row = Object.fromEntries(WIDE_COLUMNS.map((name) => [name, name]))
      await db.table('list_wide_sheets').insert(row)
      const { page } = await visit('/admin/WideSheet/', { theme })
      const hints = async (left: number | 'end', expected: string) => {
        await page.evaluate(`{
          const table = document.querySelector('.list-scroll')
          table.scrollLeft = ${left === 'end' ? 'table.scrollWidth' : left}
        }`)
        const table = await page.locator('.list-scroll').elementHandle()
        await page.waitForFunction(
          ({ one, shades }: any) => {
            const style = one.ownerDocument.defaultView.getComputedStyle(one)
            return (
              ['--list-shade', '--list-fade'].map((name) => style.getPropertyValue(name)).join() ===
              shades
            )
          },
          { one: table, shades: expected }
        )
      }
      await hints(0, '0px,48px')
      await hints(500, '8px,48px')
      await hints('end', '8px,0px')
      assert.include(
        await page.locator('.list-scroll').evaluate((one: any) => {
          return one.ownerDocument.defaultView.getComputedStyle(one).maskImage
        }),
        'linear-gradient'
      )

      await page.goto('/admin/AdminUser/')
      await hints(0, '0px,0px')
    })

  test('markup in values of records is shown as text', async ({ assert }) => {
    const evil = `"><img src=x onerror="document.title='broken'"><script>document.title='broken'</script>{{ 7*7 }}`
    await db.table('list_alcoves').insert({ code: evil, name: evil })
    await db
      .table('list_artefacts')
      .insert({ name: evil, notes: evil, grade: evil, alcove_code: evil })
    const visited = await visit('/admin/Artefact/')
    const { page } = visited
    assert.equal(await page.locator('tbody img, tbody script').count(), 0)
    assert.match(await page.title(), /^Artefacts/)
    await page.getByLabel('Search for').fill(evil)
    await swap(page, () => page.getByRole('button', { name: 'Search' }).click())
    assert.lengthOf(await titles(page), 1)
    assert.equal(await page.getByLabel('Search for').inputValue(), evil)
    assert.match(await page.title(), /^Artefacts/)
    assert.deepEqual(visited.errors, [])
  })

  const PLACES = [
    '/admin/Reel/',
    '/admin/Reel/?column-to-search=us_gross&search-input=abc&page=2',
    '/admin/Reel/?column-to-search=title&search-input=nothing+of+the+kind',
    '/admin/Utensil/?deleted=include',
    '/admin/Lender/?deleted=only',
    '/admin/Artefact/',
    '/admin/WideSheet/',
    '/admin/Vacancy/',
    '/admin/AdminUser/',
  ]
  test('the list at {place} is accessible and fits every screen in the {theme}')
    .with(someOf(PLACES, 3).flatMap((place) => THEMES.map((theme) => ({ place, theme }))))
    .run(async ({ assert }, { place, theme }) => {
      await makeReels(75)
      await makeUtensils('Lamp', 'Gone desk')
      const row = Object.fromEntries(WIDE_COLUMNS.map((name) => [name, name]))
      await db.table('list_wide_sheets').insert(row)
      await db
        .table('list_artefacts')
        .multiInsert([{ name: 'Vase', on_loan: true, notes: 'x'.repeat(500) }, { on_loan: false }])
      const visited = await visit(place, { theme })
      assert.deepEqual(visited.errors, [])
      assert.equal(await visited.overflow(), 0)
      assert.deepEqual(await visited.accessibilityErrors(), [])
      await visited.page.setViewportSize({ width: 360, height: 740 })
      assert.equal(await visited.overflow(), 0)
      /* The width changes the layout but not the colours. */
      if (theme === 'light-theme')
        assert.deepEqual(await visited.accessibilityErrors({ resized: place !== PLACES[0] }), [])
    })

  test('[S34.4] on a narrow screen the headings are hidden, and a dialog sorts the list', async ({
    assert,
  }) => {
    await makeReels(3)
    const { page } = await visit('/admin/Reel/', { width: 360 })
    assert.equal(await page.locator('.list-table thead th:visible').count(), 0)
    /* What is above the records takes less than half of the screen. */
    const first = await page.locator('.list-table tbody tr').first().boundingBox()
    assert.isBelow(first!.y, 340)
    await page.getByRole('button', { name: 'Sort' }).click()
    const sheet = page.locator('#list-sort')
    await sheet.getByRole('link', { name: 'Title' }).click()
    await page.waitForURL(/sort_by=title/)
    assert.equal(await sheet.isVisible(), false)
    await page.setViewportSize({ width: 1280, height: 800 })
    assert.equal(await page.getByRole('button', { name: 'Sort' }).isVisible(), false)
  })

  test('[K9.6] the first load of a list needs at most 6 requests and 60 KB', async ({ assert }) => {
    await makeReels(75)
    const begun = await Visit.begin({ as: await makeUser('ada'), fresh: true })
    const { page } = begun
    const { requests, bytes } = await firstLoad(page, '/admin/Reel/')
    assert.isAtLeast(requests, 3)
    assert.isAtMost(requests, 6)
    assert.isAtMost(bytes, 60 * KB)
    assert.deepEqual(begun.errors, [])
  })
})
