import { test } from '@japa/runner'
import { emptyAdminTables, makeUser, PASSWORD } from '#tests/helpers/admin'
import { ELSEWHERE, Visit } from '#tests/helpers/browser'

const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const

test.group('Passkeys, in a browser', (group) => {
  group.each.setup(() => emptyAdminTables())

  test('[U9] a passkey made on a phone-sized page logs in alone and as a second factor, and its clone is refused', async ({
    assert,
    cleanup,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada'), width: 360 })
    const { page, context } = visit
    const devtools = await context.newCDPSession(page)
    cleanup(() => devtools.detach())
    await devtools.send('WebAuthn.enable')
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: AUTHENTICATOR,
    })
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')

    await page.goto('/admin/account')
    await page.getByRole('link', { name: 'Add a passkey' }).click()
    await page.getByLabel('Name').fill('My phone')
    assert.isTrue(await fits())
    await page.getByRole('button', { name: 'Create the passkey' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    const made = await devtools.send('WebAuthn.getCredentials', { authenticatorId })
    const [credential] = made.credentials
    assert.isTrue(credential.isResidentCredential)
    assert.equal(credential.rpId, 'localhost')

    await page.goto('/admin/account/factors/passkeys')
    await page.getByRole('button', { name: 'Create the passkey' }).click()
    await page.getByText('This device has a passkey for your account.').waitFor()

    await page.goto('/admin/account')
    await page.getByText('My phone').first().waitFor()
    assert.isTrue(await fits())

    /* Without this, the passkey offered by the user name field is chosen immediately. */
    const press = async (enabled: boolean) =>
      await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    await press(false)
    await context.clearCookies()
    await page.goto('/admin/login?next=/admin/account')
    const signIn = page.getByRole('button', { name: 'Log in with a passkey' })
    await signIn.waitFor()
    assert.isTrue(await fits())
    await press(true)
    await signIn.click()
    await page.getByRole('heading', { name: 'Your account', exact: true }).waitFor()

    await press(false)
    await context.clearCookies()
    await page.goto('/admin/login')
    await visit.signIn('ada', PASSWORD)
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    assert.isTrue(await fits())
    await press(true)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()

    /* A copy from before the logins: its counter is behind. */
    await devtools.send('WebAuthn.clearCredentials', { authenticatorId })
    await devtools.send('WebAuthn.addCredential', { authenticatorId, credential })
    await context.clearCookies()
    await page.goto('/admin/login')
    await page.getByText('This passkey was not accepted.').waitFor()

    /* Another site gets no passkey of this one. */
    const rpId = new URL(ELSEWHERE).hostname
    const refusal = await page.evaluate(`
      navigator.credentials
        .get({ publicKey: { challenge: new Uint8Array(32), rpId: '${rpId}' } })
        .then(() => 'answered', ({ name }) => name)`)
    assert.equal(refusal, 'SecurityError')
    assert.deepEqual(await visit.accessibilityErrors(), [])
    assert.deepEqual(visit.errors, [])
  })
})
