import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { errors } from '@adonisjs/auth'
import type { AdminUser } from '#admin'
import { AdminGuard } from '#admin/identity/admin_guard'
import authConfig from '../../../../../../../config/auth.js'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'

async function guardFor(cookie?: string) {
  const ctx = new HttpContextFactory().create()
  if (cookie) ctx.request.request.headers = { cookie }
  ctx.request.headers = () => ctx.request.request.headers
  let requested = 0
  const guard = new AdminGuard(ctx, async () => {
    requested++
    const site = await adminSite()
    return site.adminAuthentication
  })
  return { guard, timesAsked: () => requested }
}

test.group('AdminGuard', (group) => {
  let jo: AdminUser

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
  })

  test('[B4, S25] the cookies of a session authenticate its user', async ({ assert }) => {
    const { guard } = await guardFor(await cookiesOf(jo))
    assert.isTrue(await guard.check())
    assert.isTrue(guard.isAuthenticated)
    assert.equal(guard.getUserOrFail().id, jo.id)
    assert.equal(guard.signedIn?.session.userId, jo.id)
    assert.equal(guard.signedIn?.claims.sub, String(jo.id))
    const user = await guard.authenticate()
    assert.equal(user.id, jo.id)
  })

  test('[S25] without cookies no user is authenticated', async ({ assert }) => {
    const { guard } = await guardFor()
    assert.isFalse(await guard.check())
    assert.isFalse(guard.isAuthenticated)
    assert.isUndefined(guard.user)
    assert.throws(() => guard.getUserOrFail(), 'Unauthorized access')
    await assert.rejects(() => guard.authenticate(), 'Unauthorized access')
    assert.instanceOf(
      await guard.authenticate().catch((error) => error),
      errors.E_UNAUTHORIZED_ACCESS
    )
  })

  test('[B4] a request is authenticated once, however often the guard is called', async ({
    assert,
  }) => {
    const { guard, timesAsked: timesRequested } = await guardFor(await cookiesOf(jo))
    await guard.check()
    await guard.check()
    await guard.authenticate()
    assert.equal(timesRequested(), 1)
  })

  test('[S25] a test client that is logged in with loginAs has valid cookies', async ({
    assert,
  }) => {
    const { guard } = await guardFor()
    const { headers } = await guard.authenticateAsClient(jo)
    const { guard: signedIn } = await guardFor(headers!.cookie)
    assert.isTrue(await signedIn.check())
  })

  test('[S25] the guard has the name `admin`', async ({ assert }) => {
    const config = await (authConfig as any).resolver(app)
    assert.equal(config.default, 'admin')
    const guard = config.guards.admin(new HttpContextFactory().create())
    assert.instanceOf(guard, AdminGuard)
    assert.isFalse(await guard.check())
  })
})
