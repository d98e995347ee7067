import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'
import { call, del, type HttpResponse } from '#tests/helpers/http'
import { insertRow } from '#tests/helpers/databases'

const TABLES = ['gadgets', 'vouchers', 'berths', 'pets', 'owners', 'diaries']

async function addGadgets(...names: string[]): Promise<number[]> {
  const ids: number[] = []
  for (const name of names) {
    const id = await insertRow('bulk_gadgets', { name })
    ids.push(id)
  }
  return ids
}

/** Names of the gadgets, deleted ones in brackets. */
async function gadgets(): Promise<string[]> {
  const rows = await db.from('bulk_gadgets').orderBy('id')
  return rows.map((row) => (row.is_deleted ? `(${row.name})` : row.name))
}

function message({ body }: HttpResponse): string {
  return body.detail[0].message
}

/** Internal errors in the log. */
function errors(log: ReturnType<typeof captureLog>) {
  return log()
    .filter(({ level }) => level >= ERROR_LEVEL)
    .map(({ err }) => err?.message)
}

async function statusOf(promise: Promise<HttpResponse>): Promise<number> {
  const { status } = await promise
  return status
}

test.group('Admin | bulk delete', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(`bulk_${table}`).delete()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  function remove(model: string, ids: unknown, query = '') {
    return del(`/admin/${model}/bulk-delete${query}`, { json: { ids }, headers: { cookie } })
  }

  function restore(model: string, ids: unknown, query = '') {
    const path = `/admin/${model}/bulk-restore${query}`
    return call('POST', path, { json: { ids }, headers: { cookie } })
  }

  function send(body: string | undefined, headers: Record<string, string> = {}) {
    const json = { 'content-type': 'application/json' }
    return del('/admin/Gadget/bulk-delete', { body, headers: { cookie, ...json, ...headers } })
  }

  test('[S50, B19] a bulk delete with missing or empty ids is a 400')
    .with([undefined, '', '{}', '{"ids":[]}', '{"id":[1]}', '{"__proto__":{"ids":[1]}}'])
    .run(async ({ assert }, body) => {
      await addGadgets('Lamp')
      const response = await send(body)
      assert.equal(response.status, 400)
      assert.deepEqual(response.body, { detail: [{ message: 'No IDs provided for deletion' }] })
      assert.deepEqual(await gadgets(), ['Lamp'])
    })

  test('[S50] a request without a body is a 400, as it has no ids', async ({ assert }) => {
    const response = await del('/admin/Gadget/bulk-delete', { headers: { cookie } })
    assert.equal(response.status, 400)
    assert.equal(message(response), 'No IDs provided for deletion')
  })

  test('[B20] a bulk delete whose ids are not a list is a 422')
    .with(['1', '"1"', 'null', '{}', '{"0":1,"length":1}', 'true', '""'])
    .run(async ({ assert }, ids) => {
      const response = await send(`{"ids":${ids}}`)
      assert.equal(response.status, 422)
      assert.deepEqual(response.body, { detail: [{ message: 'ids must be a list' }] })
    })

  test('[B20, S53] invalid JSON is 422, and the message does not quote it')
    .with([
      '{"ids":[1',
      'x',
      '[1]',
      '5',
      'null',
      '{"ids":[01]}',
      `${'['.repeat(40)}${']'.repeat(40)}`,
    ])
    .run(async ({ assert }, body) => {
      const response = await send(body)
      assert.equal(response.status, 422)
      assert.lengthOf(response.body.detail, 1)
      assert.match(message(response), /^The body /)
    })

  test('[S53] a bulk delete with a body of another type, or a body that is too long, is refused with a message', async ({
    assert,
  }) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const response = await send('{"ids":[1]}', { 'content-type': type })
      assert.equal(response.status, 422, type)
      assert.match(message(response), /^The body must be JSON/)
    }
    const response = await send(`{"ids":["${'x'.repeat(1024 * 1024)}"]}`)
    assert.equal(response.status, 413)
    assert.match(message(response), /larger than 1048576 bytes/)
  })

  test('[S51, B20] {0} is not a valid integer key, and is a 422 that contains the value')
    .with([
      ['1.7', '1.7'],
      ['true', 'true'],
      ['"1e3"', '1e3'],
      ['"abc"', 'abc'],
      ['null', 'null'],
      ['[1]', '[1]'],
      ['{"id":1}', '{"id":1}'],
      ['""', ''],
      ['"1 or 1=1"', '1 or 1=1'],
      ['123456789012345678901234567890', '123456789012345678901234567890'],
    ])
    .run(async ({ assert }, [id, shown]) => {
      const [lamp] = await addGadgets('Lamp')
      const response = await send(`{"ids":[${lamp},${id}]}`)
      assert.equal(response.status, 422)
      assert.deepEqual(response.body, { detail: [{ message: `Invalid ID value: ${shown}` }] })
      assert.deepEqual(await gadgets(), ['Lamp'])
    })

  test('[B19] the error message contains only the beginning of a long id', async ({ assert }) => {
    const response = await remove('Gadget', [`<script>${'x'.repeat(10_000)}`])
    assert.equal(message(response), `Invalid ID value: <script>${'x'.repeat(72)}…`)
    assert.match(response.headers.get('content-type')!, /^application\/json/)
  })

  test('[S54, B16] a bulk delete soft-deletes the records, and returns the updated list', async ({
    assert,
  }) => {
    const [lamp, , desk] = await addGadgets('Lamp', 'Sofa', 'Desk')
    const response = await remove('Gadget', [lamp, String(desk), lamp])
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type')!, /^text\/html/)
    assert.match(response.text.trim(), /^(<!--.*?-->\s*)?<div id="list-content"/s)
    assert.notInclude(response.text, '<html')
    assert.include(response.text, 'Sofa')
    assert.notInclude(response.text, 'Lamp')
    assert.match(response.text, /data-kind="success" data-flash>2 gadgets deleted</)
    assert.deepEqual(await gadgets(), ['(Lamp)', 'Sofa', '(Desk)'])
    const row = await db.from('bulk_gadgets').where('id', lamp).first()
    assert.match(row.deleted_at, /^\d{4}-\d\d-\d\d/)
  }).tags(['@database'])

  test('[B18] the message after a bulk delete states the number of deleted records', async ({
    assert,
  }) => {
    const [lamp] = await addGadgets('Lamp')
    const one = await remove('Gadget', [lamp])
    assert.match(one.text, /data-flash>1 gadget deleted</)
    await db.table('bulk_owners').multiInsert([{ name: 'Ann' }, { name: 'Bob' }])
    const owners = await db.from('bulk_owners').select('id')
    const own = await remove(
      'Owner',
      owners.map(({ id }) => id)
    )
    assert.match(own.text, /data-flash>2 VIPs deleted</)
  })

  test('[S54] after a bulk delete, the last page is returned if the requested page no longer exists', async ({
    assert,
  }) => {
    const ids = await addGadgets(...Array.from({ length: 12 }, (_, index) => `Gadget ${index}!`))
    const query = '?page=2&rows-per-page-select=10&sort_by=name&sort_order=asc'
    const stays = await remove('Gadget', [ids[0]], query)
    const { name: last } = await db.from('bulk_gadgets').orderBy('name', 'desc').first()
    assert.include(stays.text, last)
    assert.notInclude(stays.text, 'Gadget 10!')
    const gone = await remove('Gadget', [ids[11]], query)
    assert.equal(gone.status, 200)
    assert.include(gone.text, 'Gadget 10!')
    assert.include(gone.text, last)
  })

  test('[S54] the list returned after a bulk delete preserves the search', async ({ assert }) => {
    const [, lamp] = await addGadgets('Blue lamp', 'Red lamp', 'Red sofa')
    const { text } = await remove('Gadget', [lamp], '?column-to-search=name&search-input=red')
    assert.include(text, 'Red sofa')
    assert.notInclude(text, 'Blue lamp')
  })

  test('[B20, S52] an unknown id fails the whole deletion', async ({ assert }) => {
    const [lamp, desk] = await addGadgets('Lamp', 'Desk')
    const response = await remove('Gadget', [lamp, 999_999, desk])
    assert.equal(response.status, 400)
    assert.equal(message(response), 'Error during deletion: Item with id 999999 not found')
    assert.deepEqual(await gadgets(), ['Lamp', 'Desk'])
  }).tags(['@database'])

  test('[B20, A21] deleting a record that is already deleted fails', async ({ assert }) => {
    const [lamp, desk] = await addGadgets('Lamp', 'Desk')
    await remove('Gadget', [lamp])
    const response = await remove('Gadget', [desk, lamp])
    assert.equal(response.status, 400)
    assert.equal(message(response), `Error during deletion: Item with id ${lamp} not found`)
    assert.deepEqual(await gadgets(), ['(Lamp)', 'Desk'])
  })

  test('[S52, B19] an error in the middle of a bulk delete rolls back all deletions and shows no SQL', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    const ids = await addGadgets('Lamp', 'stuck', 'Desk')
    const response = await remove('Gadget', ids)
    assert.equal(response.status, 400)
    assert.equal(
      message(response),
      'Error during deletion: The server made a mistake; it was logged'
    )
    assert.deepEqual(await gadgets(), ['Lamp', 'stuck', 'Desk'])
    assert.deepEqual(errors(log), ['select secret from bulk_gadgets'])
  }).tags(['@database'])

  test('[S52, B19] a referenced record is not deleted, and neither are the others', async ({
    assert,
  }) => {
    const ids: number[] = []
    for (const name of ['Ann', 'Bob']) {
      const id = await insertRow('bulk_owners', { name })
      ids.push(id)
    }
    await db.table('bulk_pets').insert({ owner_id: ids[1] })
    const response = await remove('Owner', ids)
    assert.equal(response.status, 400)
    assert.deepEqual(response.body, {
      detail: [
        {
          message: 'Error during deletion: Other items still refer to this one: 1 other record',
        },
      ],
    })
    assert.lengthOf(await db.from('bulk_owners'), 2)
  }).tags(['@database'])

  test("[S53] a ValueError thrown during a deletion is a 422 that does not contain the error's message", async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    const [lamp] = await addGadgets('Lamp')
    const response = await remove('FailingGadget', [lamp])
    assert.equal(response.status, 422)
    assert.deepEqual(response.body, {
      detail: [{ message: 'The server made a mistake; it was logged' }],
    })
    assert.deepEqual(errors(log), ['bulk_gadgets: the option is wrong'])
  })

  test('[B20] a deletion accepts at most a thousand ids', async ({ assert }) => {
    const ids = Array.from({ length: 1001 }, (_, index) => index + 1)
    /* SQLite inserts 500 rows in one statement. */
    for (const some of [ids.slice(0, 500), ids.slice(500, 1000), ids.slice(1000)]) {
      await db.table('bulk_gadgets').multiInsert(some.map((id) => ({ id, name: 'x' })))
    }
    const refused = await remove('Gadget', ids)
    assert.equal(refused.status, 422)
    assert.equal(message(refused), '1,001 records are too many: the maximum is 1,000')
    assert.lengthOf(await db.from('bulk_gadgets').where('is_deleted', true), 0)

    const done = await remove('Gadget', [...ids.slice(0, 1000), 1])
    assert.equal(done.status, 200)
    assert.match(done.text, /data-flash>1,000 gadgets deleted</)
    assert.lengthOf(await db.from('bulk_gadgets').where('is_deleted', false), 1)
  })

  test('[B20] ids beyond 2^53 are not rounded in a bulk delete', async ({ assert }) => {
    const add = (deck: string, guest: string) =>
      db.rawQuery(`insert into bulk_berths values (${deck}, 'a', '${guest}')`)
    await add('9007199254740992', 'near')
    await add('9007199254740993', 'far')
    const response = await del('/admin/Berth/bulk-delete', {
      body: '{"ids":[[9007199254740993,"a"]]}',
      headers: { cookie, 'content-type': 'application/json' },
    })
    assert.equal(response.status, 200)
    assert.deepEqual(await db.from('bulk_berths').select('guest'), [{ guest: 'near' }])
  }).tags(['@database'])

  test('[S51, A9] a text key can contain any character', async ({ assert }) => {
    const codes = ['a/b', 'a?b', '50%', 'two words', 'ä', '1', '%2F']
    await db.table('bulk_vouchers').multiInsert([...codes, 'kept'].map((code) => ({ code })))
    const response = await remove('Voucher', [...codes.slice(0, 5), 1, '%2F'])
    assert.equal(response.status, 200)
    assert.match(response.text, /data-flash>7 vouchers deleted</)
    assert.deepEqual(await db.from('bulk_vouchers').select('code'), [{ code: 'kept' }])
    const wrong = await remove('Voucher', ['kept', true])
    assert.equal(wrong.status, 422)
    assert.equal(message(wrong), 'Invalid ID value: true')
  }).tags(['@database'])

  test("[S52] a purge is rolled back if one of the records can't be purged", async ({ assert }) => {
    const codes = ['a', 'b', 'c']
    await db.table('bulk_vouchers').multiInsert(codes.map((code) => ({ code })))
    await db.from('bulk_vouchers').where('code', 'c').update({ remark: 'stuck' })
    assert.equal(await statusOf(remove('Voucher', codes)), 400)
    assert.lengthOf(await db.from('bulk_vouchers'), 3)
  }).tags(['@database'])

  test('[A9, S51] ids of a composite key in a bulk delete are arrays of their parts', async ({
    assert,
  }) => {
    const berths = [1, 2].flatMap((deck) =>
      ['a/1', 'b'].map((place) => ({ deck, place, guest: `${deck}${place}` }))
    )
    await db.table('bulk_berths').multiInsert(berths)
    const response = await remove('Berth', [
      [1, 'a/1'],
      ['2', 'b'],
    ])
    assert.equal(response.status, 200)
    const left = await db.from('bulk_berths').orderBy('deck').select('deck', 'place')
    assert.deepEqual(left, [
      { deck: 1, place: 'b' },
      { deck: 2, place: 'a/1' },
    ])
    for (const id of [1, '1/b', [1], ['b', 1]]) {
      const wrong = await remove('Berth', [id])
      assert.equal(wrong.status, 422, JSON.stringify(id))
      assert.match(message(wrong), /^Invalid ID value: /)
    }
    const unknown = await remove('Berth', [
      [1, 'b'],
      [1, 'x'],
    ])
    assert.equal(message(unknown), 'Error during deletion: Item with id 1, x not found')
    assert.lengthOf(await db.from('bulk_berths'), 2)
  }).tags(['@database'])

  test('[S52] of concurrent deletions that share records, one succeeds and the others change nothing', async ({
    assert,
  }) => {
    const ids = await addGadgets('a', 'b', 'c', 'd', 'e')
    const calls = [ids.slice(0, 3), ids.slice(2), ids.slice(1, 4)]
    const responses = await Promise.all(calls.map((some) => remove('Gadget', some, '?hard=true')))
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400, 400])
    const winner = calls[responses.findIndex(({ status }) => status === 200)]
    const left = await db.from('bulk_gadgets').orderBy('id')
    assert.deepEqual(
      left.map(({ id }) => id),
      ids.filter((id) => !winner.includes(id))
    )
    for (const response of responses.filter(({ status }) => status === 400)) {
      assert.match(message(response), /^Error during deletion: Item with id \d+ not found$/)
    }
  }).tags(['@dialect'])

  test('[B16] the parameter hard=true purges active and deleted records', async ({ assert }) => {
    const [lamp, sofa] = await addGadgets('Lamp', 'Sofa', 'Desk')
    await remove('Gadget', [lamp])
    const response = await remove('Gadget', [lamp, sofa], '?hard=true')
    assert.equal(response.status, 200)
    assert.match(response.text, /data-flash>2 gadgets deleted for good</)
    assert.deepEqual(await gadgets(), ['Desk'])
  }).tags(['@database'])

  test('[B16] a bulk delete does not purge if the parameter hard has a value other than true')
    .with(['hard=false', 'hard=', 'hard', 'hard=1', 'hard=true&hard=false', 'hard[a]=true'])
    .run(async ({ assert }, query) => {
      const [lamp] = await addGadgets('Lamp')
      const { status } = await remove('Gadget', [lamp], `?${query}`)
      assert.equal(status, 200)
      assert.deepEqual(await gadgets(), ['(Lamp)'])
    })

  test('[B16] selected soft-deleted records can be restored together', async ({ assert }) => {
    const [lamp, desk] = await addGadgets('Lamp', 'Desk', 'Sofa')
    await remove('Gadget', [lamp, desk])
    const response = await restore('Gadget', [lamp], '?deleted=only')
    assert.equal(response.status, 200)
    assert.match(response.text, /data-flash>1 gadget restored</)
    assert.include(response.text, 'Desk')
    assert.notInclude(response.text, 'Sofa')
    assert.deepEqual(await gadgets(), ['Lamp', '(Desk)', 'Sofa'])
    const row = await db.from('bulk_gadgets').where('id', lamp).first()
    assert.isNull(row.deleted_at)
  }).tags(['@database'])

  test('[B16, B20] restoring is all or nothing, with the same errors as deleting', async ({
    assert,
  }) => {
    const [lamp, desk] = await addGadgets('Lamp', 'Desk')
    await remove('Gadget', [lamp])
    const none = await restore('Gadget', [])
    assert.equal(none.status, 400)
    assert.equal(message(none), 'No IDs provided for restoration')
    const invalid = await restore('Gadget', [lamp, 'x'])
    assert.equal(invalid.status, 422)
    assert.equal(message(invalid), 'Invalid ID value: x')
    const alive = await restore('Gadget', [lamp, desk])
    assert.equal(alive.status, 400)
    assert.equal(message(alive), `Error during restoration: Item with id ${desk} not found`)
    assert.deepEqual(await gadgets(), ['(Lamp)', 'Desk'])
  }).tags(['@database'])

  test('[B16] restoring records of a model without soft deletion is a 404', async ({ assert }) => {
    await db.table('bulk_vouchers').insert({ code: 'a' })
    assert.equal(await statusOf(restore('Voucher', ['a'])), 404)
    assert.equal(await statusOf(restore('Nothing', ['a'])), 404)
  })

  test('[P14] a deletion that the policy refuses is a 403 problem and changes nothing', async ({
    assert,
  }) => {
    await db.table('bulk_diaries').multiInsert([
      { id: 1, title: 'May go' },
      { id: 2, title: 'no delete' },
      { id: 3, title: 'no db_delete' },
    ])
    for (const [ids, query] of [
      [[1, 2], ''],
      [[1, 3], '?hard=true'],
    ] as const) {
      const response = await remove('Diary', ids, query)
      assert.equal(response.status, 403)
      assert.match(response.headers.get('content-type')!, /^application\/problem\+json/)
      assert.equal(response.body.status, 403)
      assert.lengthOf(await db.from('bulk_diaries'), 3)
    }
    assert.equal(await statusOf(remove('Diary', [1, 3])), 200)
  })

  test('[P14, G8.4] a bulk action is refused if the policy refuses to update one of the records', async ({
    assert,
  }) => {
    await db.table('bulk_diaries').multiInsert([
      { id: 1, title: 'May change' },
      { id: 2, title: 'no update' },
    ])
    const touch = (ids: string) => sendForm('/admin/Diary/action/touch', ids, { cookie })
    assert.equal(await statusOf(touch('ids=1')), 303)
    assert.equal(await statusOf(touch('ids=2')), 403)
    assert.equal(await statusOf(touch('ids=1&ids=2')), 403)
  })

  test('[P14] a bulk delete of a record that the scope hides reports that the record is not found', async ({
    assert,
  }) => {
    await db.table('bulk_diaries').multiInsert([
      { id: 1, title: 'Open', owner: 'everyone' },
      { id: 2, title: 'Closed', owner: 'ann' },
    ])
    const response = await remove('Diary', [1, 2])
    assert.equal(response.status, 400)
    assert.equal(message(response), 'Error during deletion: Item with id 2 not found')
    assert.lengthOf(await db.from('bulk_diaries'), 2)
  }).tags(['@database'])

  test('[B14] the route for bulk deletes does not exist if the view has no delete action', async ({
    assert,
  }) => {
    const [lamp] = await addGadgets('Lamp')
    assert.equal(await statusOf(remove('GadgetToView', [lamp])), 404)
    assert.equal(await statusOf(remove('GadgetToView', [lamp], '?hard=true')), 404)
    assert.equal(await statusOf(restore('GadgetToView', [lamp])), 404)
    assert.deepEqual(await gadgets(), ['Lamp'])
  })

  test('[B14] a viewer who can delete but not view receives no list after the deletion', async ({
    assert,
  }) => {
    const [lamp] = await addGadgets('Lamp', 'Desk')
    const response = await remove('GadgetToDelete', [lamp])
    assert.equal(response.status, 200)
    assert.match(response.text, /data-flash>1 gadget to delete deleted</)
    assert.notInclude(response.text, 'Desk')
    assert.deepEqual(await gadgets(), ['(Lamp)', 'Desk'])
  })

  test('[B6, B9] anonymous and cross-site requests delete nothing', async ({ assert }) => {
    const [lamp] = await addGadgets('Lamp')
    for (const [method, path] of [
      ['DELETE', 'bulk-delete'],
      ['POST', 'bulk-restore'],
    ]) {
      const at = `/admin/Gadget/${path}`
      const stranger = await call(method, at, { json: { ids: [lamp] } })
      assert.equal(stranger.status, 401)
      assert.match(stranger.headers.get('content-type')!, /^application\/problem\+json/)
      for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'http://evil.test' }]) {
        const foreign = await call(method, at, {
          json: { ids: [lamp] },
          headers: { cookie, ...headers } as any,
        })
        assert.equal(foreign.status, 403)
      }
    }
    assert.deepEqual(await gadgets(), ['Lamp'])
  })

  test('[B13] only superusers can delete the admin site’s own models', async ({ assert }) => {
    const al = await makeUser('al', { isSuperuser: false })
    const headers = { cookie: await cookiesOf(al) }
    const response = await del('/admin/AdminSession/bulk-delete', { json: { ids: [1] }, headers })
    assert.equal(response.status, 403)
  })

  test("[S53] if the updated list can't be shown after a bulk delete, the message still reports the deletion", async ({
    assert,
    cleanup,
  }) => {
    const [lamp] = await addGadgets('Lamp')
    const log = captureLog(cleanup)
    const site = await adminSite()
    const render = site.render.bind(site)
    site.render = async (ctx, template, data) => {
      if (template === 'partials/list_content') throw new Error('Broken for a test')
      return await render(ctx, template, data)
    }
    cleanup(() => void Reflect.deleteProperty(site, 'render'))
    const response = await remove('Gadget', [lamp])
    assert.equal(response.status, 422)
    assert.equal(
      message(response),
      '1 gadget deleted, but the list could not be shown. Reload the page.'
    )
    assert.deepEqual(await gadgets(), ['(Lamp)'])
    assert.deepEqual(errors(log), ['Broken for a test'])
  })
})
