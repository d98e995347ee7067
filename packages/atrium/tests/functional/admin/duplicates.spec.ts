import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LucidCrud } from '#crud'
import { chunks } from '#base/chunks'
import { ListRequest, pageOf } from '#crud/internals'
import { DupClient } from '#tests/fixtures/duplicates'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { insertRow, onSqlite } from '#tests/helpers/databases'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { call, get, statusOf, type HttpResponse } from '#tests/helpers/http'
import { emptyJobTables, untilJob, work } from '#tests/helpers/jobs'
import { textOf } from '#tests/helpers/list_page'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

const ADMIN = '/admin/DupClient'
const TABLES = [
  'dup_client_tags',
  'dup_club_members',
  'dup_bills',
  'dup_clubs',
  'dup_tags',
  'dup_notes',
]

const MODELS = ['DupClient', 'DupBill', 'DupClub', 'DupTag']
const ALL = ['view', 'create', 'update', 'delete', 'purge']

async function clear() {
  await db.from('dup_clients').update({ parent_id: null })
  for (const table of [...TABLES, 'dup_clients']) await db.from(table).delete()
}

const client = (values: object) => insertRow('dup_clients', { name: 'Ann', ...values })
/** Keys of the selected records of a merge of more than two */
const selected = (text: string) =>
  [...text.matchAll(/type="checkbox" name="ids" value="(.*?)" checked/g)].map(([, id]) => id)
const rows = (table: string) => db.from(table).orderBy('id')

test.group('Admin | duplicates and merge', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  let cookie: string

  async function groups(query: string, model = 'DupClient') {
    const { text } = await get(`/admin/${model}/duplicates?${query}`, { headers: { cookie } })
    return [...text.matchAll(/<section class="card duplicates-group".*?<\/section>/gs)].map(
      ([one]) => ({
        heading: textOf(/<h2.*?<\/h2>/s.exec(one)![0])
          .replaceAll(/\s+/g, ' ')
          .trim(),
        ids: [...one.matchAll(/<span class="duplicates-note">(.*?)<\/span>/g)].map(([, id]) =>
          Number(id)
        ),
        isMarked: one.includes('>Remains<'),
        filled: textOf(/<dl.*?<\/dl>/s.exec(one)?.[0] ?? '')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      })
    )
  }
  const mergePage = (ids: number[], model = 'DupClient') =>
    get(`/admin/${model}/merge?${ids.map((id) => `ids=${id}`).join('&')}`, { headers: { cookie } })
  async function merge(
    ids: number[],
    fields: Record<string, string | number>,
    model = 'DupClient'
  ) {
    const { text, status } = await mergePage(ids, model)
    const form = new URLSearchParams()
    for (const [, name, value] of text.matchAll(
      /<input type="hidden" name="(ids|records|versions)" value="(.*?)"/g
    )) {
      form.append(name, value)
    }
    for (const id of selected(text)) form.append('ids', id)
    if (status !== 200) for (const id of ids) form.append('ids', String(id))
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
    return await sendForm(`/admin/${model}/merge`, String(form), { cookie })
  }
  /** Waits for the job of a response that redirects to its page. */
  const jobOf = async ({ headers }: HttpResponse) => {
    const stop = await work()
    await untilJob(Number(/\/jobs\/(\d+)/.exec(headers.get('location') ?? '')?.[1]))
    await stop()
  }
  async function clerk(permissions: Record<string, object>) {
    await makeRole('Clerk', permissions as any)
    const user = await makeUser('kim', { isSuperuser: false })
    await giveRoles(user, ['Clerk'])
    cookie = await cookiesOf(user)
  }
  const everywhere = (actions = ALL) =>
    Object.fromEntries(MODELS.map((name) => [name, { actions } as object]))

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await clear()
    await emptyAdminTables()
    await emptyEventTables()
    await emptyJobTables()
    await restoreRoles()
    cookie = await cookiesOf(await makeUser('ada', { isSuperuser: true }))
    return () => restoreRoles()
  })

  test('[G7] records with equal values in the chosen columns are duplicates, and empty values are not equal', async ({
    assert,
  }) => {
    const a = await client({ email: 'ann@x.test', phone: '1' })
    const b = await client({ email: 'ann@x.test' })
    const c = await client({ name: ' ann ', email: 'ANN@x.test', phone: '1' })
    const d = await client({ name: 'Ännchen  Maier', email: '' })
    const e = await client({ name: 'ÄNNCHEN maier', email: '' })
    await client({ name: 'Other', email: null })
    assert.deepEqual(await groups('compare=email'), [
      { heading: 'ann@x.test 2 records', ids: [a, b], isMarked: false, filled: '' },
    ])
    const folded = await groups('compare=email&ignore=1')
    assert.deepEqual(
      folded.map(({ ids }) => ids),
      [[a, b, c]]
    )
    const byName = await groups('compare=name&ignore=1')
    assert.deepEqual(
      byName.map(({ ids }) => ids),
      [
        [a, b, c],
        [d, e],
      ]
    )
    assert.deepEqual(
      await groups('compare=name&compare=phone&ignore=1').then((all) => all.map(({ ids }) => ids)),
      [[a, c]]
    )
    assert.isEmpty(await groups('compare=phone&filter.name=Ann'))
    assert.isEmpty(await groups('compare=nothing'))
    assert.isEmpty(await groups(''))
  })

  test('[G7] a group of duplicates can contain thousands of different spellings', async ({
    assert,
  }) => {
    const spellings = Array.from({ length: 2000 }, (_, index) =>
      [...'abcdefghijk'].map((one, at) => ((index >> at) & 1 ? one.toUpperCase() : one)).join('')
    )
    for (const some of chunks(spellings, 200)) {
      await db.table('dup_notes').multiInsert(some.map((title) => ({ title })))
    }
    const [found] = await groups('compare=title&ignore=1', 'DupNote')
    assert.include(found.heading, '2,000 records')
    assert.lengthOf(found.ids, 10)
  })

  test('[G7] groups are paged, and contain only records that the user can see', async ({
    assert,
  }) => {
    for (let index = 0; index < 45; index++) {
      await db.table('dup_notes').multiInsert([{ title: `n${index}` }, { title: `n${index}` }])
    }
    assert.lengthOf(await groups('compare=title', 'DupNote'), 20)
    assert.lengthOf(await groups('compare=title&page=3', 'DupNote'), 5)
    await client({ name: 'Hidden', email: 'h' })
    await client({ name: 'Hidden 2', email: 'h' })
    await client({ secret: 's' })
    await client({ secret: 's' })
    const DupClientOf = { actions: ['view'], hidden: ['secret'], scopes: ['visible'] }
    await clerk({ DupClient: DupClientOf })
    assert.isEmpty(await groups('compare=email'))
    assert.isEmpty(await groups('compare=secret'))
    const { text } = await get(`${ADMIN}/duplicates?compare=name`, { headers: { cookie } })
    assert.notInclude(text, 'value="secret"')
    assert.notInclude(text, 'Compare and merge')
    assert.notInclude(text, 'name="keep"')
  })

  test('[G7] a merge moves references, attaches related records once and deletes the other records; undo reverts all', async ({
    assert,
  }) => {
    const kept = await client({ email: null, phone: '1', secret: 'a' })
    const other = await client({ email: 'ann@x.test', phone: '2' })
    const third = await client({ name: 'Anne', parent_id: other })
    await db.from('dup_clients').where('id', kept).update({ parent_id: other })
    const child = await client({ name: 'Child', parent_id: other })
    await insertRow('dup_bills', { title: 'one', client_id: other })
    await insertRow('dup_bills', { title: 'gone', client_id: third, deleted_at: '2026-01-01' })
    await insertRow('dup_bills', { title: 'own', client_id: kept })
    const tags = [
      await insertRow('dup_tags', { name: 'a' }),
      await insertRow('dup_tags', { name: 'b' }),
    ]
    const club = await insertRow('dup_clubs', { name: 'chess' })
    await db.table('dup_client_tags').multiInsert([
      { client_id: kept, tag_id: tags[0], note: 'mine' },
      { client_id: other, tag_id: tags[0], note: 'theirs' },
      { client_id: other, tag_id: tags[1], note: 'new' },
      { client_id: third, tag_id: tags[1], note: 'late' },
    ])
    await db.table('dup_club_members').insert({ client_id: third, club_id: club })
    const all = async () => {
      const tables = ['dup_clients', 'dup_bills'].map((table) => rows(table))
      const pivots = [
        db.from('dup_client_tags').orderBy(['client_id', 'tag_id'] as any),
        db.from('dup_club_members').orderBy('client_id'),
      ]
      return JSON.stringify(await Promise.all([...tables, ...pivots]))
    }
    const before = await all()

    const response = await merge([kept, other, third], {
      'target': kept,
      'from.email': other,
      'from.name': third,
      'from.phone': kept,
    })
    assert.equal(response.status, 303)
    const clients = await rows('dup_clients')
    assert.deepEqual(
      clients.map(({ email, id, name, parent_id: parent, phone, secret }) => [
        id,
        name,
        email,
        phone,
        secret,
        parent,
      ]),
      [
        [kept, 'Anne', 'ann@x.test', '1', 'a', null],
        [child, 'Child', null, null, null, kept],
      ]
    )
    const bills = await rows('dup_bills')
    assert.deepEqual(
      bills.map(({ client_id: id }) => id),
      [kept, kept, kept]
    )
    const tagged = await db.from('dup_client_tags').orderBy('tag_id')
    assert.deepEqual(
      tagged.map(({ client_id: id, note, tag_id: tag }) => [id, tag, note]),
      [
        [kept, tags[0], 'mine'],
        [kept, tags[1], 'new'],
      ]
    )
    assert.deepEqual(await db.from('dup_club_members').select('client_id'), [{ client_id: kept }])

    const events = await db
      .from('admin_event_log')
      .whereIn('resource_type', MODELS)
      .whereNot('event_type', 'VIEW')
    assert.lengthOf(events, 1)
    assert.include(String(events[0].details), '"action":"merge"')
    const undo = await call('POST', `/admin/management/events/${events[0].id}/undo`, {
      json: {},
      headers: { cookie },
    })
    assert.equal(undo.status, 200, undo.text)
    assert.equal(await all(), before)
  })

  test('[G7] if the model has soft deletion, a merge soft-deletes the other records', async ({
    assert,
  }) => {
    const ids = [
      await insertRow('dup_notes', { title: 'x' }),
      await insertRow('dup_notes', { title: 'x' }),
    ]
    assert.equal(await statusOf(merge(ids, { target: ids[1] }, 'DupNote')), 303)
    const [gone, left] = await rows('dup_notes')
    assert.isNotNull(gone.deleted_at)
    assert.isNull(left.deleted_at)
  })

  test('[G7, G7.2] a merge requires update and delete, and update on the models that refer to the records', async ({
    assert,
  }) => {
    const ids = [await client({}), await client({})]
    const refused = async (permissions: Record<string, object>) => {
      await db.from('admin_roles').where('name', 'Clerk').delete()
      await db.from('admin_users').where('username', 'kim').delete()
      await clerk(permissions)
      const { status } = await merge(ids, { target: ids[0] })
      assert.isAtLeast(status, 403)
      assert.isAtLeast(await statusOf(mergePage(ids)), 403)
      assert.lengthOf(await rows('dup_clients'), 2)
    }
    await refused({ ...everywhere(), DupClient: { actions: ['view', 'update'] } })
    await refused({ ...everywhere(), DupClient: { actions: ['view', 'delete'] } })
    await refused({ ...everywhere(), DupBill: { actions: ['view'] } })
    await refused({ DupClient: { actions: ALL } })
  })

  test('[G7] a merge is refused as a whole if records that the user cannot change refer to a merged record', async ({
    assert,
  }) => {
    const ids = [await client({}), await client({ email: 'x' })]
    await insertRow('dup_bills', { title: 'open', client_id: ids[1] })
    await insertRow('dup_bills', { title: 'closed', client_id: ids[1] })
    await clerk({ ...everywhere(), DupBill: { actions: ALL, scopes: ['open'] } })
    const { status, text } = await merge(ids, { 'target': ids[0], 'from.email': ids[1] })
    assert.equal(status, 403)
    assert.include(text, 'can&#x27;t be merged')
    const [first] = await rows('dup_clients')
    assert.isNull(first.email)
    const bills = await rows('dup_bills')
    assert.deepEqual(
      bills.map(({ client_id: id }) => id),
      [ids[1], ids[1]]
    )
  })

  test('[G7.2] a merge is refused if it would move a reference or an attachment that the user cannot change', async ({
    assert,
  }) => {
    const ids = [await client({}), await client({})]
    const club = await insertRow('dup_clubs', { name: 'secret' })
    const tag = await insertRow('dup_tags', { name: 'vip' })
    const refused = async (put: () => Promise<unknown>, permissions: Record<string, object>) => {
      for (const table of ['dup_club_members', 'dup_client_tags', 'dup_bills']) {
        await db.from(table).delete()
      }
      await put()
      await db.from('admin_roles').where('name', 'Clerk').delete()
      await db.from('admin_users').where('username', 'kim').delete()
      await clerk({ ...everywhere(), ...permissions })
      const { status, text } = await merge(ids, { target: ids[0] })
      assert.equal(status, 403)
      assert.include(text, 'can&#x27;t be merged')
      const left = ['dup_club_members', 'dup_client_tags', 'dup_bills'].map((table) =>
        db.from(table).where('client_id', ids[1])
      )
      const kept = await Promise.all(left)
      assert.lengthOf(kept.flat(), 1)
      assert.lengthOf(await rows('dup_clients'), 2)
    }
    const member = () => db.table('dup_club_members').insert({ client_id: ids[1], club_id: club })
    await refused(member, { DupClub: { actions: ALL, scopes: [] } })
    await refused(member, { DupClub: { actions: ALL, readonly: ['members'] } })
    const tagged = () => db.table('dup_client_tags').insert({ client_id: ids[1], tag_id: tag })
    await refused(tagged, { DupClient: { actions: ALL, readonly: ['tags'] } })
    await refused(tagged, { DupClient: { actions: ALL, hidden: ['tags'] } })
    const bill = () => insertRow('dup_bills', { title: 'open', client_id: ids[1] })
    await refused(bill, { DupBill: { actions: ALL, hidden: ['client_id'] } })
    await refused(bill, { DupBill: { actions: ALL, readonly: ['client_id'] } })
  })

  test('[G7] of two concurrent merges of the same records, one succeeds', async ({ assert }) => {
    const ids = [await client({}), await client({})]
    const both = [merge(ids, { target: ids[0] }), merge(ids.toReversed(), { target: ids[1] })]
    const responses = await Promise.all(both)
    const statuses = responses.map(({ status }) => status)
    assert.lengthOf(
      statuses.filter((status) => status === 303),
      1
    )
    assert.isBelow(Math.max(...statuses), 500)
    assert.lengthOf(await rows('dup_clients'), 1)
  })

  test('[G7] a merge does not show hidden fields, and is refused if a record has changed or is not visible', async ({
    assert,
  }) => {
    const ids = [await client({ secret: 'a' }), await client({ secret: 'b', email: 'x' })]
    await clerk({ ...everywhere(), DupClient: { actions: ALL, hidden: ['secret'] } })
    const { text } = await mergePage(ids)
    assert.notInclude(text, 'from.secret')
    const changed = await sendForm(
      `${ADMIN}/merge`,
      `ids=${ids[0]}&ids=${ids[1]}&versions=a&versions=b&target=${ids[0]}`,
      { cookie }
    )
    assert.equal(changed.status, 409)
    assert.equal(await statusOf(merge(ids, { 'target': ids[0], 'from.secret': ids[1] })), 303)
    const [left] = await rows('dup_clients')
    assert.equal(left.secret, 'a')
    assert.equal(await statusOf(merge([left.id, 999_999], { target: left.id })), 404)
    assert.equal(await statusOf(mergePage([left.id])), 303)
  })

  test('[G7.3] of more than two records some can be left out of a merge, and the target must be among the others', async ({
    assert,
  }) => {
    const ids = [await client({}), await client({ email: 'x' }), await client({ phone: '1' })]
    const { text } = await mergePage(ids)
    assert.deepEqual(selected(text).map(Number), ids)
    const versions = [...text.matchAll(/name="versions" value="(.*?)"/g)].map(([, one]) => one)
    const send = async (some: number[], target: number) => {
      const form = new URLSearchParams({ target: String(target) })
      for (const id of ids) form.append('records', String(id))
      for (const version of versions) form.append('versions', version)
      for (const id of some) form.append('ids', String(id))
      form.set('from.email', String(ids[1]))
      return await sendForm(`${ADMIN}/merge`, String(form), { cookie })
    }
    const few = await send([ids[0]], ids[0])
    assert.equal(few.status, 422)
    assert.include(few.text, 'Select at least two records')
    assert.equal(await statusOf(send([ids[0], ids[2]], ids[1])), 422)
    assert.lengthOf(await rows('dup_clients'), 3)
    assert.equal(await statusOf(send([ids[0], ids[2]], ids[0])), 303)
    const left = await rows('dup_clients')
    assert.deepEqual(
      left.map(({ email, id }) => [id, email]),
      [
        [ids[0], null],
        [ids[1], 'x'],
      ]
    )
  })

  test('[G7.3] the selection of all matching records is not merged as the records of its first page', async ({
    assert,
  }) => {
    const ids = [await client({}), await client({})]
    const { headers, status } = await get(
      `${ADMIN}/merge?ids=${ids[0]}&ids=${ids[1]}&query=&count=24&all=1`,
      { headers: { cookie } }
    )
    assert.equal(status, 303)
    assert.equal(headers.get('location'), `${ADMIN}/`)
  })

  test('[G7.3] a group opens as a merge, and after the merge the next group opens', async ({
    assert,
  }) => {
    for (const name of ['Ann', 'Ann', 'Bo', 'Bo', 'Cy', 'Cy']) await client({ name })
    const location = async (url: string) => {
      const { headers } = await get(url, { headers: { cookie } })
      return headers.get('location') ?? ''
    }
    const list = `${ADMIN}/duplicates?compare=name`
    const opened = await location(`${list}&group=0`)
    assert.include(opened, '/merge?ids=')
    const { text } = await get(opened, { headers: { cookie } })
    assert.include(text, 'Skip this group')
    const form = new URLSearchParams({ then: 'next', group: '0', next: list })
    for (const [, name, value] of text.matchAll(
      /<input type="hidden" name="(ids|records|versions)" value="(.*?)"/g
    )) {
      form.append(name, value)
    }
    form.set('target', form.get('ids')!)
    const merged = await sendForm(`${ADMIN}/merge`, String(form), { cookie })
    assert.equal(merged.headers.get('location'), `${list}&group=0`)
    const second = await get(await location(`${list}&group=0`), { headers: { cookie } })
    assert.include(second.text, 'Bo')
    assert.match(await location(`${list}&group=2`), /\/duplicates\?(?!.*group=)/)
  })

  test('[G7.3] dates in the headings of groups are formatted as in lists', async ({ assert }) => {
    for (const name of ['a', 'b']) await client({ name, born_on: '2026-03-01' })
    const [found] = await groups('compare=born_on')
    assert.equal(found.heading, '1 Mar 2026 2 records')
  })

  test('[G7.4] all groups are merged by a rule as one job, after a preview, and undo reverts all', async ({
    assert,
  }) => {
    const ids = [
      await client({ email: 'old@x.test', phone: '1' }),
      await client({ email: null, phone: '2' }),
      await client({ name: 'Bo' }),
      await client({ name: 'Bo', email: 'bo@x.test' }),
    ]
    await insertRow('dup_bills', { title: 'one', client_id: ids[0] })
    const before = JSON.stringify([await rows('dup_clients'), await rows('dup_bills')])
    const preview = await groups('compare=name&keep=newest')
    assert.deepEqual(preview, [
      {
        heading: 'Ann 2 records',
        ids: [ids[1], ids[0]],
        isMarked: true,
        filled: 'Emailold@x.test',
      },
      { heading: 'Bo 2 records', ids: [ids[3], ids[2]], isMarked: true, filled: '' },
    ])
    const submit = (count: string) =>
      sendForm(`${ADMIN}/duplicates`, { query: 'compare=name', keep: 'newest', count }, { cookie })
    const changed = await submit('3')
    assert.include(changed.headers.get('location'), '/duplicates?')
    const started = await submit('2')
    assert.match(started.headers.get('location')!, /\/management\/jobs\/\d+$/)
    await jobOf(started)
    const left = await rows('dup_clients')
    assert.deepEqual(
      left.map(({ email, id, name, phone }) => [id, name, email, phone]),
      [
        [ids[1], 'Ann', 'old@x.test', '2'],
        [ids[3], 'Bo', 'bo@x.test', null],
      ]
    )
    const [bill] = await rows('dup_bills')
    assert.equal(bill.client_id, ids[1])
    const { text } = await get(started.headers.get('location')!, { headers: { cookie } })
    assert.include(text, '2 groups of duplicate dup clients merged')
    await jobOf(await sendForm(`${started.headers.get('location')}/undo`, {}, { cookie }))
    assert.equal(JSON.stringify([await rows('dup_clients'), await rows('dup_bills')]), before)
  })

  test('[G7.4] a group that the user cannot merge is left unmerged, and the job reports the reason', async ({
    assert,
  }) => {
    const ids = [
      await client({}),
      await client({}),
      await client({ name: 'Bo' }),
      await client({ name: 'Bo' }),
    ]
    await insertRow('dup_bills', { title: 'closed', client_id: ids[1] })
    await clerk({ ...everywhere(), DupBill: { actions: ALL, scopes: ['open'] } })
    const body = { query: 'compare=name', keep: 'oldest', count: '2' }
    const started = await sendForm(`${ADMIN}/duplicates`, body, { cookie })
    await jobOf(started)
    const left = await rows('dup_clients')
    assert.deepEqual(
      left.map(({ id }) => id),
      [ids[0], ids[1], ids[2]]
    )
    const { text } = await get(started.headers.get('location')!, { headers: { cookie } })
    assert.include(text, '1 group was left as before')
  })

  test('[G7] duplicates among 100,000 records are found within seconds', async ({ assert }) => {
    const insert = onSqlite
      ? `with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
         insert into dup_notes (title) select 'Note ' || (i % 99990) from n`
      : undefined
    if (!insert) return
    await db.rawQuery(insert)
    const begun = performance.now()
    const found = await groups('compare=title&ignore=1', 'DupNote')
    assert.lengthOf(found, 10)
    assert.isBelow(performance.now() - begun, 8000)
  }).tags(['@slow'])

  test('[G7] LucidCrud.duplicates returns the values of each group', async ({ assert }) => {
    await client({ name: 'Bo' })
    await client({ name: ' bo' })
    const crud = new LucidCrud(DupClient)
    const request = new ListRequest([], [], pageOf(1, 10), 'exclude')
    const [found, ...others] = await crud.duplicates(request, {
      columns: ['name'],
      ignoresCase: true,
    })
    assert.equal(found.count, 2)
    assert.sameDeepMembers(found.values, [{ name: 'Bo' }, { name: ' bo' }])
    assert.isEmpty(others)
    await assert.rejects(() => crud.duplicates(request, { columns: ['nothing'] }), /unknown column/)
  })
})
