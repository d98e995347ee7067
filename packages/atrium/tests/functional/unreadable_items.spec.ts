import { createHash } from 'node:crypto'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { useTokenAuthorizer } from '#crud'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'
import { issueToken } from '#tests/helpers/tokens'

const AMOUNT = 4711
const digestsOf = (text: string) =>
  ['sha256', 'sha384', 'sha512', 'sha1', 'md5'].map((name) =>
    createHash(name).update(text).digest('base64url').slice(0, 22)
  )

test.group('Items that the actor can write but not read', (group) => {
  let doors: Array<{ name: string; path: string; headers: Record<string, string> }>

  group.setup(async () => {
    const before = useTokenAuthorizer(new TokenAuthorizer())
    const restore = await fakeHashes()
    return () => {
      restore()
      useTokenAuthorizer(before)
    }
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('judged_salaries').delete()
    await db.table('judged_salaries').insert({ id: 1, amount: AMOUNT })
    const user = await makeUser('jo')
    const token = await issueToken(user, ['Salary:update', 'Salary:create', 'Salary:delete'])
    const cookie = await cookiesOf(user)
    doors = [
      { name: 'without a token', path: '/api/judged-salaries', headers: {} },
      { name: 'ability', path: '/api/judged-salaries', headers: token.headers },
      { name: 'operations', path: '/api/judged-wages', headers: {} },
      { name: 'policy', path: '/api/judged-bonuses', headers: {} },
      { name: 'allowedActions', path: '/admin/Wage/crud', headers: { cookie } },
    ]
    return async () => {
      const { accessTokens } = await adminSite()
      await accessTokens.settle()
      await db.from('judged_salaries').delete()
    }
  })

  test('[Q6] an update without readable fields returns no tag, and preconditions do not confirm a guessed value', async ({
    assert,
  }) => {
    for (const { name, path, headers } of doors) {
      const send = (more: Record<string, string> = {}, json: object = {}) =>
        call('PATCH', `${path}/1`, { json, headers: { ...headers, ...more } })
      const plain = await send({ prefer: 'return=representation' })
      assert.equal(plain.status, 200, name)
      assert.equal(plain.text, 'null')
      assert.isNull(plain.headers.get('etag'), name)
      assert.isNull(plain.headers.get('preference-applied'))
      const minimal = await send({ prefer: 'return=minimal' })
      assert.isNull(minimal.headers.get('etag'), name)

      const responses = new Set<string>()
      for (const amount of [AMOUNT - 1, AMOUNT, AMOUNT + 1]) {
        for (const tag of digestsOf(JSON.stringify({ id: 1, amount }))) {
          for (const header of ['if-match', 'if-none-match']) {
            const { status, text } = await send({ [header]: `"${tag}"` })
            responses.add(`${status} ${text}`)
          }
        }
      }
      for (const header of ['if-match', 'if-none-match']) {
        const { status, text } = await send({ [header]: '*' }, { amount: 1 })
        responses.add(`${status} ${text}`)
        for (const method of ['DELETE']) {
          const gone = await call(method, `${path}/1`, { headers: { ...headers, [header]: '*' } })
          responses.add(`${gone.status} ${gone.text}`)
        }
      }
      assert.lengthOf([...responses], 1, name)
      assert.match([...responses][0], /^403 /)
      const row = await db.from('judged_salaries').firstOrFail()
      assert.equal(row.amount, AMOUNT, name)
    }
  })

  test('[Q6] the tag of a reader is not accepted from an actor without read permission', async ({
    assert,
  }) => {
    const { headers } = await issueToken(await makeUser('al'), ['Salary:read', 'Salary:update'])
    const read = await get('/api/judged-salaries/1', { headers })
    const tag = read.headers.get('etag')!
    assert.match(tag, /^"[\w-]{22}"$/)
    const patch = (more: Record<string, string>) =>
      call('PATCH', '/api/judged-salaries/1', { json: {}, headers: { 'if-match': tag, ...more } })
    const stranger = await patch({})
    assert.equal(stranger.status, 403)
    const reader = await patch(headers)
    assert.equal(reader.status, 200)
    assert.equal(reader.headers.get('etag'), tag)
  })

  test('[Q6] a create returns a tag only to an actor who can read the item', async ({ assert }) => {
    const { headers } = await issueToken(await makeUser('al'), ['Salary:read', 'Salary:create'])
    for (const [path, more, amount, isTagged] of [
      ['/api/judged-salaries', {}, 5, false],
      ['/api/judged-salaries', headers, 5, true],
      ['/api/judged-wages', {}, 5, false],
      ['/api/judged-bonuses', {}, 5, true],
      ['/api/judged-bonuses', {}, 5000, false],
    ] as const) {
      const response = await call('POST', path, { json: { amount }, headers: more })
      assert.equal(response.status, 201, path)
      assert.equal(response.headers.has('etag'), isTagged, `${path} ${amount}`)
    }
  })

  test('[P14] a create of an unreadable item returns null and its location', async ({ assert }) => {
    const response = await call('POST', '/api/judged-bonuses', { json: { amount: 5000 } })
    assert.equal(response.text, 'null')
    assert.match(response.headers.get('location')!, /^\/api\/judged-bonuses\/\d+$/)
    const seen = await call('POST', '/api/judged-bonuses', { json: { amount: 50 } })
    assert.equal(seen.body.amount, 50)
  })

  test("[Q6] a tag can't be computed by clients: {$self}")
    .with(['/api/judged-bonuses', '/api/judged-bonuses/1'])
    .run(async ({ assert }, path) => {
      await db.from('judged_salaries').update({ amount: 7 })
      const { headers, text } = await get(path)
      const tag = headers.get('etag')!.replace(/^W\/|"/g, '')
      assert.match(tag, /^[\w-]{22}$/)
      assert.notInclude(digestsOf(text), tag)
      const again = await get(path, { headers: { 'if-none-match': headers.get('etag')! } })
      assert.equal(again.status, 304)
    })
})
