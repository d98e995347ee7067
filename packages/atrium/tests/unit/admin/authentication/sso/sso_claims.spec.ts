import { test } from '@japa/runner'
import { emailIn, hasMethod, rightsIn, usernameIn } from '#admin/authentication/sso/sso'
import { requestedAt } from '#admin/authentication/sso/sso_session'

const ROLES = { claim: 'groups', map: { staff: ['Clerk'], office: ['Clerk', 'Editor'] } }
const WITH_SUPERUSERS = { ...ROLES, superuser: ['admins'] }

test.group('Single sign-on | claims', () => {
  test('[U15] each mapped value of the claim assigns its role, once', ({ assert }) => {
    const rights = rightsIn(ROLES, { groups: ['office', 'staff', 'guests', 7, null] })
    assert.deepEqual(rights, { roles: ['Clerk', 'Editor'], isSuperuser: undefined })
    assert.deepEqual(rightsIn(ROLES, { groups: 'staff' })!.roles, ['Clerk'])
  })

  test('[U15] users without a mapped value have no permissions')
    .with([
      {},
      { groups: [] },
      { groups: ['guests'] },
      { groups: null },
      { groups: { staff: true } },
      { groups: [['staff']] },
      { groups: 'STAFF' },
      { groups: ['__proto__', 'constructor', 'toString'] },
      { roles: ['staff'] },
    ])
    .run(({ assert }, claims) => {
      assert.isNull(rightsIn(ROLES, claims))
    })

  test('[U15] inherited properties of objects are not accepted as claims', ({ assert }) => {
    assert.isNull(rightsIn({ ...ROLES, claim: 'constructor' }, {}))
    assert.isNull(rightsIn({ ...ROLES, claim: '__proto__' }, {}))
  })

  test('[U15] the provider promotes and demotes superusers only if the settings name the values', ({
    assert,
  }) => {
    const admin = { groups: ['admins'] }
    assert.isNull(rightsIn(ROLES, admin))
    assert.deepEqual(rightsIn(WITH_SUPERUSERS, admin), { roles: [], isSuperuser: true })
    assert.isFalse(rightsIn(WITH_SUPERUSERS, { groups: ['staff'] })!.isSuperuser)
    assert.isUndefined(rightsIn(ROLES, { groups: ['staff'] })!.isSuperuser)
  })

  test('[U15] the name {0} of the provider becomes the user name {1}')
    .with([
      ['kim', 'kim'],
      ['Kim.Müller@example.com', 'Kim.Muller'],
      ['kim müller', 'kim.muller'],
      ['..kim..', 'kim'],
      ['k'.repeat(40), 'k'.repeat(32)],
      ['<script>', 'script'],
      ['k', 'subject-1'],
      ['@example.com', 'subject-1'],
      ['金', 'subject-1'],
      [7, 'subject-1'],
      [undefined, 'subject-1'],
    ])
    .run(({ assert }, [value, name]) => {
      const claims = { preferred_username: value, sub: 'subject-1' }
      assert.equal(usernameIn({ usernameClaim: 'preferred_username' }, claims), name)
    })

  test('[U15] without any usable name in the claims, the user name is user', ({ assert }) => {
    assert.equal(usernameIn({ usernameClaim: 'nickname' }, { sub: '!' }), 'user')
  })

  test('[U15] only an email address that the provider has verified is accepted', ({ assert }) => {
    const email = 'kim@example.com'
    assert.equal(emailIn({ email, email_verified: true }), email)
    for (const claims of [
      { email },
      { email, email_verified: 'true' },
      { email, email_verified: false },
      { email: 'kim', email_verified: true },
      { email: 'a@b c', email_verified: true },
      { email: `${'k'.repeat(250)}@x.com`, email_verified: true },
      { email: [email], email_verified: true },
    ]) {
      assert.isNull(emailIn(claims))
    }
  })

  test('[U15] the ID token must contain one of the required methods', ({ assert }) => {
    assert.isTrue(hasMethod([], {}))
    assert.isTrue(hasMethod(['otp', 'hwk'], { amr: ['pwd', 'otp'] }))
    for (const claims of [{}, { amr: [] }, { amr: ['pwd'] }, { amr: [['otp']] }, { amr: 7 }]) {
      assert.isFalse(hasMethod(['otp', 'hwk'], claims))
    }
  })

  test('[U15, U11] the time of authentication is that of auth_time, but never in the future', ({
    assert,
  }) => {
    const now = Math.floor(Date.now() / 1000)
    assert.equal(requestedAt({ auth_time: now - 700 }), now - 700)
    assert.closeTo(requestedAt({ auth_time: now + 9999 }), now, 2)
    for (const claims of [{}, { auth_time: null }, { auth_time: String(now) }]) {
      assert.equal(requestedAt(claims), 0)
    }
  })
})
