import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import {
  callRaw,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import { insertRow } from '#tests/helpers/databases'

const TABLES = ['gadgets', 'vouchers', 'berths', 'pets', 'owners', 'diaries']

const NASTY = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '{{ 7919*7919 }} @include(x)',
  '\u202Egnirts\u2066',
  "'; drop table bulk_gadgets; --",
  '🎉👩‍👩‍👧',
]

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

/** Titles on the page, with their entities. */
function named({ text }: HttpResponse): string[] {
  return [...text.matchAll(/<li><bdi>(.*?)<\/bdi><\/li>/gs)].map(([, title]) => title)
}

/** Internal errors in the log, except those of the page that reports them. */
function errors(log: ReturnType<typeof captureLog>) {
  return log()
    .filter(({ level, msg }) => level >= ERROR_LEVEL && msg.startsWith('Gadget: bulk'))
    .map(({ err }) => err?.message)
}

async function statusOf(promise: Promise<HttpResponse>): Promise<number> {
  const { status } = await promise
  return status
}

test.group('Admin | bulk forms', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(`bulk_${table}`).delete()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  interface Fields {
    ids?: Array<string | number>
    [name: string]: unknown
  }

  function submit(
    path: string,
    { ids = [], ...fields }: Fields,
    headers: Record<string, string> = {}
  ) {
    const form = new URLSearchParams(fields as Record<string, string>)
    for (const id of ids) form.append('ids', String(id))
    return sendForm(`/admin/${path}`, form.toString(), { cookie, ...headers })
  }

  const write = (fields: Fields) => submit('Gadget/form_bulk_delete', fields)
  const act = (name: string, fields: Fields) => submit(`Gadget/action/${name}`, fields)

  /** Redirect target of a form, and the message there. */
  async function told(response: HttpResponse) {
    const page = await get('/admin', { headers: { cookie: `${cookie}; ${cookiesFrom(response)}` } })
    const [, kind, text] = /<p class="flash-message" data-kind="(\w+)">(.*?)<\/p>/s.exec(page.text)!
    return { status: response.status, next: response.headers.get('location'), kind, text }
  }

  async function textTold(response: HttpResponse) {
    const { text } = await told(response)
    return text
  }

  test('[B24, B16] the confirmation page lists the records and changes nothing', async ({
    assert,
  }) => {
    const [lamp, , desk] = await addGadgets('Lamp', 'Sofa', 'Desk')
    const response = await write({ ids: [lamp, desk], next: '/admin/Gadget/?page=2&sort_by=name' })
    assert.equal(response.status, 200)
    assert.include(response.text, '<h1>Delete 2 gadgets?</h1>')
    assert.deepEqual(named(response), ['Lamp', 'Desk'])
    assert.include(response.text, 'They can be restored later.')
    assert.match(response.text, /<form[^>]* action="\/admin\/Gadget\/form_bulk_delete"/)
    assert.include(response.text, `name="ids" value="${lamp}"`)
    assert.include(response.text, `name="ids" value="${desk}"`)
    assert.include(response.text, 'name="next" value="/admin/Gadget/?page=2&amp;sort_by=name"')
    assert.include(response.text, 'href="/admin/Gadget/?page=2&amp;sort_by=name"')
    assert.match(response.text, /<button [^>]*name="action" value="delete"/)
    assert.deepEqual(await gadgets(), ['Lamp', 'Sofa', 'Desk'])
  })

  test('[B24] a browser is redirected to the address of the confirmation page, unless that is too long', async ({
    assert,
  }) => {
    const ids = await addGadgets('Lamp', 'Desk')
    const send = async (path: string, all: number[], mode: string) => {
      const fields = new URLSearchParams({ next: '/admin/Gadget/?page=2' })
      for (const id of all) fields.append('ids', String(id))
      return await callRaw(
        'POST',
        `/admin/Gadget/${path}`,
        { cookie, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-mode': mode },
        fields.toString()
      )
    }
    for (const path of ['form_bulk_delete', 'action/rename']) {
      const { status, headers } = await send(path, ids, 'navigate')
      const place = headers.location as string
      assert.equal(status, 303)
      assert.isTrue(place.startsWith(`/admin/Gadget/${path}?ids=${ids[0]}&ids=${ids[1]}&action=`))
      const page = await get(place, { headers: { cookie } })
      assert.equal(page.status, 200)
      assert.deepEqual(named(page), ['Lamp', 'Desk'])
      assert.include(page.text, 'name="next" value="/admin/Gadget/?page=2"')
    }
    const many = Array.from({ length: 1000 }, (_, index) => ids[index % 2])
    for (const [all, mode] of [
      [many, 'navigate'],
      [ids, 'cors'],
    ] as const) {
      const { status, text } = await send('form_bulk_delete', [...all], mode)
      assert.equal(status, 200)
      assert.include(text, '<h1>Delete 2 gadgets?</h1>')
    }
    assert.deepEqual(await gadgets(), ['Lamp', 'Desk'])
  })

  test('[B24] opening the address of the confirmation page changes nothing, whatever its parameters', async ({
    assert,
  }) => {
    const [lamp] = await addGadgets('Lamp')
    for (const query of [`ids=${lamp}&confirmed=1`, `ids=${lamp}&action=purge&confirmed=1`]) {
      const page = await get(`/admin/Gadget/form_bulk_delete?${query}`, { headers: { cookie } })
      assert.deepEqual(named(page), ['Lamp'])
    }
    const none = await get('/admin/Gadget/form_bulk_delete?next=//evil.test', {
      headers: { cookie },
    })
    assert.deepInclude(await told(none), { status: 303, next: '/admin/Gadget/', kind: 'error' })
    const unknown = await get(`/admin/Gadget/form_bulk_delete?ids=${lamp}&action=x`, {
      headers: { cookie },
    })
    assert.equal(unknown.status, 404)
    assert.deepEqual(await gadgets(), ['Lamp'])
  })

  test('[B24, B18] a confirmed action is executed, and the previous page reports it', async ({
    assert,
  }) => {
    const [lamp, desk] = await addGadgets('Lamp', 'Desk', 'Sofa')
    const next = '/admin/Gadget/?page=2'
    const response = await write({ ids: [lamp, desk], action: 'delete', next, confirmed: 1 })
    assert.deepEqual(await told(response), {
      status: 303,
      next,
      kind: 'success',
      text: '2 gadgets deleted',
    })
    assert.deepEqual(await gadgets(), ['(Lamp)', '(Desk)', 'Sofa'])
  })

  test('[B24] a bulk action is executed only if the parameter confirmed is 1, once')
    .with(['0', 'true', '', 'yes'])
    .run(async ({ assert }, confirmed) => {
      const ids = await addGadgets('Lamp')
      assert.equal(await statusOf(write({ ids, confirmed })), 200)
      const twice = await sendForm(
        '/admin/Gadget/form_bulk_delete',
        `ids=${ids}&confirmed=1&confirmed=1`,
        { cookie }
      )
      assert.equal(twice.status, 200)
      assert.deepEqual(await gadgets(), ['Lamp'])
    })

  test('[B24] a return path outside the site is ignored after a bulk action')
    .with(['https://evil.test/', '//evil.test', '/elsewhere', '/admin/logout', 'javascript:x', ''])
    .run(async ({ assert }, next) => {
      const ids = await addGadgets('Lamp')
      const requested = await write({ ids, next })
      assert.include(requested.text, 'name="next" value="/admin/Gadget/"')
      const { headers } = await write({ ids, next, confirmed: 1 })
      assert.equal(headers.get('location'), '/admin/Gadget/')
    })

  test('[B14] without the view permission, a bulk action leads to the dashboard, and the confirmation shows no titles', async ({
    assert,
  }) => {
    const ids = await addGadgets('Lamp')
    const requested = await submit('GadgetToDelete/form_bulk_delete', { ids })
    assert.deepEqual(named(requested), [`Gadget to delete ${ids}`])
    const done = await submit('GadgetToDelete/form_bulk_delete', { ids, confirmed: 1 })
    assert.equal(done.headers.get('location'), '/admin')
    assert.deepEqual(await gadgets(), ['(Lamp)'])
  })

  test('[B24] the confirmation page lists twenty records and the number of all others', async ({
    assert,
  }) => {
    const ids = await addGadgets(...Array.from({ length: 22 }, (_, index) => `Gadget ${index}`))
    const response = await write({ ids })
    assert.lengthOf(named(response), 20)
    assert.include(response.text, '<h1>Delete 22 gadgets?</h1>')
    assert.include(response.text, 'and 2 more')
    const fewer = await write({ ids: ids.slice(2) })
    assert.lengthOf(named(fewer), 20)
    assert.notMatch(fewer.text, /and \d+ more/)
  })

  test('[B20, B24] a repeated id is listed once on the confirmation page of a bulk action', async ({
    assert,
  }) => {
    const [lamp, desk] = await addGadgets('Lamp', 'Desk')
    const again = Array.from({ length: 2500 }, () => [lamp, desk]).flat()
    const requested = await write({ ids: again })
    assert.deepEqual(named(requested), ['Lamp', 'Desk'])
    const held = [...requested.text.matchAll(/name="ids" value="([^"]*)"/g)].map(([, id]) => id)
    assert.deepEqual(held, [lamp, desk].map(String))

    const refused = await told(await write({ ids: [...again, lamp], confirmed: 1 }))
    assert.deepInclude(refused, {
      kind: 'error',
      text: '5,001 records are too many: the maximum is 1,000',
    })
    assert.deepEqual(await gadgets(), ['Lamp', 'Desk'])
  })

  test('[B20] a form accepts at most a thousand ids', async ({ assert }) => {
    const ids = Array.from({ length: 1001 }, (_, index) => index + 1)
    for (const some of [ids.slice(0, 500), ids.slice(500, 1000), ids.slice(1000)]) {
      await db.table('bulk_gadgets').multiInsert(some.map((id) => ({ id, name: 'x' })))
    }
    const { kind, text } = await told(await write({ ids, confirmed: 1 }))
    assert.deepEqual([kind, text], ['error', '1,001 records are too many: the maximum is 1,000'])
    const done = await write({
      ids: ids.slice(0, 1000),
      confirmed: 1,
      next: '/admin/Gadget/?page=3',
    })
    assert.equal(await textTold(done), '1,000 gadgets deleted')
    assert.equal(done.headers.get('location'), '/admin/Gadget/?page=3')
    assert.lengthOf(await db.from('bulk_gadgets').where('is_deleted', false), 1)
  })

  test('[B24] titles of records are escaped on the confirmation page and in its page title', async ({
    assert,
  }) => {
    const ids = await addGadgets(...NASTY, 'x'.repeat(10_000))
    const response = await write({ ids })
    assert.equal(response.status, 200)
    assert.deepEqual(named(response).slice(0, 5), [
      '&lt;script&gt;alert(1)&lt;/script&gt;',
      '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;',
      '{{ 7919*7919 }} @include(x)',
      '\u202Egnirts\u2066',
      '&#x27;; drop table bulk_gadgets; --',
    ])
    assert.isAtMost([...named(response)[6]].length, 100)
    assert.notMatch(response.text, /<script>|<img|62710561/)
  })

  test('[A9] keys of every type are preserved by the confirmation page of a bulk action', async ({
    assert,
  }) => {
    const codes = ['a/b', 'a?b&c=d', '50%', 'two words', '%2F', '"quoted"']
    await db.table('bulk_vouchers').multiInsert([...codes, 'kept'].map((code) => ({ code })))
    const path = 'Voucher/form_bulk_delete'
    const requested = await submit(path, { ids: codes.map(encodeURIComponent) })
    const held = [...requested.text.matchAll(/name="ids" value="([^"]*)"/g)].map(([, id]) => id)
    assert.deepEqual(held, codes.map(encodeURIComponent))
    assert.include(requested.text, 'They are deleted for good, unless this is undone.')
    const done = await submit(path, { ids: held, confirmed: 1 })
    assert.equal(await textTold(done), '6 vouchers deleted')
    assert.deepEqual(await db.from('bulk_vouchers').select('code'), [{ code: 'kept' }])
  })

  test('[A9] the parts of a composite key are separated by a slash', async ({ assert }) => {
    await db.table('bulk_berths').multiInsert([
      { deck: 1, place: 'a/1', guest: 'Ann' },
      { deck: 1, place: 'a', guest: 'Bob' },
      { deck: 2, place: 'a/1', guest: 'Cid' },
    ])
    const done = await submit('Berth/form_bulk_delete', { ids: ['1/a%2F1'], confirmed: 1 })
    assert.equal(await textTold(done), '1 berth deleted')
    const left = await db.from('bulk_berths').orderBy('guest').select('guest')
    assert.deepEqual(left, [{ guest: 'Bob' }, { guest: 'Cid' }])
    const wrong = await submit('Berth/form_bulk_delete', { ids: ['1/a/1'], confirmed: 1 })
    assert.equal(
      await textTold(wrong),
      'Invalid ID value: [&quot;1&quot;,&quot;a&quot;,&quot;1&quot;]'
    )
  })

  test('[B19, B24] without a selection, a bulk action redirects to the previous page with a message', async ({
    assert,
  }) => {
    for (const [path, text] of [
      ['Gadget/form_bulk_delete', 'Select at least one record: nothing was deleted.'],
      ['Gadget/action/rename', 'Select at least one record: nothing was done.'],
    ]) {
      const response = await submit(path, { next: '/admin/Gadget/?page=2', confirmed: 1 })
      assert.deepEqual(await told(response), {
        status: 303,
        next: '/admin/Gadget/?page=2',
        kind: 'error',
        text,
      })
    }
  })

  test('[B19, S52] a failed bulk action redirects to the list with the reason, whether it was confirmed or not', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    const [lamp, stuck] = await addGadgets('Lamp', 'stuck')
    const unknown = 'Error during deletion: Item with id 999999 not found'
    for (const [fields, text] of [
      [{ ids: [lamp, 'x'] }, 'Invalid ID value: x'],
      [{ ids: [lamp, '%zz'] }, 'Invalid ID value: %zz'],
      [{ ids: [lamp, 999_999] }, unknown],
      [{ ids: [lamp, 999_999], confirmed: 1 }, unknown],
      [
        { ids: [lamp, stuck], confirmed: 1 },
        'Error during deletion: The server made a mistake; it was logged',
      ],
    ] as Array<[Fields, string]>) {
      const response = await told(await write(fields))
      assert.deepEqual(response, { status: 303, next: '/admin/Gadget/', kind: 'error', text })
      assert.deepEqual(await gadgets(), ['Lamp', 'stuck'])
    }
    assert.deepEqual(errors(log), ['select secret from bulk_gadgets'])
  })

  test('[B16] a purge asks to confirm a permanent deletion, and includes soft-deleted records', async ({
    assert,
  }) => {
    const ids = await addGadgets('Lamp', 'Desk')
    await write({ ids: ids.slice(0, 1), confirmed: 1 })
    const requested = await write({ ids, action: 'purge' })
    assert.include(requested.text, '<h1>Delete 2 gadgets for good?</h1>')
    assert.include(requested.text, 'They are deleted for good, unless this is undone.')
    assert.notInclude(requested.text, 'restored later')
    assert.deepEqual(named(requested), ['Lamp', 'Desk'])
    const done = await write({ ids, action: 'purge', confirmed: 1 })
    assert.equal(await textTold(done), '2 gadgets deleted for good')
    assert.deepEqual(await gadgets(), [])
  })

  test('[B16] restoring selected records needs no confirmation', async ({ assert }) => {
    const [lamp, desk] = await addGadgets('Lamp', 'Desk')
    await write({ ids: [lamp, desk], confirmed: 1 })
    const next = '/admin/Gadget/?deleted=only'
    const done = await told(await write({ ids: [lamp], action: 'restore', next }))
    assert.deepEqual(done, { status: 303, next, kind: 'success', text: '1 gadget restored' })
    assert.deepEqual(await gadgets(), ['Lamp', '(Desk)'])
    const alive = await told(await write({ ids: [lamp, desk], action: 'restore' }))
    assert.equal(alive.kind, 'error')
    assert.equal(alive.text, `Error during restoration: Item with id ${lamp} not found`)
    assert.deepEqual(await gadgets(), ['Lamp', '(Desk)'])
  })

  test('[B16, B14] an action that the view does not define is a 404', async ({ assert }) => {
    await db.table('bulk_vouchers').insert({ code: 'a' })
    const ids = await addGadgets('Lamp')
    for (const [path, fields] of [
      ['Gadget/form_bulk_delete', { ids, action: 'explode' }],
      ['Gadget/form_bulk_delete', { ids, action: 'rename' }],
      ['Voucher/form_bulk_delete', { ids: ['a'], action: 'restore' }],
      ['Gadget/action/explode', { ids }],
      ['Gadget/action/delete', { ids }],
      ['Voucher/action/touch', { ids: ['a'] }],
      ['GadgetToView/form_bulk_delete', { ids }],
      ['GadgetToView/action/touch', { ids }],
      ['GadgetToView/action/archive', { ids }],
    ] as Array<[string, Fields]>) {
      const { status } = await submit(path, { ...fields, confirmed: 1 })
      assert.equal(status, 404, `${path} ${fields.action}`)
    }
    assert.deepEqual(await gadgets(), ['Lamp'])
  })

  test('[P14] a bulk action is a 403 for a record that the policy refuses, and reports a hidden one as not found', async ({
    assert,
  }) => {
    await db.table('bulk_diaries').multiInsert([
      { id: 1, title: 'May go', owner: 'everyone' },
      { id: 2, title: 'no delete', owner: 'everyone' },
      { id: 3, title: 'no read', owner: 'everyone' },
      { id: 4, title: 'Secret', owner: 'ann' },
    ])
    const path = 'Diary/form_bulk_delete'
    assert.equal(await statusOf(submit(path, { ids: [1, 2], confirmed: 1 })), 403)
    const unread = await submit(path, { ids: [1, 3] })
    assert.equal(unread.status, 403)
    assert.notInclude(unread.text, 'no read')
    const hidden = await submit(path, { ids: [1, 4] })
    assert.equal(await textTold(hidden), 'Error during deletion: Item with id 4 not found')
    assert.lengthOf(await db.from('bulk_diaries'), 4)
  })

  test('[B9, B6] cross-site and anonymous forms for bulk actions change nothing', async ({
    assert,
  }) => {
    const ids = await addGadgets('Lamp')
    for (const path of ['Gadget/form_bulk_delete', 'Gadget/action/touch', 'Gadget/action/rename']) {
      const fields = { ids, confirmed: 1 }
      const foreign = await submit(path, fields, { 'sec-fetch-site': 'cross-site' })
      assert.equal(foreign.status, 403, path)
      const other = await submit(path, fields, { origin: 'http://evil.test' })
      assert.equal(other.status, 403, path)
      const stranger = await submit(path, fields, { cookie: '' })
      assert.equal(stranger.status, 303, path)
      assert.match(stranger.headers.get('location')!, /\/login\?/)
    }
    assert.deepEqual(await gadgets(), ['Lamp'])
  })

  test('[B24] a bulk action sent with a body other than a form is refused', async ({ assert }) => {
    const ids = await addGadgets('Lamp')
    for (const type of ['text/plain', 'multipart/form-data; boundary=x']) {
      const { status } = await call('POST', '/admin/Gadget/form_bulk_delete', {
        body: `ids=${ids}&confirmed=1`,
        headers: { cookie, 'content-type': type },
      })
      assert.equal(status, 415, type)
    }
    assert.deepEqual(await gadgets(), ['Lamp'])
  })

  test('[P13] a custom action is confirmed and executed, and the text that it returns is the message', async ({
    assert,
  }) => {
    const [lamp, desk] = await addGadgets('Lamp', 'Desk', 'Sofa')
    const requested = await act('rename', { ids: [lamp, desk] })
    assert.equal(requested.status, 200)
    assert.include(requested.text, '<h1>Rename 2 gadgets?</h1>')
    assert.deepEqual(named(requested), ['Lamp', 'Desk'])
    assert.match(requested.text, /<form[^>]* action="\/admin\/Gadget\/action\/rename"/)
    assert.deepEqual(await gadgets(), ['Lamp', 'Desk', 'Sofa'])
    const next = '/admin/Gadget/?page=2'
    const done = await told(await act('rename', { ids: [lamp, desk], confirmed: 1, next }))
    assert.deepEqual(done, { status: 303, next, kind: 'success', text: '2 renamed' })
    assert.deepEqual(await gadgets(), ['renamed', 'renamed', 'Sofa'])
  })

  test('[P13] an action without confirmation runs immediately, and its text is escaped', async ({
    assert,
  }) => {
    const [lamp, desk] = await addGadgets('Lamp', 'Desk')
    const { text } = await told(await act('touch', { ids: [desk, lamp, desk] }))
    assert.equal(text, `Touched [${desk},${lamp}] &lt;b&gt;&amp;amp;&lt;/b&gt;`)
  })

  test('[P13, B19] an action that throws changes nothing; a problem is shown, any other error is logged', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    const ids = await addGadgets('Lamp', 'Desk')
    const problem = await told(await act('fail', { ids: ids.slice(0, 1) }))
    assert.deepEqual([problem.kind, problem.text], ['error', 'Fail: The moon is not full'])
    const error = await told(await act('fail', { ids }))
    assert.deepEqual(
      [error.kind, error.text],
      ['error', 'Fail: The server made a mistake; it was logged']
    )
    assert.deepEqual(await gadgets(), ['Lamp', 'Desk'])
    assert.deepEqual(errors(log), ['select secret from bulk_gadgets'])
  })

  test('[P13, B20] an action requires existing ids of the right type', async ({ assert }) => {
    const [lamp, desk] = await addGadgets('Lamp', 'Desk')
    await write({ ids: [desk], confirmed: 1 })
    for (const [id, text] of [
      ['1.7', 'Invalid ID value: 1.7'],
      [999_999, 'Rename: Item with id 999999 not found'],
      [desk, `Rename: Item with id ${desk} not found`],
    ] as Array<[string | number, string]>) {
      const response = await told(await act('rename', { ids: [lamp, id], confirmed: 1 }))
      assert.deepEqual([response.kind, response.text], ['error', text])
    }
    assert.deepEqual(await gadgets(), ['Lamp', '(Desk)'])
  })
})
