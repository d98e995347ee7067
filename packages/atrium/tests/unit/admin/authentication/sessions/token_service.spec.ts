import { hkdfSync } from 'node:crypto'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose'
import { TokenService, type TokenClaims } from '#admin/authentication/sessions/token_service'
import { runs } from '#tests/helpers/random_runs'

const SECRET = 'a-secret-of-the-application'
const tokens = new TokenService(SECRET, 30)

/** The key that the service derives, to sign tokens that it would never issue. */
const KEY = new Uint8Array(hkdfSync('sha256', SECRET, '', 'admin access token', 32))

function sign(claims: object, alg = 'HS256', key: Uint8Array = KEY, typ?: string) {
  const type = typ === undefined ? 'at+jwt' : typ || undefined
  return new SignJWT({ ...claims }).setProtectedHeader({ alg, typ: type }).sign(key)
}

async function someClaims(): Promise<TokenClaims> {
  const { claims } = await tokens.issue(7, 'hash-of-the-session')
  return claims
}

test.group('TokenService', () => {
  test('[B4] a token is a compact JWT of seven claims, valid for 30 minutes', async ({
    assert,
  }) => {
    const before = Math.floor(Date.now() / 1000)
    const { token, claims } = await tokens.issue(7, 'hash-of-the-session')

    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
    assert.equal(decodeProtectedHeader(token).alg, 'HS256')
    const payload = decodeJwt(token)
    assert.sameMembers(Object.keys(payload), ['iss', 'aud', 'sub', 'sid', 'jti', 'iat', 'exp'])
    assert.deepEqual([payload.iss, payload.aud], ['atrium', 'atrium-admin'])
    assert.equal(decodeProtectedHeader(token).typ, 'at+jwt')
    assert.deepEqual({ ...payload }, { ...claims })
    assert.equal(payload.sub, '7')
    assert.equal(payload.sid, 'hash-of-the-session')
    assert.isAtLeast(payload.iat!, before)
    assert.equal(payload.exp! - payload.iat!, 30 * 60)
    assert.deepEqual({ ...(await tokens.verify(token)) }, { ...claims })
  })

  test('[B4] every token has a unique id', async ({ assert }) => {
    const issued = await Promise.all(Array.from({ length: 50 }, () => tokens.issue(7, 'session')))
    assert.equal(new Set(issued.map(({ claims }) => claims.jti)).size, 50)
  })

  test('[B4] a token signed with another application key is refused', async ({ assert }) => {
    const { token } = await new TokenService('another secret', 30).issue(7, 'session')
    assert.isNull(await tokens.verify(token))
  })

  test('[B4] a token signed with the application key instead of the derived key is refused', async ({
    assert,
  }) => {
    const token = await sign(await someClaims(), 'HS256', new TextEncoder().encode(SECRET))
    assert.isNull(await tokens.verify(token))
  })

  test('[B4] an expired token is refused', async ({ assert }) => {
    const { token } = await new TokenService(SECRET, -1).issue(7, 'session')
    assert.isNull(await tokens.verify(token))
  })

  test('[B4] a token from the cache is refused once it has expired', async ({
    assert,
    cleanup,
  }) => {
    const { token, claims } = await tokens.issue(7, 'session')
    assert.strictEqual(await tokens.verify(token), await tokens.verify(token))
    const { now } = Date
    cleanup(() => void (Date.now = now))
    Date.now = () => claims.exp * 1000 - 1
    assert.isNotNull(await tokens.verify(token))
    Date.now = () => claims.exp * 1000
    assert.isNull(await tokens.verify(token))
  })

  test('[B4] each service caches its own verified tokens', async ({ assert }) => {
    const other = new TokenService('another secret', 30)
    const { token } = await other.issue(7, 'session')
    assert.isNotNull(await other.verify(token))
    assert.isNull(await tokens.verify(token))
  })

  test('[B4] a token without a signature is refused', async ({ assert }) => {
    const claims = await someClaims()
    const unsigned = new UnsecuredJWT({ ...claims }).encode()
    const { token } = await tokens.issue(7, 'session')
    const [header, payload, signature] = token.split('.')

    assert.isNull(await tokens.verify(unsigned))
    assert.isNull(await tokens.verify(`${header}.${payload}.`))
    assert.isNull(await tokens.verify(`${unsigned.split('.')[0]}.${payload}.${signature}`))
  })

  test('[B4] another algorithm is refused even with the right key', async ({ assert }) => {
    const claims = await someClaims()
    for (const alg of ['HS384', 'HS512']) {
      const long = new Uint8Array([...KEY, ...KEY])
      assert.isNull(await tokens.verify(await sign(claims, alg, long)), alg)
      assert.isNull(await tokens.verify(await sign(claims, alg, KEY).catch(() => '')), alg)
    }
    assert.isNotNull(await tokens.verify(await sign(claims)))
  })

  for (const name of ['iss', 'aud', 'sub', 'sid', 'jti', 'iat', 'exp'] as const) {
    test(`[B4] a token without ${name} is refused although its signature is valid`, async ({
      assert,
    }) => {
      const claims: Partial<TokenClaims> = await someClaims()
      delete claims[name]
      assert.isNull(await tokens.verify(await sign(claims)))
    })
  }

  test('[B4] a token for another purpose is refused although its signature is valid', async ({
    assert,
  }) => {
    const claims = await someClaims()
    assert.isNotNull(await tokens.verify(await sign(claims)))
    for (const other of [
      { iss: 'another' },
      { aud: 'atrium' },
      { aud: ['x'] },
      { iss: ['atrium'] },
    ]) {
      const token = await sign({ ...claims, ...other })
      assert.isNull(await tokens.verify(token), JSON.stringify(other))
    }
    for (const typ of ['JWT', 'logout+jwt', '']) {
      assert.isNull(await tokens.verify(await sign(claims, 'HS256', KEY, typ)), typ)
    }
  })

  test('[B4] changed claims under the old signature are refused', async ({ assert }) => {
    const { token } = await tokens.issue(7, 'session')
    const [header, , signature] = token.split('.')
    const forged = Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: '1' }))
    assert.isNull(await tokens.verify(`${header}.${forged.toString('base64url')}.${signature}`))
  })

  test('[B4] a token with any character replaced is refused', async ({ assert }) => {
    const { token } = await tokens.issue(7, 'session')
    /* The last character has unused bits: a different one may encode the same signature. */
    const places = fc.integer({ min: 0, max: token.length - 2 })
    const signs = fc.constantFrom(...'ABCabc012-_.')
    await fc.assert(
      fc.asyncProperty(places, signs, async (place, sign_) => {
        fc.pre(token[place] !== sign_)
        const changed = token.slice(0, place) + sign_ + token.slice(place + 1)
        assert.isNull(await tokens.verify(changed))
      }),
      { numRuns: runs(200) }
    )
  })

  test('[B4] a malformed token is refused without throwing', async ({ assert }) => {
    for (const text of ['', '.', '..', 'a.b.c', 'null', '{}', 'x'.repeat(20_000), 'é.é.é', '\0']) {
      assert.isNull(await tokens.verify(text), JSON.stringify(text.slice(0, 20)))
    }
  })

  test('[B4, B7] a token is due for renewal a minute after it was issued', async ({ assert }) => {
    const claims = await someClaims()
    assert.isFalse(tokens.isDueForRenewal(claims))
    assert.isFalse(tokens.isDueForRenewal({ ...claims, iat: claims.iat - 55 }))
    assert.isTrue(tokens.isDueForRenewal({ ...claims, iat: claims.iat - 61 }))
  })

  test('[B4] a token of one minute is due for renewal before it ends', async ({ assert }) => {
    const short = new TokenService(SECRET, 1)
    const { claims } = await short.issue(7, 'session')
    assert.isFalse(short.isDueForRenewal(claims))
    assert.isTrue(short.isDueForRenewal({ ...claims, iat: claims.iat - 15 }))
  })
})
