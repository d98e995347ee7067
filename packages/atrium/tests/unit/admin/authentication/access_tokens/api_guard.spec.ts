import { test } from '@japa/runner'
import { type Secret } from '@adonisjs/core/helpers'
import testUtils from '@adonisjs/core/services/test_utils'
import type { AdminUser } from '#admin'
import { AccessTokens } from '#admin/authentication/access_tokens/access_tokens'
import { tokenGuardOf, TokenUsers } from '#admin/authentication/access_tokens/api_guard'
import { adminSite, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { queriesOf } from '#tests/helpers/queries'
import { issueToken } from '#tests/helpers/tokens'

test.group('Guard of access tokens', (group) => {
  let jo: AdminUser
  let users: TokenUsers
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo', { isSuperuser: false })
    const { accessTokens } = await adminSite()
    users = new TokenUsers(async () => accessTokens)
  })

  test('[P10] a token that the guard creates has the given name, abilities and lifetime', async ({
    assert,
  }) => {
    const abilities = ['Utensil:read', 'Reel:*']
    const named = await users.createToken(jo, abilities, { name: 'ci', expiresIn: '2 days' })
    const { accessTokens } = await adminSite()
    const found = await accessTokens.find(named.value!)
    assert.deepInclude(found!.record, { name: 'ci', abilities, userId: jo.id })
    assert.closeTo(found!.record.expiresAt!.diffNow('days').days, 2, 0.01)

    const usual = await users.createToken(jo)
    assert.deepEqual([usual.name, usual.abilities, usual.expiresAt], ['unnamed', ['*'], null])
  })

  test('[P10.5] a token that the guard invalidates is refused, and can be invalidated once', async ({
    assert,
  }) => {
    const { accessTokens } = await adminSite()
    const { value } = await users.createToken(jo)
    assert.isTrue(await users.invalidateToken(value!))
    assert.isNull(await accessTokens.find(value!))
    assert.isFalse(await users.invalidateToken(value!))

    /* Another request revokes the token after it was found. */
    const other = await users.createToken(jo)
    const find = async (sent: Secret<string>) => {
      const found = await accessTokens.find(sent)
      await accessTokens.revokeAllOf(jo)
      return found
    }
    const late = new TokenUsers(async () => Object.assign(new AccessTokens(), { find }))
    assert.isFalse(await late.invalidateToken(other.value!))

    const failing = async () => {
      throw new Error('away')
    }
    const broken = { find: async () => ({ record: {}, user: jo }), revoke: failing }
    const failed = new TokenUsers(async () => broken as never)
    await assert.rejects(() => failed.invalidateToken(other.value!), 'away')
  })

  test('[P10.4] all parts of a request use one guard, which reads the token once', async ({
    assert,
  }) => {
    const { token } = await issueToken(jo)
    const ctx = await testUtils.createHttpContext()
    ctx.request.request.headers.authorization = `Bearer ${token}`
    const queries = await queriesOf(async () => {
      for (let part = 0; part < 2; part++) assert.isTrue(await tokenGuardOf(ctx).check())
      const { accessTokens } = await adminSite()
      await accessTokens.settle()
    })
    assert.lengthOf(
      queries.filter((sql) => sql.startsWith('select')),
      1
    )
  })
})
