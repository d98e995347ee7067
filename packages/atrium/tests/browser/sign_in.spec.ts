import { test } from '@japa/runner'
import { adminSite, leaveModels, makeUser, emptyAdminTables, PASSWORD } from '#tests/helpers/admin'
import { getsFocus, Visit } from '#tests/helpers/browser'
import { urlOf } from '#tests/helpers/http'

test.group('Login and logout, in a browser', (group) => {
  group.setup(() => leaveModels('Utensil', 'Reel'))
  group.each.setup(() => emptyAdminTables())

  test('[S22, B3] a wrong password is reported next to the form, and the right one logs the user in', async ({
    assert,
  }) => {
    await makeUser('ada')
    const visit = await Visit.begin()
    const { page } = visit
    await page.goto('/admin/login')
    assert.isTrue(await getsFocus(page.locator('#username')))

    await visit.signIn('ada', 'wrong')
    const alert = page.getByRole('alert')
    assert.equal(await alert.innerText(), 'The user name or the password is wrong.')
    assert.equal(await page.getByLabel('User name').inputValue(), 'ada')
    /* A screen reader reads the description of the focused field. */
    assert.isTrue(await getsFocus(page.locator('#password')))
    assert.equal(
      await page.locator('#password').getAttribute('aria-describedby'),
      await alert.getAttribute('id')
    )

    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    const cookies = await visit.context.cookies()
    assert.sameMembers(
      cookies.map(({ name }) => name),
      /* Of the device, and of the passkey that the login page could have requested */
      ['access_token', 'session_id', 'admin_device', 'passkey_login']
    )
    assert.isTrue(cookies.every(({ httpOnly }) => httpOnly))
    assert.isTrue(cookies.every(({ sameSite }) => sameSite !== 'None'))
    assert.deepEqual(visit.errors, [])
  })

  test('[B3, B6] after the session has ended, a refresh redirects to the login and back to the page', async ({
    assert,
  }) => {
    const user = await makeUser('ada')
    const visit = await Visit.begin({ as: user })
    const { page } = visit
    await page.goto('/admin?from=here')
    const { sessionManager } = await adminSite()
    await sessionManager.endAllOf(user.id)

    const responded = page.waitForResponse(/dashboard-content/)
    await page.getByRole('link', { name: 'Refresh' }).click()
    const response = await responded
    assert.equal(response.status(), 401)
    await page.waitForURL('**/admin/login?**')
    assert.equal(
      await page.locator('.door-said').getByRole('status').innerText(),
      'Your session ended. Log in to go on where you were.'
    )

    await visit.signIn('ada', PASSWORD)
    await page.waitForURL('**/admin?from=here')
  })

  test('[S23, B5] logging out ends the session, removes the cookies and invalidates copies', async ({
    assert,
  }) => {
    const user = await makeUser('ada')
    const visit = await Visit.begin({ as: user })
    await visit.page.goto('/admin')
    const copies = await visit.context.cookies()

    await visit.page.getByRole('link', { name: 'Log out' }).click()
    await visit.page.waitForURL('**/admin/login')
    const left = await visit.context.cookies()
    assert.notIncludeMembers(
      left.map(({ name }) => name),
      ['access_token', 'session_id']
    )
    assert.isTrue(left.every(({ name }) => name === 'passkey_login'))
    assert.deepEqual(visit.errors, [])

    const thief = await Visit.begin()
    await thief.context.addCookies(copies)
    await thief.page.goto('/admin')
    assert.match(thief.page.url(), /\/admin\/login\?error=ended/)
  })

  test('[B10] after logging out, the back button shows no content', async ({ assert }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto('/admin')
    await page.getByRole('link', { name: 'Log out' }).click()
    await page.waitForURL('**/admin/login')

    await page.goBack()
    assert.match(page.url(), /\/admin\/login\?error=required/)
    assert.equal(await page.getByText('ada').count(), 0)
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Log in')
  })

  test('[B5] a cross-site link to the logout page asks for confirmation and ends no session', async ({
    assert,
  }) => {
    const user = await makeUser('ada')
    const visit = await Visit.begin({ as: user })
    const { page } = visit
    const { sessionManager } = await adminSite()
    const elsewhere = await visit.serveElsewhere(`<a href="${urlOf('/admin/logout')}">Prize</a>`)

    await page.goto(elsewhere)
    await page.getByRole('link', { name: 'Prize' }).click()
    await page.getByRole('heading', { name: 'Log out?' }).waitFor()
    assert.lengthOf(await sessionManager.activeOf(user.id), 1)

    await page.getByRole('link', { name: 'Stay logged in' }).click()
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()

    await page.goto(elsewhere)
    await page.getByRole('link', { name: 'Prize' }).click()
    await page.getByRole('link', { name: 'Log out' }).click()
    await page.waitForURL('**/admin/login')
    assert.lengthOf(await sessionManager.activeOf(user.id), 0)
  })

  test('[B9] a cross-site form is refused and changes nothing', async ({ assert }) => {
    const user = await makeUser('ada')
    const visit = await Visit.begin()
    const { page } = visit
    const elsewhere = await visit.serveElsewhere(
      `<form method="post" action="${urlOf('/admin/login')}">
        <input name="username" value="ada"><input name="password" value="${PASSWORD}">
        <button>Prize</button>
      </form>`
    )
    await page.goto(elsewhere)
    const responded = page.waitForResponse(urlOf('/admin/login'))
    await page.getByRole('button', { name: 'Prize' }).click()
    const response = await responded
    assert.equal(response.status(), 403)
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor()
    const { sessionManager } = await adminSite()
    assert.lengthOf(await sessionManager.activeOf(user.id), 0)
    assert.deepEqual(await visit.context.cookies(), [])
  })
})
