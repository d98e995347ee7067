import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { Secret, TOTP } from 'otpauth'
import { hashQuickly, onlyNotes } from '#tests/helpers/notes_project'
import { ProjectCopy } from '#tests/helpers/project_copy'
import { firstInCi } from '#tests/helpers/random_runs'
import { createServerDatabase } from '#tests/helpers/test_database'

const PASSWORD = 'correct horse'
const NAME = `jo-${process.pid}`
const TYPE = { 'content-type': 'application/json' }

/** Shared storage of two servers. */
interface Place {
  name: string
  /** Reason why the storage is not available here, if so */
  missing: string | undefined
  /** @returns environment variables for a server, and a function that removes the storage */
  make(folder: string): Promise<{ environment: Record<string, string>; remove(): Promise<void> }>
}

const PLACES: Place[] = [
  {
    name: 'SQLite',
    missing: undefined,
    make: async (folder) => ({
      environment: {
        DB_CONNECTION: 'sqlite',
        DB_DATABASE: join(folder, 'tmp/shared.sqlite3'),
        LIMITER_STORE: 'database',
      },
      remove: async () => {},
    }),
  },
  {
    name: 'PostgreSQL and Redis',
    missing: ['TEST_POSTGRES_URL', 'TEST_REDIS_URL']
      .filter((variable) => !process.env[variable])
      .map((variable) => `${variable} names no server`)
      .join(', '),
    make: async () => {
      const redis = new URL(process.env.TEST_REDIS_URL!)
      const { environment, remove } = await createServerDatabase('postgres', '_two')
      return {
        environment: {
          ...environment,
          LIMITER_STORE: 'redis',
          REDIS_HOST: redis.hostname,
          REDIS_PORT: redis.port || '6379',
          REDIS_PASSWORD: decodeURIComponent(redis.password),
        },
        remove,
      }
    },
  },
]

for (const place of firstInCi(PLACES)) {
  /* Two servers from two directories with the same data, started, and so migrated, at the same
   * time. */
  test.group(`Two processes | ${place.name}`, (group) => {
    let first: ProjectCopy
    let second: ProjectCopy
    let environment: Record<string, string>
    let issued: { id: number; token: string }
    let stops: Array<() => Promise<number | null>>

    /* In CI the storage must be available: the test fails there. */
    group.tap((one) => one.skip(Boolean(place.missing) && !process.env.CI, place.missing))
    group.tap((one) => one.timeout(60_000))

    group.setup(async () => {
      if (place.missing && !process.env.CI) return async () => {}
      if (place.missing) throw new Error(place.missing)
      first = await ProjectCopy.create()
      second = await ProjectCopy.create()
      for (const copy of [first, second]) {
        await onlyNotes(copy, "{ access: 'token' }")
        await hashQuickly(copy)
      }
      const made = await place.make(first.folder)
      environment = {
        APP_KEY: 'of-this-run-alone-0123456789abcdef0',
        /* Redis is shared with other runs, so each counts its own addresses. */
        TRUST_PROXY: 'loopback',
        ...made.environment,
      }
      stops = await Promise.all([first.start(environment), second.start(environment)])
      await ace(
        `printf '%s' '${PASSWORD}' | ${process.execPath} ace.js admin:create --username=${NAME} --password-stdin`
      )
      issued = JSON.parse(await ace(`${TOKEN} --name=ci --json`))
      return async () => {
        for (const stop of stops) await stop()
        await made.remove()
        await first.remove()
        await second.remove()
      }
    })

    const TOKEN = `${process.execPath} ace.js admin:token ${NAME}`

    async function ace(command: string): Promise<string> {
      const { status, output } = await first.run('sh', ['-c', command], environment)
      if (status !== 0) throw new Error(output)
      return output
    }

    function login(
      copy: ProjectCopy,
      { password = PASSWORD, username = NAME, address = someAddress() } = {}
    ) {
      return fetch(`${copy.url}/admin/login`, {
        method: 'POST',
        body: new URLSearchParams({ username, password }),
        headers: { 'x-forwarded-for': address },
        redirect: 'manual',
      })
    }

    async function statusOf(copy: ProjectCopy, path: string, headers: Record<string, string> = {}) {
      const { status } = await fetch(`${copy.url}${path}`, { headers, redirect: 'manual' })
      return status
    }

    test('[B1] of two servers that start on a new database, only one migrates', async ({
      assert,
    }) => {
      const migrated = [first, second].map(
        ({ output }) => output.match(/^Migrated /gm)?.length ?? 0
      )
      assert.equal(Math.min(...migrated), 0)
      assert.equal(await statusOf(first, '/health/ready'), 200)
      assert.equal(await statusOf(second, '/health/ready'), 200)
    })

    test('[B4, B5] a login or logout at one server applies to both', async ({ assert }) => {
      const cookie = cookiesOf(await login(first))
      assert.equal(await statusOf(second, '/admin', { cookie }), 200)

      await statusOf(second, '/admin/logout', { cookie })
      assert.equal(await statusOf(first, '/admin', { cookie }), 303)
      assert.equal(await statusOf(second, '/admin', { cookie }), 303)
    })

    test('[B7, P12] sessions survive a restart, and a command ends them on running servers', async ({
      assert,
    }) => {
      const cookie = cookiesOf(await login(second))
      assert.equal(await stops[1](), 0)
      stops[1] = await second.start(environment)
      assert.equal(await statusOf(second, '/admin', { cookie }), 200)

      await ace(`${process.execPath} ace.js admin:sessions ${NAME} --revoke-all`)
      assert.equal(await statusOf(first, '/admin', { cookie }), 303)
      assert.equal(await statusOf(second, '/admin', { cookie }), 303)
    })

    test('[B8] failed logins at both servers are counted together', async ({ assert }) => {
      const address = someAddress()
      const statuses = []
      for (const copy of [first, second, first, second, first, second, first]) {
        const { status } = await login(copy, { password: 'wrong', address })
        statuses.push(status)
      }
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429])
      const right = await login(second, { address })
      assert.equal(right.status, 429)
    })

    test('[U12] a password link can be used once, at one of two servers', async ({ assert }) => {
      const username = `kim-${process.pid}`
      const users = `${first.url}/admin/AdminUser`
      const headers = { cookie: cookiesOf(await login(first)) }
      const made = await fetch(`${users}/crud`, {
        method: 'POST',
        body: JSON.stringify({ username, invite: true }),
        headers: { ...TYPE, ...headers },
      })
      const { id } = (await made.json()) as { id: number }
      for (let round = 0; round < 2; round++) {
        const shown = await fetch(`${users}/invite/${id}`, { method: 'POST', headers })
        const path = /\/admin\/invitation\/[\w-]{43}/.exec(await shown.text())![0]
        const passwords = ['one', 'two', 'three', 'four'].map((word) => `${word} horses ${round}`)
        const responses = await Promise.all(
          passwords.map((password, index) =>
            fetch((index % 2 ? first : second).url + path, {
              method: 'POST',
              body: new URLSearchParams({ password, password_again: password }),
              headers: { 'x-forwarded-for': someAddress() },
              redirect: 'manual',
            })
          )
        )
        const statuses = responses.map(({ status }) => status)
        assert.deepEqual(statuses.toSorted(), [303, 410, 410, 410])
        const set = await login(second, { username, password: passwords[statuses.indexOf(303)] })
        assert.equal(set.status, 303)
      }
    })

    test('[U8, B8] a code or recovery code can be used once, at one of two servers, and wrong codes are counted together', async ({
      assert,
    }) => {
      const { codes, app } = await setUpFactor(first, cookiesOf(await login(first)))
      const copies = [first, second, first, second]
      const stepAt = async (copy: ProjectCopy) => cookiesOf(await login(copy))
      const steps = await Promise.all(copies.map(stepAt))
      /* Of the next step: the current one was used to set the app up. */
      const code = app.generate({ timestamp: Date.now() + 30_000 })
      const responsesToTake: Array<Record<string, string>> = [
        { code },
        { recovery_code: codes[0] },
        { recovery_code: codes[1] },
      ]
      for (const fields of responsesToTake) {
        const responses = await Promise.all(
          copies.map((copy, index) => secondStep(copy, steps[index], fields))
        )
        const statuses = responses.map(({ status }) => status)
        assert.deepEqual(statuses.toSorted(), [303, 401, 401, 401])
        const used = statuses.indexOf(303)
        steps[used] = await stepAt(copies[used])
      }
      const address = someAddress()
      const step = cookiesOf(await login(first, { address }))
      const statuses = []
      for (const copy of [first, second, first, second, first, second]) {
        const { status } = await secondStep(copy, step, { code: '000000' }, address)
        statuses.push(status)
      }
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
      await ace(`${process.execPath} ace.js admin:mfa ${NAME} --reset`)
      assert.equal(
        await statusOf(second, '/admin', { cookie: cookiesOf(await login(second)) }),
        200
      )
    })

    /** Sets an authenticator app up; returns it and the recovery codes. */
    async function setUpFactor(copy: ProjectCopy, cookie: string) {
      const url = `${copy.url}/admin/account/factors/totp`
      const shown = await fetch(url, { headers: { cookie } })
      const page = await shown.text()
      const setup = /name="setup" value="([^"]+)"/.exec(page)![1]
      const secret = /class="setup-secret">([^<]+)</.exec(page)![1].replaceAll(' ', '')
      const app = new TOTP({ secret: Secret.fromBase32(secret) })
      const body = new URLSearchParams({ setup, code: app.generate() })
      const done = await fetch(url, { method: 'POST', body, headers: { cookie } })
      const text = await done.text()
      return { app, codes: [...text.matchAll(/<li><code>([^<]+)</g)].map(([, one]) => one) }
    }

    function secondStep(
      copy: ProjectCopy,
      cookie: string,
      fields: Record<string, string>,
      address = someAddress()
    ) {
      return fetch(`${copy.url}/admin/login/second`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { cookie, 'x-forwarded-for': address },
        redirect: 'manual',
      })
    }

    test('[Q7] a create that is sent to both servers with one Idempotency-Key creates one item', async ({
      assert,
    }) => {
      const authorization = `Bearer ${issued.token}`
      const send = (copy: ProjectCopy, key: string) =>
        fetch(`${copy.url}/api/notes`, {
          method: 'POST',
          body: `{"text":"${key}"}`,
          headers: { ...TYPE, authorization, 'idempotency-key': key },
        })
      for (const key of ['one', 'two', 'three', 'four', 'five']) {
        const copies = Array.from({ length: 8 }, (_, index) => (index % 2 ? first : second))
        const responses = await Promise.all(copies.map((copy) => send(copy, key)))
        const made = responses.filter(
          ({ status, headers }) => status === 201 && !headers.has('idempotency-replayed')
        )
        assert.lengthOf(made, 1)
        for (const { status } of responses) assert.include([201, 409], status)

        const item = await made[0].text()
        for (const copy of [first, second]) {
          const again = await send(copy, key)
          assert.equal(again.headers.get('idempotency-replayed'), 'true')
          assert.equal(await again.text(), item)
        }
      }
      const list = await fetch(`${second.url}/api/notes`, { headers: { authorization } })
      const { total_count: count } = (await list.json()) as { total_count: number }
      assert.equal(count, 5)
    })

    test('[P10] a token is valid at both servers until it is revoked', async ({ assert }) => {
      const headers = { authorization: `Bearer ${issued.token}` }
      assert.equal(await statusOf(first, '/api/notes', headers), 200)
      assert.equal(await statusOf(second, '/api/notes', headers), 200)

      await ace(`${TOKEN} --revoke=${issued.id}`)
      assert.equal(await statusOf(first, '/api/notes', headers), 401)
      assert.equal(await statusOf(second, '/api/notes', headers), 401)
    })

    test('[B13] of superusers who delete each other on both servers, one remains', async ({
      assert,
    }) => {
      const cookie = cookiesOf(await login(first))
      const users = `${first.url}/admin/AdminUser/crud`
      const rivals = ['al', 'bo', 'cy', 'di']
      const made: Array<{ id: number; cookie: string }> = []
      for (const username of rivals) {
        const response = await fetch(users, {
          method: 'POST',
          body: JSON.stringify({ username, password: PASSWORD, is_superuser: true }),
          headers: { ...TYPE, cookie },
        })
        const { id } = (await response.json()) as { id: number }
        made.push({ id, cookie: cookiesOf(await login(second, { username })) })
      }
      const listed = await fetch(users, { headers: { cookie } })
      const { data } = (await listed.json()) as { data: Array<{ id: number; username: string }> }
      const { id } = data.find(({ username }) => username === NAME)!
      const all = [...made, { id, cookie }]
      /* Every pair in both directions, half of the requests at each server. */
      const pairs = all.flatMap((one) =>
        all.filter((other) => other !== one).map((other) => ({ one, other }))
      )
      const responses = await Promise.all(
        pairs.map(({ one, other }, index) => {
          const { url } = index % 2 ? first : second
          const path = `${url}/admin/AdminUser/crud/${other.id}`
          return fetch(path, { method: 'DELETE', headers: { cookie: one.cookie } })
        })
      )
      assert.isTrue(responses.every(({ status }) => status < 500))
      const said = await ace(`${process.execPath} ace.js admin:list --json`)
      const left: Array<{ is_superuser: boolean }> = JSON.parse(said)
      assert.lengthOf(
        left.filter((user) => user.is_superuser),
        1
      )
    })
  })
}

/** An address that no other run has used. */
function someAddress(): string {
  const part = () => randomBytes(2).toString('hex')
  return `2001:db8:${part()}:${part()}::1`
}

function cookiesOf(response: Response): string {
  const lines = response.headers.getSetCookie()
  return lines.map((line) => line.split(';')[0]).join('; ')
}
