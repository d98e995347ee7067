/*
 * Response times must not reveal how much of a guess was right, or that a name exists. No time is
 * measured: the tests check that the slow or constant-time work is done each time.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { test } from '@japa/runner'
import { passwordHash as hash } from '#admin/authentication/passwords/password_hash'
import db from '@adonisjs/lucid/services/db'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { useTokenAuthorizer } from '#crud'
import { DOORS } from '#tests/fixtures/crud'
import {
  adminSite,
  cookieIn,
  cookiesOf,
  emptyAdminTables,
  isSignedIn,
  login,
  makeUser,
} from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { queriesOf } from '#tests/helpers/queries'
import { issueToken } from '#tests/helpers/tokens'

const DOOR = `/api${DOORS.token}`

test.group('Attacks | how secrets are compared', (group) => {
  group.each.setup(async () => {
    await emptyAdminTables()
    const before = useTokenAuthorizer(new TokenAuthorizer())
    return async () => {
      useTokenAuthorizer(before)
      const { accessTokens } = await adminSite()
      await accessTokens.settle()
    }
  })

  test('[B3, S57] a login with an unknown name compares a hash of the same cost as one with a known name', async ({
    assert,
    cleanup,
  }) => {
    await makeUser('jo')
    const verified: string[] = []
    const original = hash.verify
    cleanup(() => void (hash.verify = original))
    hash.verify = (hashed: string, plain: string) => {
      verified.push(hashed)
      return original.call(hash, hashed, plain)
    }
    for (const name of ['jo', 'nobody', '', 'x'.repeat(200)]) await login(name, 'a guess')

    /* `$scrypt$n=16384,r=8,p=1$SALT$HASH`: its costs, and the lengths of salt and hash */
    const prices = verified.map((one) => {
      const [, driver, cost, salt, digest] = one.split('$')
      return [driver, cost, salt.length, digest.length]
    })
    assert.lengthOf(prices, 4)
    assert.equal(prices[0][0], 'scrypt')
    for (const price of prices) assert.deepEqual(price, prices[0])
  })

  test('[P10] the hash of a token’s secret is compared in constant time', async ({
    assert,
    cleanup,
  }) => {
    const { token, headers } = await issueToken(await makeUser('jo'))
    const compared: boolean[] = []
    const original = crypto.timingSafeEqual
    const put = (compare: typeof original) => {
      crypto.timingSafeEqual = compare
      syncBuiltinESMExports()
    }
    cleanup(() => put(original))
    put((one, other) => {
      const isEqual = original(one, other)
      compared.push(isEqual)
      return isEqual
    })
    const [owner, encoded] = token.split('.')
    const secret = Buffer.from(encoded, 'base64url').toString()
    const wrong = (from: number) => {
      const guess = secret.slice(0, from) + '!'.repeat(secret.length - from)
      return `Bearer ${owner}.${Buffer.from(guess).toString('base64url')}`
    }
    const statuses = []
    for (const authorization of [headers.authorization, wrong(secret.length - 1), wrong(0)]) {
      const { status } = await get(DOOR, { headers: { authorization } })
      statuses.push(status)
    }
    assert.deepEqual(statuses, [200, 401, 401])
    assert.deepEqual(compared, [true, false, false])
  })

  test('[P10] a wrong secret and an unknown token have the same response', async ({ assert }) => {
    const { id, token } = await issueToken(await makeUser('jo'))
    const secret = token.split('.')[1]
    const named = (number: number) => Buffer.from(String(number)).toString('base64url')
    const responses = []
    for (const value of [
      `atr_${named(id)}.${Buffer.from('wrong'.repeat(9)).toString('base64url')}`,
      `atr_${named(id + 1000)}.${secret}`,
      `atr_${named(id)}.`,
      'nonsense',
    ]) {
      const headers = { authorization: `Bearer ${value}` }
      const { status, text, headers: responded } = await get(DOOR, { headers })
      responses.push([status, text, responded.get('www-authenticate')])
    }
    for (const response of responses) assert.deepEqual(response, responses[0])
    assert.equal(responses[0][0], 401)
  })

  test('[P10, B12] stored hashes are not accepted as a token or a session id', async ({
    assert,
  }) => {
    const jo = await makeUser('jo')
    const { id, headers } = await issueToken(jo)
    const cookie = await cookiesOf(jo)
    const { hash: stored } = await db.from('admin_access_tokens').where('id', id).firstOrFail()
    const { session_id: storedId } = await db.from('admin_sessions').firstOrFail()
    const [prefix] = headers.authorization.split('.')

    for (const value of [stored, Buffer.from(stored).toString('base64url')]) {
      const authorization = `${prefix}.${value}`
      const { status } = await get(DOOR, { headers: { authorization } })
      assert.equal(status, 401)
    }
    const token = cookieIn(cookie, 'access_token')
    assert.isFalse(await isSignedIn(`access_token=${token}; session_id=${storedId}`))
    assert.isTrue(await isSignedIn(cookie))
  })

  test('[P10, B4] no query compares a secret: queries look up only hashes and ids', async ({
    assert,
  }) => {
    const jo = await makeUser('jo')
    const { token, headers } = await issueToken(jo)
    const cookie = await cookiesOf(jo)
    const bound: unknown[] = []
    const client = db.connection().getWriteClient()
    const note = ({ bindings }: { bindings?: unknown[] }) => void bound.push(...(bindings ?? []))
    client.on('query', note)
    const queries = await queriesOf(async () => {
      await get(DOOR, { headers })
      await get('/admin', { headers: { cookie } })
    })
    client.removeListener('query', note)

    const said = JSON.stringify([queries, bound])
    assert.isNotEmpty(queries)
    const secrets = [token.split('.')[1], cookieIn(cookie, 'session_id')]
    for (const secret of [...secrets, cookieIn(cookie, 'access_token')]) {
      assert.notInclude(said, secret)
    }
  })
})
