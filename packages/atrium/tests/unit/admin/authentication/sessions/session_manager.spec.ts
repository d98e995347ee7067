import { createHash } from 'node:crypto'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { AdminSession, AdminTokenBlacklist, AdminUser } from '#admin'
import { SessionManager } from '#admin/authentication/sessions/session_manager'
import { emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'

const sessions = new SessionManager({ idleMinutes: 30, maximumHours: 12, perUser: 5 })
const ORIGIN = { ip: '192.0.2.7', userAgent: 'curl/8.5.0' }
const begin = async (...of: Parameters<SessionManager['begin']>) => (await sessions.begin(...of))!
const NOW = () => Math.floor(Date.now() / 1000)

/** Makes the session older, or its last use. */
async function age(session: AdminSession, column: string, time: { minutes: number }) {
  const moment = DateTime.utc().minus(time).toFormat('yyyy-MM-dd HH:mm:ss')
  await db
    .from('admin_sessions')
    .where('id', session.id)
    .update({ [column]: moment })
}

async function revokedTokens(): Promise<string[]> {
  const rows = await db.from('admin_token_blacklist').orderBy('token')
  return rows.map((row) => row.token)
}

function idsOf(some: AdminSession[]): number[] {
  return some.map(({ id }) => id)
}

function claims(jti: string, exp = NOW() + 600) {
  return { sub: '1', sid: 'x', jti, iat: NOW(), exp }
}

test.group('SessionManager', (group) => {
  let jo: AdminUser
  let al: AdminUser

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
    al = await makeUser('al')
  })

  test('[B12] only the hash of a session id is stored', async ({ assert }) => {
    const { id } = await begin(jo, ORIGIN)
    const rows = await db.from('admin_sessions')

    assert.lengthOf(rows, 1)
    assert.equal(rows[0].session_id, createHash('sha256').update(id).digest('hex'))
    assert.notInclude(JSON.stringify(rows), id)
    assert.match(id, /^[\w-]{43}$/)
  })

  test('[B12] a session has user, address, user agent and times', async ({ assert }) => {
    await begin(jo, ORIGIN)
    const {
      created_at: created,
      last_activity: last,
      ...row
    } = await db.from('admin_sessions').firstOrFail()

    assert.sameMembers(Object.keys(row), [
      'id',
      'user_id',
      'session_id',
      'ip_address',
      'user_agent',
      'device_info',
      'is_active',
      'session_metadata',
    ])
    assert.equal(row.user_id, jo.id)
    assert.equal(row.ip_address, '192.0.2.7')
    assert.equal(row.user_agent, 'curl/8.5.0')
    assert.equal(row.device_info, 'curl')
    assert.equal(row.is_active, 1)
    for (const moment of [created, last]) {
      const seconds = -DateTime.fromSQL(moment, { zone: 'utc' }).diffNow('seconds').seconds
      assert.isBelow(Math.abs(seconds), 5)
    }
  })

  test('[B12] a long user agent of a session is truncated, and a missing one is null', async ({
    assert,
  }) => {
    const long = await begin(jo, { ip: '::1', userAgent: 'x'.repeat(5000) })
    const none = await begin(jo, { ip: '::1', userAgent: undefined })
    assert.lengthOf(long.session.userAgent!, 255)
    assert.isNull(none.session.userAgent)
    assert.isNull(none.session.deviceInfo)
  })

  test('[B12] the device of a session is described by browser and system')
    .with([
      [
        'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        'Firefox on Linux',
      ],
      [
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0 Safari/537.36 Edg/142.0',
        'Edge on Windows',
      ],
      ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1', 'Safari on iOS'],
      ['Mozilla/5.0 (Linux; Android 15) Chrome/142.0 Mobile Safari/537.36', 'Chrome on Android'],
      [
        'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
        'Chrome on Chrome OS',
      ],
      ['python-requests/2.31.0', 'python-requests'],
      ['something else', null],
      ['<script>alert(1)</script>/1 (x) ', null],
    ] as Array<[string, string | null]>)
    .run(async ({ assert }, [userAgent, device]) => {
      const { session } = await begin(jo, { ip: '::1', userAgent })
      assert.equal(session.deviceInfo, device)
    })

  test('[B7] every session has a new id', async ({ assert }) => {
    const first = await begin(jo, ORIGIN)
    const second = await begin(jo, ORIGIN)
    assert.notEqual(first.id, second.id)
  })

  test('[B4] a session is found by its id only', async ({ assert }) => {
    const { session, id } = await begin(jo, ORIGIN)
    const found = await sessions.find(id)
    assert.equal(found?.id, session.id)
    for (const other of ['', 'x', id.slice(1), session.sessionId, String(session.id)]) {
      assert.isNull(await sessions.find(other), other)
    }
  })

  test('[B4] an ended session is not found', async ({ assert }) => {
    const { session, id } = await begin(jo, ORIGIN)
    await db.from('admin_sessions').where('id', session.id).update({ is_active: false })
    assert.isNull(await sessions.find(id))
  })

  test('[B7] a session ends after 12 hours even if it is in use', async ({ assert }) => {
    const { session, id } = await begin(jo, ORIGIN)
    await age(session, 'created_at', { minutes: 12 * 60 - 1 })
    assert.isNotNull(await sessions.find(id))
    await age(session, 'created_at', { minutes: 12 * 60 + 1 })
    assert.isNull(await sessions.find(id))
  })

  test('[B7] the limits of sessions are configurable', async ({ assert }) => {
    const strict = new SessionManager({ idleMinutes: 5, maximumHours: 1, perUser: 1 })
    const { session, id } = (await strict.begin(jo, ORIGIN))!
    await age(session, 'last_activity', { minutes: 6 })
    assert.isNull(await strict.find(id))
    await age(session, 'last_activity', { minutes: 0 })
    await age(session, 'created_at', { minutes: 61 })
    assert.isNull(await strict.find(id))

    const first = (await strict.begin(jo, ORIGIN))!
    await strict.begin(jo, ORIGIN)
    assert.isNull(await strict.find(first.id))
  })

  test('[B7] the use of a session is recorded at most once a minute', async ({ assert }) => {
    const { session, id } = await begin(jo, ORIGIN)
    for (const [seconds, isRecorded] of [
      [50, false],
      [70, true],
    ] as const) {
      await age(session, 'last_activity', { minutes: seconds / 60 })
      const { lastActivity: before } = (await sessions.find(id))!
      await sessions.touch((await sessions.find(id))!)
      await sessions.settle()
      const { lastActivity } = await AdminSession.findOrFail(session.id)
      assert.equal(lastActivity > before, isRecorded, `${seconds} seconds`)
    }
  })

  test('[B7] a request with a session that has just ended does not make the session active again', async ({
    assert,
  }) => {
    const { session, id } = await begin(jo, ORIGIN)
    await age(session, 'last_activity', { minutes: 20 })
    const read = await sessions.find(id)
    await sessions.end(session)
    await sessions.touch(read!)
    await sessions.remember(read!, claims('late'))
    assert.isNull(await sessions.find(id))
    const { lastActivity } = await AdminSession.findOrFail(session.id)
    assert.isAbove(-lastActivity.diffNow('minutes').minutes, 19)
  })

  test("[B7] the sixth session of a user ends the user's oldest one, and no other user’s", async ({
    assert,
  }) => {
    const others = await begin(al, ORIGIN)
    const begun = []
    for (let i = 0; i < 5; i++) begun.push(await begin(jo, ORIGIN))
    await age(begun[3].session, 'created_at', { minutes: 10 })
    assert.lengthOf(await sessions.activeOf(jo.id), 5)

    await begin(jo, ORIGIN)
    assert.lengthOf(await sessions.activeOf(jo.id), 5)
    assert.isNull(await sessions.find(begun[3].id))
    assert.isNotNull(await sessions.find(begun[0].id))
    assert.isNotNull(await sessions.find(others.id))
  })

  test('[B7] expired sessions do not count for the limit, and their rows are removed', async ({
    assert,
  }) => {
    const { session: idle } = await begin(jo, ORIGIN)
    const { session: old } = await begin(jo, ORIGIN)
    const stored = await begin(jo, ORIGIN)
    await age(idle, 'last_activity', { minutes: 31 })
    await age(old, 'created_at', { minutes: 12 * 60 + 1 })
    for (let i = 0; i < 4; i++) await begin(jo, ORIGIN)

    assert.isNotNull(await sessions.find(stored.id))
    assert.isNull(await AdminSession.find(idle.id))
    assert.isNull(await AdminSession.find(old.id))
    assert.lengthOf(await db.from('admin_sessions'), 5)
  })

  test('[B7, B12] revoked tokens are removed once they have expired', async ({ assert }) => {
    const expired = DateTime.utc().minus({ minutes: 1 })
    const valid = DateTime.utc().plus({ minutes: 1 })
    await AdminTokenBlacklist.create({ token: 'expired', expiresAt: expired })
    await AdminTokenBlacklist.create({ token: 'valid', expiresAt: valid })
    await sessions.removeExpired()
    assert.deepEqual(await revokedTokens(), ['valid'])
  })

  test('[B5] ending a session revokes its tokens', async ({ assert }) => {
    const { session } = await begin(jo, ORIGIN)
    const { session: other } = await begin(jo, ORIGIN)
    const exp = NOW() + 600
    await sessions.remember(session, claims('one', exp))
    await sessions.remember(session, claims('two', exp))
    await sessions.remember(other, claims('other', exp))
    await sessions.end(session)

    assert.deepEqual(await revokedTokens(), ['one', 'two'])
    const row = await AdminTokenBlacklist.findByOrFail('token', 'one')
    assert.equal(Math.floor(row.expiresAt.toSeconds()), exp)
    assert.isTrue(await sessions.isRevoked('one'))
    assert.isFalse(await sessions.isRevoked('other'))
    assert.deepEqual(idsOf(await sessions.activeOf(jo.id)), [other.id])
  })

  test('[B4, B12] a session is found by its token, together with its user', async ({ assert }) => {
    const { session } = await begin(jo, ORIGIN)
    await begin(al, ORIGIN)
    const found = await sessions.findSignedIn({ sid: session.sessionId, jti: 'one' })
    const stored = await AdminSession.findOrFail(session.id)
    assert.deepEqual(found!.session, stored.$attributes)
    assert.deepEqual(found!.session.sessionMetadata, { tokens: {} })
    const user = await AdminUser.findOrFail(jo.id)
    assert.deepEqual(found!.owner.user.$attributes, user.$attributes)
    assert.deepEqual(found!.owner.user.$extras, {})
    assert.isNull(await sessions.findSignedIn({ sid: 'none', jti: 'one' }))
  })

  test('[B5, B7] no session is found by a revoked token, or by one of an ended session', async ({
    assert,
  }) => {
    const { session } = await begin(jo, ORIGIN)
    const find = (jti: string) => sessions.findSignedIn({ sid: session.sessionId, jti })
    assert.isNotNull(await find('one'))
    const revoked = await AdminTokenBlacklist.create({ token: 'one', expiresAt: DateTime.utc() })
    assert.isNull(await find('one'))
    assert.isNotNull(await find('two'))
    await revoked.delete()
    assert.isNotNull(await find('one'))

    await age(session, 'last_activity', { minutes: 31 })
    assert.isNull(await find('one'))
    await age(session, 'last_activity', { minutes: 0 })
    assert.isNotNull(await find('one'))
    await sessions.end(session)
    assert.isNull(await find('one'))
  })

  test('[B12] no session is found by the token of a deleted user', async ({ assert }) => {
    const { session } = await begin(jo, ORIGIN)
    await jo.delete()
    assert.isNull(await sessions.findSignedIn({ sid: session.sessionId, jti: 'one' }))
  })

  test('[B5] tokens that are issued concurrently are all recorded', async ({ assert }) => {
    const { session, id } = await begin(jo, ORIGIN)
    const copies = await Promise.all(Array.from({ length: 6 }, () => sessions.find(id)))
    await Promise.all(copies.map((copy, i) => sessions.remember(copy!, claims(`token-${i}`))))
    await sessions.end(session)
    assert.lengthOf(await revokedTokens(), 6)
  })

  test('[B5] ending a session revokes only the tokens that have not expired', async ({
    assert,
  }) => {
    const { session } = await begin(jo, ORIGIN)
    await sessions.remember(session, claims('new'))
    await sessions.remember(session, claims('old', NOW() - 1))
    await sessions.end(session)
    assert.deepEqual(await revokedTokens(), ['new'])
  })

  test('[B12] expired tokens are removed from the list of tokens of a session', async ({
    assert,
  }) => {
    const { session } = await begin(jo, ORIGIN)
    await sessions.remember(session, claims('old', NOW() - 1))
    await sessions.remember(session, claims('new'))
    const { sessionMetadata } = await AdminSession.findOrFail(session.id)
    assert.deepEqual(Object.keys(sessionMetadata.tokens), ['new'])
  })

  test('[U6] a session continues to view the site as a role after its token is renewed', async ({
    assert,
  }) => {
    const { session } = await begin(jo, ORIGIN)
    const stored = async () => {
      const { sessionMetadata } = await AdminSession.findOrFail(session.id)
      return sessionMetadata.viewAs
    }
    await sessions.viewAs(session, 4)
    await sessions.remember(session, claims('new'))
    assert.equal(await stored(), 4)
    await sessions.viewAs(session, null)
    assert.isUndefined(await stored())
  })

  test('[B5] ending a session twice, or one that was removed, causes no error', async ({
    assert,
  }) => {
    const { session } = await begin(jo, ORIGIN)
    await sessions.remember(session, claims('one'))
    await sessions.end(session)
    await sessions.end(session)
    assert.deepEqual(await revokedTokens(), ['one'])
    await db.from('admin_sessions').delete()
    await sessions.end(session)
  })

  test('[B7] all sessions of a user can be ended except a given one', async ({ assert }) => {
    const stored = await begin(jo, ORIGIN)
    const ended = [await begin(jo, ORIGIN), await begin(jo, ORIGIN)]
    const others = await begin(al, ORIGIN)

    assert.equal(await sessions.endAllOf(jo.id, stored.session), 2)
    assert.isNotNull(await sessions.find(stored.id))
    for (const { id } of ended) assert.isNull(await sessions.find(id))
    assert.isNotNull(await sessions.find(others.id))

    assert.equal(await sessions.endAllOf(jo.id), 1)
    assert.isNull(await sessions.find(stored.id))
    assert.isNotNull(await sessions.find(others.id))
  })

  test('[B7, S52] sessions are ended only if the transaction commits', async ({ assert }) => {
    const stored = await begin(jo, ORIGIN)
    const ended = await begin(jo, ORIGIN)
    await sessions.remember(ended.session, claims('one'))
    const client = await db.transaction()
    assert.equal(await sessions.endAllOf(jo.id, stored.session, client), 1)
    await client.rollback()
    assert.isNotNull(await sessions.find(ended.id))
    assert.isEmpty(await revokedTokens())

    await db.transaction((transaction) => sessions.endAllOf(jo.id, stored.session, transaction))
    assert.isNull(await sessions.find(ended.id))
    assert.isNotNull(await sessions.find(stored.id))
    assert.deepEqual(await revokedTokens(), ['one'])
  })

  test('[B7] the list of active sessions excludes expired ones', async ({ assert }) => {
    const first = await begin(jo, ORIGIN)
    const second = await begin(al, ORIGIN)
    const { session: idle } = await begin(jo, ORIGIN)
    const { session: ended } = await begin(jo, ORIGIN)
    const { session: old } = await begin(jo, ORIGIN)
    await age(idle, 'last_activity', { minutes: 31 })
    await age(old, 'created_at', { minutes: 12 * 60 + 1 })
    await sessions.end(ended)
    assert.deepEqual(idsOf(await sessions.allActive()), [first.session.id, second.session.id])
    assert.equal(await sessions.countActive(), 2)
  })

  test('[B7, B12] a renewed session has a new id, and its tokens are revoked', async ({
    assert,
  }) => {
    const { session, id } = await begin(jo, ORIGIN)
    await sessions.remember(session, claims('one'))
    const renewed = (await sessions.renew(session))!
    assert.isNull(await sessions.find(id))
    const found = (await sessions.find(renewed))!
    assert.equal(found.id, session.id)
    assert.deepEqual(found.sessionMetadata.tokens, {})
    assert.deepEqual(await revokedTokens(), ['one'])
    await sessions.end(session)
    assert.isNull(await sessions.renew(session))
    assert.isNull(await sessions.find(renewed))
  })

  test('[U6] a session that acts as another user keeps its tokens and its proof, and ends the view as a role', async ({
    assert,
  }) => {
    const { session } = await begin(jo, ORIGIN)
    const stored = async () => {
      const { sessionMetadata } = await AdminSession.findOrFail(session.id)
      return sessionMetadata
    }
    const actsAs = { id: al.id, username: 'al' } as any
    await sessions.actAs(session, actsAs)
    assert.deepEqual(await stored(), { tokens: {}, actsAs } as any)
    await sessions.remember(session, claims('one', 4_000_000_000))
    await sessions.prove(session)
    await sessions.viewAs(session, 4)
    await sessions.actAs(session, null)
    const { provedAt, ...others } = await stored()
    assert.closeTo(provedAt!, NOW(), 5)
    assert.deepEqual(others, { tokens: { one: 4_000_000_000 } })
  })

  test('[B7] no session begins if the second factors of the user are no longer sufficient', async ({
    assert,
  }) => {
    assert.isNull(await sessions.begin(jo, ORIGIN, { isEnough: async () => false }))
    assert.isEmpty(await AdminSession.all())
    const isEnough = async (client: any) => client.isTransaction
    assert.isNotNull(await sessions.begin(jo, ORIGIN, { isEnough }))
  })

  test("[B7] a login ends the browser's previous session, whichever user it belongs to", async ({
    assert,
  }) => {
    const earlier = await begin(al, ORIGIN)
    const other = await begin(al, ORIGIN)
    const { id } = await begin(jo, ORIGIN, { earlier: earlier.id })
    assert.isNull(await sessions.find(earlier.id))
    assert.isNotNull(await sessions.find(other.id))
    assert.isNotNull(await sessions.find(id))
    assert.isNotNull(await begin(jo, ORIGIN, { earlier: 'unknown' }))
  })

  test('[B7] no session begins if the password was changed after it had been verified', async ({
    assert,
  }) => {
    const checked = await AdminUser.findOrFail(jo.id)
    await AdminUser.query().where('id', jo.id).update({ hashed_password: 'another' })
    assert.isNull(await sessions.begin(checked, ORIGIN))
    await AdminUser.query().where('id', jo.id).delete()
    assert.isNull(await sessions.begin(checked, ORIGIN))
    assert.isEmpty(await AdminSession.query().where('userId', jo.id))
  })
})
