import { test } from '@japa/runner'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { useTokenAuthorizer } from '#crud'
import { SheetWithComputed } from '#tests/fixtures/conditions'
import { preconditionOf } from '#crud/http/preconditions'
import { Resource } from '#crud/resource/resource'
import { bearerIsUser, Note } from '#tests/fixtures/crud'
import { call, del, get, patch, post, type HttpResponse } from '#tests/helpers/http'
import { insertRow } from '#tests/helpers/databases'

const PATH = '/api/condition-sheets'
const STRONG = /^"[\w-]{22}"$/

const tagOf = (response: HttpResponse) => response.headers.get('etag')
const statusOf = async (response: Promise<HttpResponse>) => {
  const { status } = await response
  return status
}
const ifMatch = (tag: string | null) => ({ headers: { 'if-match': tag! } })
const ifNoneMatch = (tag: string | null) => ({ headers: { 'if-none-match': tag! } })

/**
 * Inserts a sheet.
 *
 * @returns its path, below the endpoints of one of the table's models
 */
async function insertSheet(
  values: Record<string, unknown> = {},
  endpoints = 'condition-sheets'
): Promise<string> {
  const id = await insertRow('condition_sheets', { title: 'one', ...values })
  return `/api/${endpoints}/${id}`
}

const clear = async () => {
  for (const table of ['condition_sheets', 'condition_places', 'crud_notes']) {
    await db.from(table).delete()
  }
}

test.group('Entity tags of items', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(clear)

  test('[Q6] create, read and update return the same tag for the same state', async ({
    assert,
  }) => {
    const created = await post(PATH, { title: 'new', content: { b: [1, 2], a: 1 }, price: 1.5 })
    assert.equal(created.status, 201)
    assert.match(tagOf(created)!, STRONG)
    const path = created.headers.get('location')!
    const read = await get(path)
    assert.equal(tagOf(read), tagOf(created))

    for (const prefer of ['return=representation', 'return=minimal', '']) {
      const updated = await patch(path, { title: `by ${prefer}` }, { headers: { prefer } })
      assert.match(tagOf(updated)!, STRONG)
      const after = await get(path)
      assert.equal(tagOf(after), tagOf(updated))
      assert.notEqual(tagOf(after), tagOf(read))
    }
  })

  test('[Q6] an update without changes preserves the tag', async ({ assert }) => {
    const path = await insertSheet({ price: 3, content: '{"a": 1}' })
    const read = await get(path)
    const updated = await patch(path, { unknown: 1 })
    assert.equal(tagOf(updated), tagOf(read))
  })

  test('[Q6] every visible value affects the tag, and hidden values do not', async ({ assert }) => {
    const path = await insertSheet({ secret: 'a' })
    const tagNow = async () => tagOf(await get(path))
    let before = await tagNow()
    const changes = [{ title: 'x' }, { price: 1 }, { content: '[]' }, { updated_at: '2026-01-01' }]
    for (const change of changes) {
      await db.from('condition_sheets').update(change)
      const after = await tagNow()
      assert.notEqual(after, before)
      before = after
    }
    await db.from('condition_sheets').update({ secret: 'b' })
    assert.equal(await tagNow(), before)
  })

  test("[Q6] hidden values can't be guessed from the tag", async ({ assert }) => {
    const path = await insertSheet({ price: 1 })
    const selected = path.replace('condition-sheets', 'selected-sheets')
    const before = tagOf(await get(selected))
    await db.from('condition_sheets').update({ price: 2 })
    assert.equal(tagOf(await get(selected)), before)
    await db.from('condition_sheets').update({ title: 'two' })
    const after = tagOf(await get(selected))
    assert.notEqual(after, before)
    const updated = await patch(selected, { title: 'three' }, ifMatch(after))
    assert.equal(updated.status, 200)
  })

  test('[Q6, Q2] the entity tag covers the whole item, whatever fields are requested', async ({
    assert,
  }) => {
    const path = await insertSheet()
    for (const place of [path, path.replace('condition-sheets', 'computed-sheets')]) {
      const whole = await get(place)
      const part = await get(`${place}?fields=title`)
      assert.lengthOf(Object.keys(part.body), 1)
      assert.equal(tagOf(part), tagOf(whole))
      const again = await get(`${place}?fields=id`, ifNoneMatch(tagOf(whole)))
      assert.equal(again.status, 304)
    }
  })

  test('[Q6] a change of a computed property changes the tag', async ({ assert, cleanup }) => {
    cleanup(() => void (SheetWithComputed.edition = 1))
    const path = await insertSheet({}, 'computed-sheets')
    const first = tagOf(await get(path))
    SheetWithComputed.edition = 2
    const second = await get(path, ifNoneMatch(first))
    assert.equal(second.status, 200)
    const stale = await patch(path, { title: 'x' }, ifMatch(first))
    assert.equal(stale.status, 412)
    const fresh = await patch(path, { title: 'x' }, ifMatch(tagOf(second)))
    assert.equal(fresh.status, 200)
    assert.equal(tagOf(fresh), tagOf(await get(path)))
  })

  test("[Q6] the response to an update has no tag if the caller can't read the item", async ({
    assert,
  }) => {
    const path = await insertSheet({}, 'archive-sheets')
    const updated = await patch(path, { title: 'archived' })
    assert.equal(updated.status, 200)
    assert.isNull(tagOf(updated))
    assert.lengthOf(await db.from('condition_sheets').where('title', 'archived'), 1)
  })

  test('[Q6] responses to deletions and failures have no entity tag', async ({ assert }) => {
    const path = await insertSheet()
    const refused = await patch(path, { title: 'refused' })
    const invalid = await patch(path, { title: null })
    const deleted = await del(path)
    const missing = await get(path)
    for (const response of [refused, invalid, deleted, missing]) assert.isNull(tagOf(response))
  })
})

test.group('If-None-Match', (group) => {
  group.each.setup(clear)

  test('[Q6] a matching tag in If-None-Match returns 304 and no body', async ({ assert }) => {
    const path = await insertSheet()
    const read = await get(path)
    const tag = tagOf(read)!
    for (const header of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const again = await call(method, path, ifNoneMatch(header))
        assert.equal(again.status, 304)
        assert.equal(again.text, '')
        assert.equal(tagOf(again), tag)
        assert.isNull(again.headers.get('content-type'))
        assert.isNull(again.headers.get('content-length'))
        assert.isNotNull(again.headers.get('x-request-id'))
        assert.isNotNull(again.headers.get('date'))
      }
    }
    const other = await get(path, ifNoneMatch('"x"'))
    assert.equal(other.status, 200)
    assert.equal(other.text, read.text)
  })

  test('[Q6] HEAD returns the same entity tag as GET', async ({ assert }) => {
    const path = await insertSheet()
    for (const place of [path, PATH]) {
      const read = await get(place)
      const head = await call('HEAD', place)
      assert.equal(tagOf(head), tagOf(read))
      assert.equal(head.headers.get('content-length'), String(read.text.length))
    }
  })

  test('[Q6] a list has a weak tag over the whole response', async ({ assert }) => {
    await insertSheet()
    const list = await get(PATH)
    assert.match(tagOf(list)!, /^W\/"[\w-]{22}"$/)
    const again = await get(PATH, ifNoneMatch(tagOf(list)))
    assert.equal(again.status, 304)
    assert.equal(tagOf(again), tagOf(list))

    const paged = await get(`${PATH}?page=1`, ifNoneMatch(tagOf(list)))
    assert.equal(paged.status, 200)
    await insertSheet()
    const grown = await get(PATH, ifNoneMatch(tagOf(list)))
    assert.equal(grown.status, 200)
    assert.notEqual(tagOf(grown), tagOf(list))
  })

  test('[Q6] a malformed If-None-Match is a 400 that names the header', async ({ assert }) => {
    const path = await insertSheet()
    for (const place of [path, PATH]) {
      const response = await get(place, ifNoneMatch('abc'))
      assert.equal(response.status, 400)
      assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8')
      assert.include(response.body.detail, 'If-None-Match')
      assert.isNull(tagOf(response))
    }
    for (const header of ['abc', '']) {
      const update = await patch(path, { title: 'x' }, ifMatch(header))
      assert.equal(update.status, 400)
      assert.include(update.body.detail, 'If-Match')
    }
    assert.lengthOf(await db.from('condition_sheets').where('title', 'one'), 1)
  })

  test('[Q6] a create ignores If-Match and If-None-Match', async ({ assert }) => {
    for (const options of [ifNoneMatch('*'), ifMatch('"x"'), ifMatch('abc')]) {
      const created = await post(PATH, { title: 'new' }, options)
      assert.equal(created.status, 201)
    }
  })
})

test.group('If-Match', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(clear)

  const writes = {
    update: (path: string, options: object) => patch(path, { title: 'mine' }, options),
    delete: (path: string, options: object) => del(path, options),
    db_delete: (path: string, options: object) =>
      del(path.replace(PATH, `${PATH}/db_delete`), options),
  }

  test('[Q6] a write with {$self} of a changed item is a 412 and changes nothing')
    .with(['update', 'delete', 'db_delete'] as const)
    .run(async ({ assert }, name) => {
      const path = await insertSheet()
      const stale = tagOf(await get(path))
      await patch(path, { title: 'yours' })
      const before = await db.from('condition_sheets')
      for (const header of [stale, `"x", ${stale}`, `W/${tagOf(await get(path))}`]) {
        const refused = await writes[name](path, ifMatch(header))
        assert.equal(refused.status, 412)
        assert.equal(refused.body.status, 412)
        assert.isNull(tagOf(refused))
      }
      assert.deepEqual(await db.from('condition_sheets'), before)

      const fresh = await writes[name](path, ifMatch(`"x", ${tagOf(await get(path))}`))
      assert.equal(fresh.status, 200)
      assert.notDeepEqual(await db.from('condition_sheets'), before)
    })

  test('[Q6] If-Match: * matches any existing item', async ({ assert }) => {
    const path = await insertSheet()
    for (const name of ['update', 'delete', 'db_delete'] as const) {
      const response = await writes[name](path, ifMatch('*'))
      assert.equal(response.status, 200)
    }
  })

  test('[Q6, A5] a missing item is a 404, whatever If-Match contains', async ({ assert }) => {
    const path = await insertSheet({ is_deleted: true })
    for (const header of ['*', '"x"']) {
      for (const place of [path, `${PATH}/0`]) {
        assert.equal(await statusOf(writes.update(place, ifMatch(header))), 404)
        assert.equal(await statusOf(writes.delete(place, ifMatch(header))), 404)
      }
      assert.equal(await statusOf(get(`${PATH}/0`, ifMatch(header))), 404)
    }
  })

  test('[Q6] the entity tag that a write returns is valid for the next write', async ({
    assert,
  }) => {
    const created = await post(PATH, { title: 'new', content: [1.5, 'ä'], price: 2.25 })
    const path = created.headers.get('location')!
    let tag = tagOf(created)
    for (const title of ['a', 'b', 'c']) {
      const updated = await patch(path, { title }, ifMatch(tag))
      assert.equal(updated.status, 200)
      tag = tagOf(updated)
    }
    const removed = await del(path, ifMatch(tag))
    assert.equal(removed.status, 200)
  })

  test('[Q6] of many writers with the same tag, one succeeds', async ({ assert }) => {
    const path = await insertSheet()
    const tag = tagOf(await get(path))
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => patch(path, { title: `by ${index}` }, ifMatch(tag)))
    )
    const winners = responses.flatMap(({ status }, index) => (status === 200 ? index : []))
    assert.lengthOf(winners, 1)
    assert.lengthOf(
      responses.filter(({ status }) => status === 412),
      19
    )
    const item = await get(path)
    assert.equal(item.body.title, `by ${winners[0]}`)
  })

  test('[Q6] If-None-Match applies to updates', async ({ assert }) => {
    const path = await insertSheet()
    const tag = tagOf(await get(path))
    for (const header of [tag, '*']) {
      const refused = await writes.update(path, ifNoneMatch(header))
      assert.equal(refused.status, 412)
      assert.include(refused.body.detail, 'If-None-Match')
    }
    assert.equal(await statusOf(writes.update(path, ifNoneMatch('"x"'))), 200)
  })

  test('[Q6] If-Match applies to reads of items and lists', async ({ assert }) => {
    const path = await insertSheet()
    const tag = tagOf(await get(path))
    assert.equal(await statusOf(get(path, ifMatch(tag))), 200)
    const refused = await get(path, ifMatch('"x"'))
    assert.equal(refused.status, 412)
    assert.isNull(tagOf(refused))
    const list = await get(PATH)
    assert.equal(await statusOf(get(PATH, ifMatch(tagOf(list)))), 412)
    assert.equal(await statusOf(get(PATH, ifMatch('*'))), 200)
  })

  test('[Q6, A9] the entity tag of an item with a composite key is valid for that item alone', async ({
    assert,
  }) => {
    const created = await post('/api/condition-places', { row: 1, place: 'a/b', guest: 'Ann' })
    await post('/api/condition-places', { row: 1, place: 'b', guest: 'Bob' })
    const path = created.headers.get('location')!
    const updated = await patch(path, { guest: 'Cid' }, ifMatch(tagOf(created)))
    assert.equal(updated.status, 200)
    assert.equal(tagOf(updated), tagOf(await get(path)))
    assert.equal(await statusOf(del(path, ifMatch(tagOf(created)))), 412)
    assert.equal(await statusOf(del(path, ifMatch(tagOf(updated)))), 200)
    const list = await get('/api/condition-places')
    assert.deepEqual(list.body.data, [{ row: 1, place: 'b', guest: 'Bob' }])
  })
})

test.group('Conditions and permissions', (group) => {
  group.each.setup(clear)
  group.setup(() => {
    const before = useTokenAuthorizer(bearerIsUser)
    return () => void useTokenAuthorizer(before)
  })

  test('[Q6, P14] If-Match reveals nothing about items that are hidden or that the policy refuses', async ({
    assert,
  }) => {
    const id = await insertRow('crud_notes', { owner: 'bert', title: 'a note' })
    const refused = await insertRow('crud_notes', { owner: 'anna', title: 'no update' })
    const path = '/api/crud-notes'
    const by = (user: string, header: string) => ({
      headers: { 'authorization': `Bearer ${user}`, 'if-match': header },
    })
    const tag = tagOf(await get(`${path}/${id}`, { headers: { authorization: 'Bearer bert' } }))
    for (const header of [tag!, '"x"', '*']) {
      const hidden = await patch(`${path}/${id}`, { title: 'x' }, by('anna', header))
      assert.equal(hidden.status, 404)
      const read = await get(`${path}/${id}`, by('anna', header))
      assert.equal(read.status, 404)
      const banned = await get(`${path}/${id}`, by('banned', header))
      assert.isTrue([403, 404].includes(banned.status))
      const update = await patch(`${path}/${refused}`, { title: 'x' }, by('anna', header))
      assert.equal(update.status, 403)
      for (const response of [hidden, read, banned, update]) assert.isNull(tagOf(response))
    }
  })
})

test.group('Conditions and custom handlers', (group) => {
  group.each.setup(clear)
  const own = (values = {}) => insertSheet(values, 'own-sheets')

  test('[Q6, P11] the entity tag is computed from the return value of a custom handler', async ({
    assert,
  }) => {
    const path = await own()
    const read = await get(path)
    assert.equal(read.body.stock, 5)
    assert.match(tagOf(read)!, STRONG)
    assert.equal(await statusOf(get(path, ifNoneMatch(tagOf(read)))), 304)
    /* Writes do not know the stock: they refuse instead of overwriting unseen changes. */
    assert.equal(await statusOf(patch(path, {}, ifMatch(tagOf(read)))), 412)
  })

  test('[Q6, P11] a response has no tag if its handler sets a status or sends the response itself', async ({
    assert,
  }) => {
    const accepted = await get(await own({ title: 'accepted' }), ifNoneMatch('*'))
    assert.equal(accepted.status, 202)
    assert.isNull(tagOf(accepted))
    const byHand = await get(await own({ title: 'by hand' }), ifNoneMatch('*'))
    assert.equal(byHand.text, 'by hand')
    assert.isNull(tagOf(byHand))
    const custom = await get('/api/own-sheets/custom', ifNoneMatch('*'))
    assert.equal(custom.status, 200)
    assert.isNull(tagOf(custom))
  })

  test("[Q6, P11] a custom handler that passes on the request's options respects If-Match", async ({
    assert,
  }) => {
    const path = await own()
    assert.equal(await statusOf(patch(path, {}, ifMatch('"x"'))), 412)
    assert.equal(await statusOf(post(`${path}/publish`, {}, ifMatch('"x"'))), 412)
    assert.lengthOf(await db.from('condition_sheets').where({ title: 'one', price: null }), 1)
    const tag = tagOf(await get(path.replace('own-sheets', 'condition-sheets')))
    assert.equal(await statusOf(post(`${path}/publish`, {}, ifMatch(tag))), 200)
    assert.equal(await statusOf(patch(path, {}, ifMatch('*'))), 200)
  })

  test('[Q6.6, P11] If-Match does not apply to records of other models that a custom handler writes', async ({
    assert,
  }) => {
    const resource = new Resource({ model: SheetWithComputed })
    const ctx = await testUtils.createHttpContext()
    ctx.request.request.method = 'PATCH'
    ctx.request.request.headers['if-match'] = '"x"'
    const by = { kind: 'none' } as const
    const check = preconditionOf(ctx, resource, by, async () => false)!
    await check(new Note())
    await assert.rejects(() => check(new SheetWithComputed()))
  })

  test('[Q6.6, P11] If-Match of a read does not apply to records that its handler writes', async ({
    assert,
  }) => {
    const resource = new Resource({ model: SheetWithComputed })
    const ctx = await testUtils.createHttpContext()
    ctx.request.request.headers['if-match'] = '"x"'
    for (const method of ['GET', 'HEAD']) {
      ctx.request.request.method = method
      assert.isUndefined(preconditionOf(ctx, resource, { kind: 'none' }, async () => true))
    }
  })
})
