import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import { Machine, Maker, Holding } from '#tests/fixtures/forms'
import { emptyAdminTables, leaveModels, makeUser } from '#tests/helpers/admin'
import { getsFocus, THEMES, Visit } from '#tests/helpers/browser'

const withoutChecks = (form: any) => void (form.noValidate = true)

/* The browser logs expected 422 and 400 responses to the console. */
const RESPONDED = /^console: Failed to load resource: .* status of (400|422)/

test.group('Forms, in a browser', (group) => {
  let ada: AdminUser
  group.setup(() => leaveModels('Machine', 'Maker', 'Holding'))

  group.each.setup(async () => {
    await emptyAdminTables()
    await Machine.query().delete()
    await Maker.query().delete()
    ada = await makeUser('ada')
  })

  const errors = (visit: Visit) => visit.errors.filter((error) => !RESPONDED.test(error))
  const machine = (values: object = {}) =>
    Machine.create({
      name: 'Loom',
      nickname: 'Jacquard',
      notes: 'Weaves',
      amount: 3,
      active: true,
      data: '{"a":1}',
      colours: '["red"]',
      status: 'sent',
      ...values,
    } as Partial<Machine>)

  async function open(path: string, options: Parameters<typeof Visit.begin>[0] = {}) {
    const visit = await Visit.begin({ as: ada, ...options })
    await visit.page.goto(`/admin/Machine/${path}`)
    return { visit, page: visit.page, text: (name: string) => field(visit, name) }
  }

  /** Finds the field itself, as its clear checkbox has a similar label. */
  function field({ page }: Visit, label: string) {
    return page.locator(`#field-${label.toLowerCase()}`)
  }

  test('[S37, S38, B18] a record is created after the user has corrected an error', async ({
    assert,
  }) => {
    await machine({ nickname: 'Taken' })
    const { visit, page, text } = await open('create_page')
    await text('Name').fill('Mill')
    await text('Nickname').fill('Taken')
    await text('Notes').fill('Grinds')
    await page.getByRole('button', { name: 'Create' }).click()

    const alert = page.getByRole('alert')
    await alert.waitFor()
    assert.include(await alert.innerText(), 'Value Taken is already registered')
    assert.isTrue(await getsFocus(text('Nickname')))
    assert.equal(await text('Nickname').getAttribute('aria-invalid'), 'true')
    assert.equal(await text('Notes').inputValue(), 'Grinds')
    assert.equal(page.url().split('/').pop(), 'create_page')
    assert.isFalse(await page.getByRole('button', { name: 'Create' }).isDisabled())
    assert.notInclude(await page.locator('#flash').innerText(), 'did not work')

    await text('Nickname').fill('Free')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL('**/admin/Machine/')
    assert.include(await page.locator('#flash').innerText(), 'Machine Mill created')
    const made = await Machine.findByOrFail('nickname', 'Free')
    assert.equal(made.notes, 'Grinds')
    assert.isOk(made.active)
    assert.deepEqual(errors(visit), [])
  })

  test('[B17] the browser reports most errors before the form is submitted', async ({ assert }) => {
    const { page, text } = await open('create_page')
    let isSent = false
    page.on('request', (request) => (isSent ||= request.method() === 'POST'))
    const create = () => page.getByRole('button', { name: 'Create' }).click()
    const wrong = (name: string) => text(name).evaluate((one: any) => !one.validity.valid)

    await create()
    assert.isTrue(await wrong('Name'))
    await text('Name').fill('Mill')
    await text('Amount').fill('1001')
    await text('Email').fill('nobody')
    await create()
    assert.isTrue(await wrong('Amount'))
    assert.isTrue(await wrong('Email'))
    assert.isFalse(isSent)
  })

  test('[B17] length limits count characters as the database counts them', async ({ assert }) => {
    const { text } = await open('create_page')
    const isWrong = () => text('Website').evaluate((one: any) => one.validity.customError)
    await text('Website').fill(`https://a.org/${'😀'.repeat(186)}`)
    assert.isFalse(await isWrong())
    await text('Website').fill(`https://a.org/${'a'.repeat(187)}`)
    assert.isTrue(await isWrong())
  })

  test('[S46, B17] a record can be updated, and the clear button empties a field', async ({
    assert,
  }) => {
    const { id } = await machine()
    const { visit, page, text } = await open(`update/${id}`)
    await text('Name').fill('Power loom')
    const clear = page.locator('[name="nickname__clear"]')
    assert.isFalse(await clear.isVisible())
    assert.isFalse(await clear.isChecked())
    /* Emptying a text checks the box; typing again unchecks it. */
    await text('Nickname').fill('')
    assert.isTrue(await clear.isChecked())
    await text('Nickname').fill('x')
    assert.isFalse(await clear.isChecked())
    const cross = page.getByRole('button', { name: 'Clear Nickname' })
    assert.equal(await cross.evaluate((one: any) => one.tabIndex), -1)
    await cross.click()
    assert.isTrue(await clear.isChecked())
    assert.equal(await text('Nickname').inputValue(), '')
    assert.isTrue(await getsFocus(text('Nickname')))
    assert.isFalse(await cross.isVisible())
    await text('Active').uncheck()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL('**/admin/Machine/')
    assert.include(await page.locator('#flash').innerText(), 'Machine Power loom updated')
    const stored = await Machine.findOrFail(id)
    assert.equal(stored.name, 'Power loom')
    assert.isNull(stored.nickname)
    assert.isNotOk(stored.active)
    assert.equal(stored.notes, 'Weaves')
    assert.deepEqual(errors(visit), [])
  })

  test('[S42] saving an unchanged form leaves the record as it was', async ({ assert }) => {
    const values = {
      notes: '\n  two\r\nlines ',
      big: '9007199254740993',
      ratio: 0.1,
      approved: false,
      plainMoment: '2024-02-29 12:30:00',
      clock: '08:15:00',
      tags: '["a b","c"]',
      level: 2,
    }
    const { id } = await machine(values)
    const { $attributes: before } = await Machine.findOrFail(id)
    const { visit, page } = await open(`update/${id}`)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL('**/admin/Machine/')
    const { $attributes: after } = await Machine.findOrFail(id)
    assert.deepEqual({ ...after, updatedAt: null }, { ...before, updatedAt: null })
    assert.isNotNull(after.updatedAt)
    assert.deepEqual(errors(visit), [])
  })

  test('leaving a form with unsaved changes asks for confirmation, in a dialog or by the browser', async ({
    assert,
  }) => {
    const { id } = await machine()
    const { page, text } = await open(`update/${id}`)
    const requested: string[] = []
    page.on('dialog', async (dialog) => {
      requested.push(dialog.type())
      await dialog.dismiss()
    })
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.waitForURL('**/admin/Machine/')

    await page.goto(`/admin/Machine/update/${id}`)
    await text('Notes').fill('Other')
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.getByRole('link', { name: 'Cancel' }).click()
    await dialog.waitFor()
    assert.deepEqual(await dialog.getByRole('button').allInnerTexts(), ['Stay', 'Leave'])
    await dialog.getByRole('button', { name: 'Stay' }).click()
    assert.include(page.url(), `/update/${id}`)
    assert.equal(await text('Notes').inputValue(), 'Other')
    assert.deepEqual(requested, [])

    const question = page.waitForEvent('dialog')
    await page.evaluate(`location.assign('/admin')`)
    await question
    assert.deepEqual(requested, ['beforeunload'])
    await page.getByRole('link', { name: 'Machines' }).first().click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL('**/admin/Machine/')
    assert.deepEqual(requested, ['beforeunload'])
  })

  test('leaving a form asks for confirmation after a failed submission, but not while it is being submitted', async ({
    assert,
  }) => {
    const { page, text } = await open('create_page')
    const requested: string[] = []
    page.on('dialog', async (dialog) => {
      requested.push(dialog.type())
      await dialog.dismiss()
    })
    await text('Name').fill('Perpetuum mobile')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Stay' }).click()
    assert.deepEqual(requested, [])

    await text('Name').fill('Mill')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL('**/admin/Machine/')
    assert.deepEqual(requested, [])
  })

  test('the submit button is disabled while the form is being submitted', async ({ assert }) => {
    const { visit, page, text } = await open('create_page')
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await visit.context.route('**/form_create', async (route) => {
      await held
      await route.continue()
    })
    await text('Name').fill('Mill')
    const button = page.getByRole('button', { name: 'Create' })
    await button.click()
    assert.isTrue(await button.isDisabled())
    release()
    await page.waitForURL('**/admin/Machine/')
    assert.lengthOf(await Machine.all(), 1)
  })

  test('the error of a failed submission is visible at the current scroll position')
    .with([
      {
        fails: 'gone',
        text: 'This page or record does not exist, or your roles do not include it.',
      },
      {
        fails: 500,
        text: 'The server could not save this. The error is on its side. Your input is still here and is saved in this browser.',
      },
      {
        fails: 503,
        text: 'The server is busy and could not save this. Try again in a moment. Your input is still here and is saved in this browser.',
      },
      {
        fails: 'away',
        text: 'The server could not be reached, so nothing was saved. Your input is still here and is saved in this browser.',
      },
    ] as const)
    .run(async ({ assert }, { fails, text: expected }) => {
      const record = await machine()
      const { page, text } = await open(`update/${record.id}`, { width: 360 })
      if (fails === 'gone') await record.delete()
      else
        await page.route('**/form_update/**', (route) =>
          fails === 'away' ? route.abort() : route.fulfill({ status: fails })
        )
      const last = text('Email')
      await last.focus()
      const topOf = async () => (await last.boundingBox())!.y
      const before = await topOf()
      assert.isAbove(await page.evaluate<number>('scrollY'), 800)
      await page.keyboard.press('Enter')

      const message = page.locator('#flash .flash-message')
      await message.waitFor()
      assert.equal(await message.innerText(), expected)
      const [box, bar] = await Promise.all([
        message.boundingBox(),
        page.locator('.topbar').boundingBox(),
      ])
      assert.isAtLeast(box!.y, bar!.y + bar!.height)
      assert.isBelow(box!.y, 200)
      assert.equal(await topOf(), before)
      assert.isTrue(await getsFocus(last))
    })

  test('submitting the form again clears the error message', async ({ assert }) => {
    const { page, text } = await open('create_page')
    await page.route('**/form_create', (route) => route.abort(), { times: 1 })
    await text('Name').fill('Perpetuum mobile')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.locator('#flash .flash-message').waitFor()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').waitFor()
    assert.equal(await page.locator('#flash .flash-message').count(), 0)
  })

  test('on a small screen, the bar of buttons does not cover a focused field', async ({
    assert,
  }) => {
    const record = await machine()
    const { page } = await open(`update/${record.id}`, { width: 360 })
    const covered = await page.evaluate<string[]>(`(async () => {
      const names = []
      for (const field of document.querySelectorAll('.form-field :is(.input, .select)')) {
        const bar = () => document.querySelector('.form-actions').getBoundingClientRect()
        document.activeElement.blur()
        scrollTo(0, 0)
        scrollBy(0, field.getBoundingClientRect().bottom - bar().top - 2)
        field.focus()
        await new Promise(requestAnimationFrame)
        const { bottom, top } = field.getBoundingClientRect()
        if (bottom > bar().top && top < bar().bottom) names.push(field.id)
      }
      return names
    })()`)
    assert.deepEqual(covered, [])
  })

  test('a link of the error summary focuses its field', async ({ assert }) => {
    const { page, text } = await open('create_page')
    await page.locator('#record-form').evaluate(withoutChecks)
    await text('Amount').fill('-1')
    await text('Email').fill('nobody')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('link', { name: /Email/ }).click()
    assert.isTrue(await getsFocus(text('Email')))
  })

  test('[B24] without JavaScript, a record is created after an error, then updated', async ({
    assert,
  }) => {
    const { visit, page, text } = await open('create_page', { javaScript: false })
    await text('Name').fill('Perpetuum mobile')
    await page.getByRole('button', { name: 'Create' }).click()
    assert.include(await page.getByRole('alert').innerText(), 'Such a machine does not exist')
    await text('Name').fill('Mill')
    await text('Nickname').fill('Mo')
    await page.getByRole('button', { name: 'Create' }).click()
    assert.match(page.url(), /\/admin\/Machine\/$/)
    assert.include(await page.locator('#flash').innerText(), 'Machine Mill created')

    const { id } = await Machine.firstOrFail()
    await page.goto(`/admin/Machine/update/${id}`)
    await page.getByRole('checkbox', { name: 'Clear Nickname' }).check()
    await text('Status').selectOption('paid')
    await page.getByRole('button', { name: 'Save changes' }).click()
    assert.include(await page.locator('#flash').innerText(), 'Machine Mill updated')
    const stored = await Machine.findOrFail(id)
    assert.isNull(stored.nickname)
    assert.equal(stored.status, 'paid')
    assert.deepEqual(errors(visit), [])
  })

  test('[S49, B24] the update page asks for confirmation before a deletion, and shows “not found” when the user goes back to it', async ({
    assert,
  }) => {
    const { id } = await machine()
    const { visit, page, text } = await open(`update/${id}`)
    await text('Notes').fill('Lost with the record')
    const dialog = page.getByRole('dialog', { name: 'Delete 1 machine?' })
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.waitFor()
    assert.equal(await dialog.locator(':focus').innerText(), 'Cancel')
    assert.deepEqual(await dialog.locator('.btn').allInnerTexts(), ['Cancel', 'Delete'])
    assert.deepEqual(await dialog.getByRole('listitem').allInnerTexts(), ['Loom'])
    await dialog.getByRole('link', { name: 'Cancel' }).click()
    assert.equal(await text('Notes').inputValue(), 'Lost with the record')
    assert.lengthOf(await Machine.all(), 1)

    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL('**/admin/Machine/')
    assert.lengthOf(await Machine.all(), 0)
    await page.goBack()
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/admin/Machine/update/${id}`)
    assert.deepEqual(errors(visit), [])
  })

  test('markup in stored values is not executed', async ({ assert }) => {
    const text = '"><img src=x onerror="document.title=1"><script>document.title=2</script>'
    const { id } = await machine({ notes: text, nickname: null, email: text })
    const { visit, page } = await open(`update/${id}`)
    assert.equal(await page.locator('main img, main script').count(), 0)
    assert.equal(await field(visit, 'Notes').inputValue(), text)
    assert.include(await page.title(), 'Loom')
    assert.deepEqual(errors(visit), [])
  })

  test('[R1, R14] tabs switch sections, conditional fields appear and disappear, and the mouse wheel changes no number', async ({
    assert,
  }) => {
    await Holding.query().delete()
    const visit = await Visit.begin({ as: ada, theme: 'light-theme', width: 360 })
    const { page } = visit
    await page.goto('/admin/Holding/create_page')
    const create = page.getByRole('button', { name: 'Create' })
    const tab = (name: string) => page.getByRole('tab', { name })
    const section = page.locator('#form-section-1')
    assert.isTrue(await getsFocus(field(visit, 'Kind')))

    await tab('Money').focus()
    await page.keyboard.press('ArrowRight')
    assert.isTrue(await getsFocus(tab('Notes')))
    assert.equal(await tab('Notes').getAttribute('aria-selected'), 'true')
    assert.isTrue(await field(visit, 'Remark').isVisible())
    assert.isFalse(await field(visit, 'Price').isVisible())
    await page.keyboard.press('ArrowRight')
    assert.isTrue(await field(visit, 'Price').isVisible())

    /* A section without fields is not there. */
    assert.isFalse(await section.isVisible())
    await field(visit, 'Kind').selectOption('book')
    assert.isTrue(await field(visit, 'Isbn').isVisible())
    await field(visit, 'Pages').fill('0')
    await field(visit, 'Kind').selectOption('ebook')
    assert.isFalse(await field(visit, 'Pages').isVisible())

    /* A field that the browser refuses is shown, in a closed section and on a closed tab. */
    await field(visit, 'Title').fill('Emma')
    await section.locator('summary').click()
    assert.isFalse(await field(visit, 'Isbn').isVisible())
    await create.click()
    assert.isTrue(await getsFocus(field(visit, 'Isbn')))
    await field(visit, 'Isbn').fill('978-0')
    await field(visit, 'Price').fill('100')
    await tab('Notes').click()
    await create.click()
    assert.isTrue(await getsFocus(field(visit, 'Price')))

    await field(visit, 'Price').fill('5')
    await field(visit, 'Price').hover()
    const top = await page.evaluate<number>('scrollY')
    await page.mouse.wheel(0, -120)
    await page.waitForFunction((from) => (globalThis as any).scrollY < from, top)
    assert.equal(await field(visit, 'Price').inputValue(), '5')
    assert.isTrue(await getsFocus(field(visit, 'Price')))

    /* At 200 % zoom, a window of 1280 by 800 has half as many pixels. */
    await page.setViewportSize({ width: 640, height: 400 })
    const bar = await page.locator('.form-actions').boundingBox()
    assert.equal(bar!.y + bar!.height, 400)
    await tab('Notes').click()
    assert.equal(await visit.overflow(), 0)
    await create.click()
    await page.waitForURL('**/admin/Holding/')
    const stored = await Holding.firstOrFail()
    assert.equal(stored.isbn, '978-0')
    assert.isNull(stored.pages)
    assert.deepEqual(errors(visit), [])

    await page.goto(`/admin/Holding/update/${stored.id}`)
    await tab('Notes').click()
    assert.deepEqual(await visit.accessibilityErrors(), [])
  })

  for (const theme of THEMES) {
    test(`a form has no accessibility violation at any width: ${theme}`, async ({ assert }) => {
      const { id } = await machine()
      const judge = async (visit: Visit, { resized = true } = {}) => {
        for (const width of [1280, 360]) {
          await visit.page.setViewportSize({ width, height: 800 })
          assert.equal(await visit.overflow(), 0)
          const found = await visit.accessibilityErrors({ resized: resized && width < 1280 })
          assert.deepEqual(found, [])
        }
      }
      const blank = await open('create_page', { theme })
      await judge(blank.visit, { resized: false })

      const filled = await open(`update/${id}`, { theme })
      await filled.page.getByRole('button', { name: 'Clear Nickname' }).click()
      await judge(filled.visit)

      const failed = await open('create_page', { theme })
      await failed.page.locator('#record-form').evaluate(withoutChecks)
      await failed.page.getByRole('button', { name: 'Create' }).click()
      await failed.page.getByRole('alert').waitFor()
      await judge(failed.visit)
      assert.deepEqual(failed.visit.violations, [])
    })
  }
})
