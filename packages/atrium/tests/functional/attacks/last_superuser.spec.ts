import { setTimeout } from 'node:timers/promises'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import {
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { YES } from '#tests/helpers/databases'
import { call, type HttpResponse } from '#tests/helpers/http'
import { runs } from '#tests/helpers/random_runs'

type Way = (id: number, username: string, cookie: string) => Promise<HttpResponse>

const CRUD = '/admin/AdminUser/crud'

/** Every way to remove a superuser. */
const WAYS: Way[] = [
  (id, _, cookie) => call('DELETE', `${CRUD}/${id}`, { headers: { cookie } }),
  (id, _, cookie) => call('DELETE', `${CRUD}/db_delete/${id}`, { headers: { cookie } }),
  (id, _, cookie) =>
    call('PATCH', `${CRUD}/${id}`, { json: { is_superuser: false }, headers: { cookie } }),
  (id, username, cookie) =>
    sendForm(`/admin/AdminUser/form_update/${id}`, { username, is_superuser: 'false' }, { cookie }),
  (id, _, cookie) =>
    call('DELETE', '/admin/AdminUser/bulk-delete', { json: { ids: [id] }, headers: { cookie } }),
  (id, _, cookie) =>
    call('DELETE', '/admin/AdminUser/bulk-delete?hard=true', {
      json: { ids: [id] },
      headers: { cookie },
    }),
  (id, _, cookie) =>
    sendForm(
      '/admin/AdminUser/form_bulk_delete',
      { ids: String(id), action: 'delete', confirmed: '1' },
      { cookie }
    ),
]

/* A lock that is waited for too long, on a machine with much to do, is a 503 that asks to try again. */
const MOST_TRIES = 5

async function untilDecided(attempt: () => Promise<HttpResponse>): Promise<HttpResponse> {
  let response = await attempt()
  for (let tries = 1; tries < MOST_TRIES && response.status === 503; tries++) {
    const seconds = Number(response.headers.get('retry-after'))
    if (!(seconds > 0)) return response
    await setTimeout(1000 * seconds)
    response = await attempt()
  }
  return response
}

test.group('Attacks | the last superuser', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.setup(() => fakeHashes())

  test('[B13] concurrent removals of superusers by all routes leave one', async ({ assert }) => {
    for (let round = 0; round < runs(5); round++) {
      await emptyAdminTables()
      const users = await Promise.all(['al', 'bo', 'cy', 'di', 'ed'].map((name) => makeUser(name)))
      const cookies = await Promise.all(users.map(cookiesOf))
      const attempts = users.flatMap(({ id, username }, target) =>
        cookies.flatMap((cookie, own) =>
          own === target ? [] : WAYS.map((way) => () => way(id, username, cookie))
        )
      )
      /* In random order, ten and more concurrently. */
      const shuffled = attempts.toSorted(() => Math.random() - 0.5)
      const responses = await Promise.all(shuffled.map(untilDecided))
      for (const { status } of responses) assert.isBelow(status, 500)

      const left = await db.from('admin_users').where('is_superuser', YES)
      assert.lengthOf(left, 1)
      const signedIn = await Promise.all(cookies.map(isSignedIn))
      assert.isTrue(signedIn[users.findIndex(({ id }) => id === left[0].id)])
    }
  }).timeout(60_000)
})
