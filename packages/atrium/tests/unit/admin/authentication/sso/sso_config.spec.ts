import { test } from '@japa/runner'
import { Secret } from '@adonisjs/core/helpers'
import { ValueError } from '#crud'
import { isPlainHttp, ssoConfig, type SsoInput } from '#admin/config/sso_config'

const GIVEN = { issuer: 'https://login.example.com/realms/shop', clientId: 'atrium' }

function errorOf(input: object): string {
  try {
    ssoConfig({ ...GIVEN, ...input } as SsoInput)
  } catch (error) {
    if (error instanceof ValueError) return error.message
    throw error
  }
  return ''
}

test.group('Single sign-on | settings', () => {
  test('[U15] issuer and client ID are sufficient: unknown users are refused, and passwords are accepted', ({
    assert,
  }) => {
    assert.deepEqual(ssoConfig(GIVEN), {
      ...GIVEN,
      clientSecret: undefined,
      scopes: ['openid', 'profile', 'email'],
      label: 'Single sign-on',
      usernameClaim: 'preferred_username',
      roles: undefined,
      unknown: 'refuse',
      passwords: true,
      amr: [],
    })
  })

  test('[U15, P9] without issuer or client ID the start fails with the missing option', ({
    assert,
  }) => {
    assert.include(errorOf({ issuer: undefined }), 'sso.issuer is missing')
    assert.include(errorOf({ clientId: undefined }), 'sso.clientId is missing')
  })

  test('[U15] an issuer must be a plain HTTPS URL: {$self}')
    .with([
      'http://login.example.com',
      'ftp://login.example.com',
      'login.example.com',
      'https://login.example.com/?realm=shop',
      'https://login.example.com/#shop',
      'https://jo:secret@login.example.com',
      'http://localhost.example.com',
      '',
    ])
    .run(({ assert }, issuer) => {
      assert.include(errorOf({ issuer }), 'sso.issuer')
    })

  test('[U15] plain HTTP is accepted only for a provider on this machine: {$self}')
    .with(['http://localhost:8080', 'http://127.0.0.1:9000/x', 'http://[::1]:8080'])
    .run(({ assert }, issuer) => {
      assert.equal(errorOf({ issuer }), '')
      assert.isTrue(isPlainHttp(issuer))
      assert.isFalse(isPlainHttp(GIVEN.issuer))
    })

  test('[U15, P9] an invalid value of {0} is reported at the start')
    .with([
      ['clientId', ''],
      ['clientId', 7],
      ['scopes', ['profile']],
      ['scopes', 'openid'],
      ['label', ''],
      ['usernameClaim', null],
      ['unknown', 'link'],
      ['passwords', 'no'],
      ['amr', 'otp'],
      ['amr', [1]],
      ['roles', { map: {} }],
      ['roles', { claim: 'groups' }],
      ['roles', { claim: 'groups', map: { staff: 'Clerk' } }],
      ['roles', { claim: 'groups', map: {}, superuser: 'admins' }],
      ['roles', { claim: 'groups', map: {}, superusers: ['admins'] }],
      ['issuers', GIVEN.issuer],
    ] as Array<[string, unknown]>)
    .run(({ assert }, [name, value]) => {
      assert.include(errorOf({ [name]: value }), name)
    })

  test('[U15, P9] the client secret must be a Secret, and no error contains it', ({ assert }) => {
    const message = errorOf({ clientSecret: 'of-the-client' })
    assert.include(message, 'sso.clientSecret')
    assert.notInclude(message, 'of-the-client')
    const stored = ssoConfig({ ...GIVEN, clientSecret: new Secret('of-the-client') })
    assert.notInclude(JSON.stringify(stored), 'of-the-client')
    assert.equal(stored.clientSecret!.release(), 'of-the-client')
  })
})
