import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { filterName, OWN_NAMES, PAGING } from '#tests/fixtures/own_names'
import type { Column } from '#base/columns/column'
import { FIELDS, madeFor } from '#admin/list/filters/filter_form'
import type { ValueShape } from '#admin/list/filters/form_operators'
import { inputName } from '#admin/forms/fields/form_field'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { call, get, patch, post } from '#tests/helpers/http'
import { csv, run, tried } from '#tests/helpers/imports'
import { untilJob, work } from '#tests/helpers/jobs'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const VALUES = Object.fromEntries(OWN_NAMES.map((name) => [name, `of ${name}`]))

test.group('Model columns with the names of form inputs and query parameters', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('own_names').delete()
    cookie = await cookiesOf(await makeUser('jo'))
  })

  const add = async (values: object = VALUES) => {
    const { body } = await post('/api/own-names', { title: 'one', ...values })
    return body.id as number
  }
  const rowOf = (id: number) => db.from('own_names').where('id', id).first()
  const page = (path: string) => get(`/admin/OwnName/${path}`, { headers: { cookie } })

  test('columns named like form inputs are written, read and filtered by the API', async ({
    assert,
  }) => {
    const id = await add()
    await add({ title: 'two' })
    const { body } = await get(`/api/own-names/${id}`)
    assert.deepEqual(body, { id, title: 'one', ...VALUES })
    for (const name of OWN_NAMES) {
      const changed = await patch(`/api/own-names/${id}`, { [name]: 'x' })
      assert.equal(changed.status, 200, name)
      if (PAGING.includes(name)) continue
      const list = await get(`/api/own-names?${filterName(name)}=x`)
      assert.equal(list.body.total_count, 1, name)
    }
  })

  test('columns named like form inputs are unchanged by a form in which they were not edited', async ({
    assert,
  }) => {
    const ones = Object.fromEntries(OWN_NAMES.map((name) => [name, '1']))
    for (const values of [{}, VALUES, ones]) {
      const id = await add(values)
      const before = await rowOf(id)
      const { text } = await page(`update/${id}`)
      const form = formOf(text)
      const saved = await sendForm(form.action, { ...form.values, title: 'new' }, { cookie })
      assert.equal(saved.status, 303)
      assert.deepEqual(await rowOf(id), { ...before, title: 'new' })
    }
  })

  test('[U3] columns named like form inputs can be read-only', async ({ assert, cleanup }) => {
    cleanup(() => restoreRoles())
    const readonly = ['_version', '_next', 'title__clear']
    await makeRole('Clerk', { OwnName: { actions: ['*'], readonly } })
    cookie = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Clerk'] }))
    const id = await add()
    const { text } = await page(`update/${id}`)
    const form = formOf(text)
    const saved = await sendForm(form.action, { ...form.values, title: 'new' }, { cookie })
    assert.equal(saved.status, 303)
    assert.deepEqual(await rowOf(id), { id, ...VALUES, title: 'new' })
    const sent = { ...form.values, [inputName('title__clear')]: 'x' } as Record<string, string>
    const refused = await sendForm(form.action, sent, { cookie })
    assert.equal(refused.status, 403)
  })

  test('columns named like form inputs can be filled in by forms', async ({ assert }) => {
    const { text } = await page('create_page')
    const { action, values } = formOf(text)
    const sent = { ...values, title: 'one' } as Record<string, string>
    for (const name of OWN_NAMES) {
      assert.include(text, `name="${inputName(name)}"`)
      sent[inputName(name)] = VALUES[name]
    }
    const saved = await sendForm(action, sent, { cookie })
    assert.equal(saved.status, 303)
    const { id, ...row } = await db.from('own_names').first()
    assert.deepEqual(row, { title: 'one', ...VALUES })
  })

  test('columns named like form inputs can be filtered and sorted by in the list', async ({
    assert,
  }) => {
    await add()
    await add({ title: 'two' })
    for (const name of OWN_NAMES) {
      const query = new URLSearchParams({
        [`filter.${filterName(name)}`]: VALUES[name],
        sort_by: name,
      })
      const { status, text } = await page(`?${query}`)
      assert.equal(status, 200, name)
      assert.include(text, '>one<', name)
      assert.notInclude(text, '>two<', name)
    }
  })

  test('columns named like form inputs can be cleared, each by its own checkbox', async ({
    assert,
  }) => {
    const id = await add()
    for (const name of ['_version', 'next', '_version__clear', 'title__clear']) {
      const { text } = await page(`update/${id}`)
      const { action, values } = formOf(text)
      const sent = { ...values, [`${inputName(name)}__clear`]: '1' } as Record<string, string>
      const saved = await sendForm(action, sent, { cookie })
      assert.equal(saved.status, 303, name)
      assert.deepEqual(await rowOf(id), { id, title: 'one', ...VALUES, [name]: null })
      await db
        .from('own_names')
        .where('id', id)
        .update({ [name]: VALUES[name] })
    }
  })

  test('columns named like form inputs can be filtered by the filter form and the facets of the list', async ({
    assert,
  }) => {
    await add({ title: 'b', title__contains: 'a', title__eq: 'b', title__is: 'null' })
    await add({ title: 'a', title__contains: 'b', title__eq: 'a', title__is: null })
    const idsOf = async (path: string) => {
      const { text } = await get(path, { headers: { cookie } })
      return ['a', 'b'].filter((title) => text.includes(`>${title}</a>`)).join('')
    }
    const requested = async (
      column: string,
      operator: string,
      value: string,
      shape: ValueShape = 'one'
    ) => {
      const made = madeFor({ apiName: column } as Column, shape)
      const query = new URLSearchParams({
        [FIELDS.column]: column,
        [FIELDS.operator]: operator,
        [FIELDS.made]: made,
        [FIELDS.value]: value,
        [FIELDS.apply]: '',
      })
      const { headers } = await page(`filter?${query}`)
      return await idsOf(headers.get('location')!)
    }
    assert.equal(await requested('title', 'contains', 'b', 'text'), 'b')
    assert.equal(await requested('title__contains', 'eq', 'b'), 'a')
    assert.equal(await requested('title', 'eq', 'b'), 'b')
    assert.equal(await requested('title__eq', 'eq', 'a'), 'a')
    assert.equal(await requested('title__is', 'empty', '', 'none'), 'a')
    const facets = await page('facets')
    const link = /href="([^"]*filter\.title__contains[^"]*=b[^"]*)"/.exec(facets.text)![1]
    assert.equal(await idsOf(link.replaceAll('&amp;', '&')), 'a')
  })

  test('columns named like form inputs can be edited in a cell of the list', async ({ assert }) => {
    const id = await add()
    for (const name of ['_version', '_next', 'page', 'title__clear']) {
      const editor = await page(`cell/${id}?field=${name}`)
      assert.equal(editor.status, 200, name)
      const [, action] = /data-action="([^"]+)"/.exec(editor.text)!
      const [, version] = /data-version="([^"]+)"/.exec(editor.text) ?? []
      const input = inputName(name)
      assert.include(editor.text, `name="${input}"`)
      const saved = await call('POST', action.replaceAll('&amp;', '&'), {
        body: new URLSearchParams({ [input]: 'cell' }).toString(),
        headers: {
          cookie,
          'content-type': 'application/x-www-form-urlencoded',
          ...(version && { 'if-match': `"${version}"` }),
        },
      })
      assert.equal(saved.status, 200, `${name} ${saved.text.slice(0, 300)}`)
      const row = await rowOf(id)
      assert.equal(row[name], 'cell')
    }
  })

  test('columns named like form inputs can be edited in many records with one request', async ({
    assert,
  }) => {
    const ids = [await add(), await add()]
    const names = ['_ids', '_next', '_query', '_version', 'page', 'ids', 'title__change']
    const fields = names.flatMap((name) => {
      const input = inputName(name)
      return [
        [input, 'bulk'],
        [`${input}__change`, '1'],
      ]
    })
    const body = new URLSearchParams(<Array<[string, string]>>[
      ['_edit', '1'],
      ...ids.map((id) => ['_ids', String(id)]),
      ...fields,
    ])
    const saved = await call('POST', '/admin/OwnName/bulk-edit', {
      body: body.toString(),
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(saved.status, 303, saved.text.slice(0, 500))
    for (const id of ids) {
      const row = await rowOf(id)
      for (const name of names) assert.equal(row[name], 'bulk', name)
      assert.equal(row._method, 'of _method')
    }
  })

  test('columns named like form inputs can be imported', async ({ assert, cleanup }) => {
    const jo = await makeUser('jan')
    const one = await tried(
      jo,
      'OwnName',
      csv(['title', ...OWN_NAMES].join(','), ['one', ...Object.values(VALUES)].join(','))
    )
    const { id: job } = await run(jo, one)
    cleanup(await work())
    await untilJob(job)
    const { id, ...row } = await db.from('own_names').first()
    assert.deepEqual(row, { title: 'one', ...VALUES })
  })

  test('columns named like form inputs can be exported', async ({ assert }) => {
    await add()
    const { text } = await call('GET', '/admin/OwnName/export?format=csv', { headers: { cookie } })
    const [heading, line] = text.replace('\uFEFF', '').split('\r\n')
    assert.includeMembers(heading.split(','), OWN_NAMES)
    assert.includeMembers(line.split(','), Object.values(VALUES))
  })
})
