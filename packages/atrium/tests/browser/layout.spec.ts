import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { adminSite, emptyAdminTables, leaveModels, makeUser } from '#tests/helpers/admin'
import { getsFocus, Visit } from '#tests/helpers/browser'
import { urlOf } from '#tests/helpers/http'

interface Stop {
  name: string
  hasRing: boolean
  isSeen: boolean
}

test.group('The layout, in a browser', (group) => {
  /* As many models as make the sidebar longer than the window */
  group.setup(async () => {
    const { models } = await adminSite()
    const some = [...models.keys()].filter((_, index) => index % 4 === 0)
    return await leaveModels('Gadget', 'Lender', 'Utensil', ...some)
  })
  group.each.setup(() => emptyAdminTables())

  test('Tab reaches every element in reading order with a visible focus', async ({ assert }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    await visit.page.goto('/admin')
    const side = await visit.page.locator('.side :is(a, summary)').evaluateAll(named)
    const stops = await walk(visit)
    const controls = await visit.page.locator('main').locator('a, summary').count()

    const names = stops.map(({ name }) => name)
    const expected = [
      'Skip to content',
      'Atrium',
      'Search Ctrl K',
      'Your account (Logged in as ada) ada',
      'Switch to the dark theme',
      'Log out',
      ...side,
    ]
    assert.deepEqual(names.slice(0, expected.length), expected)
    assert.lengthOf(names, expected.length + controls)
    assert.deepEqual(
      stops.filter(({ hasRing, isSeen }) => !hasRing || !isSeen),
      []
    )
  })

  test('on a narrow screen, Tab skips the closed menu and Enter opens it', async ({ assert }) => {
    const visit = await Visit.begin({ as: await makeUser('ada'), width: 360 })
    const { page } = visit
    await page.goto('/admin')
    const side = await page.locator('.side :is(a, summary)').evaluateAll(named)
    assert.isFalse(await page.locator('.side').isVisible())
    const stops = await walk(visit)
    assert.notInclude(
      stops.map(({ name }) => name),
      'Utensils'
    )

    await page.reload()
    await press(visit, 'Tab', 'Tab', 'Enter')
    assert.isTrue(await page.locator('.side').isVisible())
    const rest = await walk(visit)
    assert.deepEqual(
      rest.slice(0, 5 + side.length).map(({ name }) => name),
      [
        'Atrium',
        'Search Ctrl K',
        'Your account (Logged in as ada) ada',
        'Switch to the dark theme',
        'Log out',
        ...side,
      ]
    )
    assert.deepEqual(
      rest.filter(({ hasRing, isSeen }) => !hasRing || !isSeen),
      []
    )
    assert.equal(await visit.overflow(), 0)
  })

  test('the longest user name fits a narrow screen', async ({ assert }) => {
    const visit = await Visit.begin({ as: await makeUser('W'.repeat(32)), width: 360 })
    for (const path of ['/admin', '/admin/nowhere']) {
      await visit.page.goto(path)
      assert.equal(await visit.overflow(), 0, path)
      assert.isTrue(await visit.page.getByRole('link', { name: 'Log out' }).isVisible())
    }
  })

  test('[S16, U7] a user can choose the theme of the device, and the switch then changes to the other theme', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto('/admin/account')
    await page.getByRole('radio', { name: 'Same as this device' }).check()
    await page.getByRole('button', { name: 'Save preferences' }).click()
    await page.locator('html.system-theme').waitFor()
    const colour = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await colour()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html.system-theme.dark').waitFor()
    assert.notEqual(await colour(), light)
    await page.getByRole('button', { name: 'Switch to the light theme' }).click()
    await page.locator('html.light-theme').waitFor()
    assert.equal(await colour(), light)
    await page.emulateMedia({ colorScheme: null })
    assert.deepEqual(visit.errors, [])
  })
})

test.group('The layout with few models, in a browser', (group) => {
  group.setup(() => leaveModels('Gadget', 'Lender', 'Utensil'))
  group.each.setup(() => emptyAdminTables())

  test('the skip link moves the focus past the header and sidebar', async ({ assert }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    await visit.page.goto('/admin')
    await press(visit, 'Tab')
    assert.isTrue(await visit.page.getByRole('link', { name: 'Skip to content' }).isVisible())
    await press(visit, 'Enter', 'Tab')
    const { name } = await focused(visit)
    assert.equal(name, 'Arrange')
  })

  test('the keyboard alone opens a model, goes back, switches the theme and logs out', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto('/admin')

    await tabTo(visit, 'Utensils')
    await press(visit, 'Enter')
    await page.waitForURL('**/admin/Utensil/')
    await tabTo(visit, 'Atrium')
    await press(visit, 'Enter')
    await page.waitForURL('**/admin')

    await tabTo(visit, 'Switch to the dark theme')
    await press(visit, 'Space')
    assert.equal(await visit.theme(), 'dark-theme dark')
    const { name } = await focused(visit)
    assert.equal(name, 'Switch to the light theme')

    await tabTo(visit, 'Log out')
    await press(visit, 'Enter')
    await page.waitForURL('**/admin/login')
    assert.isTrue(await getsFocus(page.locator('#username')))
  })

  test('[S16] the switch changes the theme without a reload, and later pages use the new theme', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto('/admin')
    const light = await background(visit)
    assert.equal(await visit.theme(), 'light-theme')
    await page.evaluate('window.isSamePage = true')

    const told = page.waitForResponse(urlOf('/admin/theme'))
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
    assert.equal(await visit.theme(), 'dark-theme dark')
    assert.notEqual(await background(visit), light)
    assert.isTrue(await page.evaluate('window.isSamePage'))
    await told

    await page.reload()
    assert.equal(await visit.theme(), 'dark-theme dark')
    await page.goto('/admin/nowhere')
    assert.equal(await visit.theme(), 'dark-theme dark')

    const again = page.waitForResponse(urlOf('/admin/theme'))
    await page.getByRole('button', { name: 'Switch to the light theme' }).click()
    await again
    await page.goto('/admin')
    assert.equal(await visit.theme(), 'light-theme')
    assert.equal(await background(visit), light)
    assert.deepEqual(visit.errors, [])
  })

  test('an error is shown if the theme could not be stored', async ({ assert }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto('/admin')
    await page.route('**/admin/theme', (route) => route.abort())
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
    const message = page.getByRole('status').getByText('That did not work')
    await message.waitFor()
    assert.isTrue(await message.isVisible())
  })

  test('[B18] a message overlays the page and disappears unless hovered; errors and messages with an action stay', async ({
    assert,
  }) => {
    for (const table of ['reels', 'lenders']) await db.from(table).delete()
    const now = new Date().toISOString().slice(0, 19).replace('T', ' ')
    await db.table('lenders').insert({ name: 'Ealing', created_at: now })
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.clock.install()
    await page.goto('/admin/Lender/')
    const place = () => page.locator('.list-table').boundingBox()
    const before = await place()
    await page.locator('.list-table').getByRole('link', { name: 'Ealing' }).first().click()
    await page.getByLabel('Name').fill('Rank')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL('**/admin/Lender/')
    const toasts = page.locator('.toasts .toast')
    const passes = (seconds: number) => page.clock.runFor(seconds * 1000)
    const texts = () => page.locator('.toast .flash-message').allInnerTexts()
    await passes(1)
    assert.equal(await toasts.getByRole('link', { name: 'Rank' }).count(), 1)
    assert.deepEqual(await place(), before)

    /* It offers Undo. */
    await passes(20)
    assert.equal(await toasts.count(), 1)
    await toasts.getByRole('button', { name: 'Close the message' }).click()
    assert.equal(await toasts.count(), 0)

    await page.evaluate(`
      for (const [text, kind, label] of [['One', 'success'], ['Two', 'success', 'Undo'], ['No', 'error']]) {
        const message = document.createElement('p')
        message.className = 'flash-message'
        message.dataset.kind = kind
        message.append(text)
        if (label) {
          const button = document.createElement('button')
          button.className = 'btn flash-action'
          button.append(label)
          message.append(button)
        }
        document.dispatchEvent(new CustomEvent('admin:tell', { detail: message }))
      }`)
    await passes(1)
    assert.deepEqual(await texts(), ['No', 'One', 'Two'])
    const [one, two] = await Promise.all([
      toasts.first().boundingBox(),
      toasts.last().boundingBox(),
    ])
    assert.isAtLeast(two!.y, one!.y + one!.height)
    await toasts.first().hover()
    await passes(20)
    assert.lengthOf(await texts(), 3)
    await page.mouse.move(5, 5)
    await passes(7)
    assert.lengthOf(await texts(), 3)
    await passes(2)
    assert.deepEqual(await texts(), ['No', 'Two'])
    await page.getByRole('alert').getByRole('button', { name: 'Close the message' }).click()
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.deepEqual(visit.errors, [])
    assert.deepEqual(await visit.accessibilityErrors(), [])
  })

  test('without JavaScript, the theme switch on a form with errors redirects to the page of that form', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada'), javaScript: false })
    const { page } = visit
    await page.goto('/admin/AdminUser/create_page')
    await page.getByLabel('User name').fill('x')
    await page.locator('[name=password]').fill('short one')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
    assert.equal(await visit.theme(), 'dark-theme dark')
    assert.match(page.url(), /\/admin\/AdminUser\/create_page$/)
    assert.deepEqual(visit.errors, [])
  })

  test('every sidebar entry has its own icon, and a closed group stays closed', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto('/admin')
    const icons = await page.evaluate<Record<string, string>>(`
      Object.fromEntries([...document.querySelectorAll('.side a')].map((link) =>
        [link.title || link.textContent.trim(),
          link.querySelector('path')?.getAttribute('d') ?? link.querySelector('.icon').dataset.letter]))`)
    const menu = await page.locator('.menu-switch path').getAttribute('d')
    const { Events, Health, Gadgets } = icons
    const own = ['Admin users', 'Admin sessions', 'Access tokens', 'Revoked logins'].map(
      (label) => icons[label]
    )
    assert.lengthOf(new Set([...own, Events, Health, Gadgets, menu]), 8)
    assert.equal(Gadgets, 'G')
    for (const icon of [...own, Events, Health]) assert.isAbove(icon.length, 10)

    const section = page.locator('.side-group', { hasText: 'Management' })
    const users = section.getByRole('link', { name: 'Admin users' })
    await section.locator('summary').click()
    assert.isFalse(await users.isVisible())
    await page.goto('/admin/Gadget/')
    assert.isFalse(await users.isVisible())
    /* An open part is never hidden. */
    await page.goto('/admin/AdminUser/')
    assert.equal(await users.getAttribute('aria-current'), 'page')
    assert.isTrue(await users.isVisible())
    await page.goto('/admin')
    await section.locator('summary').click()
    await page.goto('/admin/Gadget/')
    assert.isTrue(await users.isVisible())
    assert.deepEqual(visit.errors, [])
  })
})

/** Names of elements as `focused` has them */
const named = (elements: any[]) =>
  elements.map(({ textContent }) => textContent.trim().replace(/\s+/g, ' '))

async function press({ page }: Visit, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** The focused element: its name, and whether it has a visible, uncovered focus ring. */
async function focused({ page }: Visit): Promise<Stop & { isPage: boolean }> {
  return await page.evaluate(`(() => {
    const element = document.activeElement
    const { x, y, width, height } = element.getBoundingClientRect()
    const style = getComputedStyle(element)
    const top = document.elementFromPoint(x + width / 2, y + height / 2)
    return {
      name: element.name || element.textContent.trim().replace(/\\s+/g, ' '),
      hasRing: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
      isSeen: top === element || element.contains(top),
      isPage: element === document.body,
    }
  })()`)
}

/** Presses Tab from the current focus to the end of the page. */
async function walk(visit: Visit): Promise<Stop[]> {
  const stops: Stop[] = []
  for (let steps = 0; steps < 500; steps++) {
    await press(visit, 'Tab')
    const { isPage, ...stop } = await focused(visit)
    if (isPage) return stops
    stops.push(stop)
  }
  throw new Error('The focus can not get out of the page')
}

async function tabTo(visit: Visit, name: string): Promise<void> {
  for (let steps = 0; steps < 500; steps++) {
    await press(visit, 'Tab')
    const stop = await focused(visit)
    if (stop.name === name) return
  }
  throw new Error(`Tab does not reach ${name}`)
}

async function background({ page }: Visit): Promise<string> {
  return await page.evaluate('getComputedStyle(document.body).backgroundColor')
}
