import { test } from '@japa/runner'
import { ageSessions, emptyAdminTables, makeUser, PASSWORD } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'
import { codeOf } from '#tests/helpers/factors'

test.group('Second factors, in a browser', (group) => {
  group.each.setup(() => emptyAdminTables())

  test('[U8, U11] a user sets up an authenticator app on a phone, saves the recovery codes, and logs in with either', async ({
    assert,
  }) => {
    const ada = await makeUser('ada')
    const visit = await Visit.begin({ as: ada, width: 360 })
    const { page, context } = visit
    await ageSessions(ada, 'created_at', { minutes: 11 })
    await page.goto('/admin/account')
    await page.getByRole('link', { name: 'Set up an authenticator app' }).click()

    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    await page.getByText('Can’t scan it?').click()
    const shown = await page.locator('.setup-secret').innerText()
    const secret = shown.replaceAll(' ', '')
    await page.getByLabel('Code that the app shows now').fill(codeOf(secret))
    await page.getByRole('button', { name: 'Turn on' }).click()

    const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
    await codes.first().waitFor()
    assert.equal(await codes.count(), 10)
    const stored = await codes.first().innerText()
    await page.getByRole('button', { name: 'Print' }).waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    const download = await downloading
    assert.equal(download.suggestedFilename(), 'recovery-codes.txt')
    assert.isTrue(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))
    await page.getByRole('link', { name: 'I have saved them' }).click()
    await page.getByText('10 left of ten.').waitFor()

    await context.clearCookies()
    await page.goto('/admin/login')
    await visit.signIn('ada', PASSWORD)
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
    await page.keyboard.type(codeOf(secret, 1))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()

    await context.clearCookies()
    await page.goto('/admin/login?next=/admin/account')
    await visit.signIn('ada', PASSWORD)
    await page.getByRole('link', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(stored)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('You have 9 more.').waitFor()
    await page.getByText('9 left of ten.').waitFor()
    assert.deepEqual(visit.errors, [])
  })
})
