import { test } from '@japa/runner'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type { AdminUser } from '#admin'
import { AdminAuthentication } from '#admin/authentication/admin_authentication'
import { adminSite, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'

async function cookiesSet(
  user: AdminUser,
  settings: { secureCookies: boolean; mountPath: string }
): Promise<string[]> {
  const { adminAuthentication: shipped } = await adminSite()
  const authentication = new AdminAuthentication(
    shipped.users,
    shipped.sessions,
    shipped.tokens,
    shipped.throttle,
    shipped.factors,
    {
      ...settings,
      mfa: 'optional',
      sessions: { idleMinutes: 30, maximumHours: 12, perUser: 5 },
      token: { minutes: 30 },
    }
  )
  const ctx = new HttpContextFactory().create()
  ctx.request.ip = () => '192.0.2.1'
  await authentication.signIn(ctx, user)
  return (ctx.response.getHeader('set-cookie') as string[]).map((line) =>
    line.replace(/=[^;]+/, '=...')
  )
}

test.group('AdminAuthentication', (group) => {
  let jo: AdminUser

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
  })

  test('[B4, S22] secureCookies sends the cookies over HTTPS only', async ({ assert }) => {
    assert.deepEqual(await cookiesSet(jo, { secureCookies: true, mountPath: '/admin' }), [
      'access_token=...; Max-Age=1800; Path=/admin; HttpOnly; Secure; SameSite=Lax',
      'session_id=...; Max-Age=43200; Path=/admin; HttpOnly; Secure; SameSite=Lax',
    ])
  })

  test('[B1, B4] for a site at the root the cookies have the path /', async ({ assert }) => {
    assert.deepEqual(await cookiesSet(jo, { secureCookies: false, mountPath: '' }), [
      'access_token=...; Max-Age=1800; Path=/; HttpOnly; SameSite=Lax',
      'session_id=...; Max-Age=43200; Path=/; HttpOnly; SameSite=Lax',
    ])
  })
})
