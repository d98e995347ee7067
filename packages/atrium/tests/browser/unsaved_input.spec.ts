import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import {
  leaveModels,
  ageSessions,
  makeUser,
  emptyAdminTables,
  PASSWORD,
} from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'
import { Genre, Recording, Studio } from '#tests/fixtures/references'

const drafts = `JSON.stringify(Object.entries(localStorage).filter(([key]) => key.startsWith('atrium-draft:')))`

test.group('Unsaved input of forms, in a browser', (group) => {
  let jo: AdminUser
  group.setup(() => leaveModels('Recording', 'Studio', 'Genre'))

  group.each.setup(async () => {
    await emptyAdminTables()
    for (const model of [Recording, Studio, Genre]) await model.query().delete()
    jo = await makeUser('jo')
  })

  async function open(path = '/admin/Recording/create_page') {
    const visit = await Visit.begin({ as: jo })
    const { page } = visit
    await page.goto(path)
    return { visit, page, title: page.locator('#field-title') }
  }

  test('[R10] while the server is unreachable, a form stores its input, and is sent once the server is back', async ({
    assert,
  }) => {
    const { visit, page, title } = await open()
    await title.fill('Help!')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Create' }).click()
    const alert = page.getByRole('alert').filter({ hasText: 'could not be reached' })
    await alert.waitFor()
    assert.include(await alert.innerText(), 'is saved in this browser')
    assert.notInclude(await page.locator('body').innerText(), 'reload')
    assert.include(await page.evaluate(drafts), 'Help!')
    await page.context().setOffline(false)
    assert.deepEqual(await visit.accessibilityErrors(), [])
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.waitForURL('**/admin/Recording/')
    assert.lengthOf(await Recording.all(), 1)
    assert.equal(await page.evaluate(drafts), '[]')
  })

  test('[R10] a form submitted after the session has ended is shown again after the login, with all its widgets', async ({
    assert,
  }) => {
    await Genre.create({ code: 'pop' })
    const studios = await Studio.createMany(
      Array.from({ length: 60 }, (_, index) => ({ name: `Studio ${index + 10}` }))
    )
    const { page, title } = await open()
    await title.fill('Help!')
    await page.getByLabel('Genre code').selectOption('pop')
    const studio = page.getByRole('combobox', { name: 'Studio' })
    await studio.fill('Studio 42')
    await page.getByRole('option', { name: 'Studio 42' }).click()
    await ageSessions(jo, 'last_activity', { minutes: 45 })
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('What you typed is saved in this browser and is offered again').waitFor()
    await page.getByLabel('User name').fill('jo')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/admin/Recording/create_page')
    assert.equal(await title.inputValue(), '')
    await page.getByRole('button', { name: 'Restore' }).click()
    assert.equal(await title.inputValue(), 'Help!')
    assert.equal(await studio.inputValue(), 'Studio 42')
    assert.isEmpty(await Recording.all())
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL('**/admin/Recording/')
    const saved = await Recording.firstOrFail()
    assert.equal(saved.genreCode, 'pop')
    assert.equal(saved.studioId, studios[32].id)
    assert.equal(await page.evaluate(drafts), '[]')
  })

  test('[R10] unsaved input can be discarded, is hidden from the next user, and is removed by logging out', async ({
    assert,
  }) => {
    const { visit, page, title } = await open()
    const lose = async (text: string) => {
      await title.fill(text)
      await page.context().setOffline(true)
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByText('could not be reached').waitFor()
      await page.context().setOffline(false)
      await page.evaluate(
        `document.getElementById('record-form').removeAttribute('data-is-unsaved')`
      )
      await page.reload()
    }
    await lose('Help!')
    const saved = await page.locator('.form-draft time').innerText()
    assert.match(saved, /^\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d$/)
    await page.getByRole('button', { name: 'Discard' }).click()
    assert.equal(await page.evaluate(drafts), '[]')

    await lose('Help!')
    const key = `atrium-draft:${jo.id + 1}:/admin/Recording/create_page`
    await page.evaluate(
      `localStorage.setItem('${key}', localStorage.getItem(Object.keys(localStorage).find((one) => one.startsWith('atrium-draft:'))))`
    )
    await page.reload()
    assert.notInclude(await page.evaluate(drafts), key)
    assert.include(await page.evaluate(drafts), 'Help!')
    await page.getByRole('link', { name: 'Log out' }).click()
    await page.waitForURL('**/admin/login')
    assert.equal(await page.evaluate(drafts), '[]')
    assert.isNotNull(visit)
  })

  test('[R10] unsaved input does not include passwords', async ({ assert }) => {
    const { page } = await open('/admin/AdminUser/create_page')
    await page.locator('#field-username').fill('kim')
    await page.locator('input[type="password"]').first().fill('QZXSECRET')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('could not be reached').waitFor()
    const stored = await page.evaluate(drafts)
    assert.include(stored, 'kim')
    assert.notInclude(stored, 'QZX')
    await page.context().setOffline(false)
  })

  test('[R10] two minutes before a session ends, a message offers to extend it, unless its maximum age is reached', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: jo })
    const { page } = visit
    await page.clock.install()
    await page.goto('/admin/Recording/create_page')
    await ageSessions(jo, 'last_activity', { minutes: 28.5 })
    await page.clock.runFor(27 * 60_000)
    const line = page.locator('.toast').filter({ hasText: 'two minutes' })
    assert.isFalse(await line.isVisible())
    await page.clock.runFor(90_000)
    await line.waitFor()
    assert.deepEqual(await visit.accessibilityErrors(), [])
    await line.getByRole('button', { name: 'Stay logged in' }).click()
    await line.waitFor({ state: 'hidden' })

    await ageSessions(jo, 'created_at', { minutes: 12 * 60 - 1.5 })
    await page.reload()
    await page.clock.runFor(10_000)
    await page.getByText("this session can't be made longer").waitFor()
    assert.equal(await page.getByRole('button', { name: 'Stay logged in' }).count(), 0)
  })
})
