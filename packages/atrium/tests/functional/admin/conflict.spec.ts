import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import { Dossier } from '#tests/fixtures/conflicts'
import { Studio } from '#tests/fixtures/references'
import { PNG } from '#tests/helpers/images'

/* Strips the markup of a page */
const textOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

const versionIn = ({ text }: HttpResponse) => /name="_version" value="([^"]+)"/.exec(text)![1]

test.group('Admin | concurrent editors of one record', (group) => {
  let cookie: string
  let dossier: Dossier

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Dossier.query().delete()
    cookie = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    dossier = await Dossier.create({ title: 'Old', pages: 5, pin: '1234', isOpen: false })
  })

  const path = () => `/admin/Dossier/form_update/${dossier.id}`
  const open = () => get(`/admin/Dossier/update/${dossier.id}`, { headers: { cookie } })
  const submit = (fields: Record<string, string>, headers = {}) =>
    sendForm(path(), fields, { cookie, ...headers })
  const stored = () => Dossier.findOrFail(dossier.id)

  test('[B25] the second editor writes nothing and sees both versions', async ({ assert }) => {
    const version = versionIn(await open())
    const first = await submit({ title: 'Hers', _version: version })
    assert.equal(first.status, 303)

    const second = await submit({ title: 'His', pages: '7', _version: version })
    assert.equal(second.status, 409)
    const text = textOf(second.text)
    assert.include(text, 'Another user has changed this record since you opened it')
    assert.match(text, /Title The record now Hers Your version Title \* His/)
    const { title, pages } = await stored()
    assert.deepEqual([title, pages], ['Hers', 5])
  })

  test('[B25] submitted values are preserved and can overwrite the other version', async ({
    assert,
  }) => {
    const version = versionIn(await open())
    await submit({ title: 'Hers', _version: version })
    const page = await submit({ title: 'His', pages: '7', _version: version })
    assert.match(page.text, /<textarea [^>]*name="title"[^>]*>\nHis<\/textarea>/)
    assert.match(page.text, /name="pages"[^>]*value="7"/)
    assert.include(page.text, `action="${path()}"`)
    assert.notEqual(versionIn(page), version)

    const saved = await submit({ title: 'His', pages: '7', _version: versionIn(page) })
    assert.equal(saved.status, 303)
    const { title, pages } = await stored()
    assert.deepEqual([title, pages], ['His', 7])
  }).tags(['@database'])

  test('[B25] the conflict page contains the version of the record that it shows, so that a third change is detected, too', async ({
    assert,
  }) => {
    const version = versionIn(await open())
    await submit({ title: 'Hers', _version: version })
    const page = await submit({ title: 'His', _version: version })
    await submit({ title: 'Hers again' })
    const again = await submit({ title: 'His', _version: versionIn(page) })
    assert.equal(again.status, 409)
    assert.match(textOf(again.text), /Title The record now Hers again Your version Title \* His/)
  })

  test('[B25] the second editor can leave the record unchanged', async ({ assert }) => {
    const version = versionIn(await open())
    await submit({ title: 'Hers', _version: version })
    const page = await submit({ title: 'His', _version: version })
    assert.match(page.text, new RegExp(`<a [^>]*href="/admin/Dossier/update/${dossier.id}"`))
  })

  test('[B25] a submission without a version overwrites the changes of another editor', async ({
    assert,
  }) => {
    await submit({ title: 'Hers' })
    const { status } = await submit({ title: 'His' })
    assert.equal(status, 303)
    const empty = await submit({ title: 'Mine', _version: '' })
    assert.equal(empty.status, 303)
    const { title } = await stored()
    assert.equal(title, 'Mine')
  })

  test('[B25] a submission with an invalid version is a conflict', async ({ assert }) => {
    const { status } = await submit({ title: 'His', _version: 'x' })
    assert.equal(status, 409)
    const { title } = await stored()
    assert.equal(title, 'Old')
  })

  test('[B25] a change of a visible field outside the form is a conflict, of a hidden one is not', async ({
    assert,
  }) => {
    const version = versionIn(await open())
    await Dossier.query().where('id', dossier.id).update({ pin: '9999' })
    const hidden = await submit({ title: 'His', _version: version })
    assert.equal(hidden.status, 303)

    const later = versionIn(await open())
    await Dossier.query().where('id', dossier.id).update({ stage: 2 })
    const visible = await submit({ title: 'Mine', _version: later })
    assert.equal(visible.status, 409)
  }).tags(['@database'])

  test('[B25] one of two simultaneous submissions succeeds', async ({ assert }) => {
    for (let round = 0; round < 5; round++) {
      const version = versionIn(await open())
      const names = ['a', 'b', 'c', 'd'].map((name) => `${name}${round}`)
      const responses = await Promise.all(
        names.map((title) => submit({ title, _version: version }))
      )
      const statuses = responses.map(({ status }) => status).toSorted()
      assert.deepEqual(statuses, [303, 409, 409, 409])
      const { title } = await stored()
      assert.equal(title, names[responses.findIndex(({ status }) => status === 303)])
    }
  }).tags(['@database'])

  test('[B25, S41] a submission for a record that was deleted in the meantime is a 404 in JSON', async ({
    assert,
  }) => {
    const version = versionIn(await open())
    await Dossier.query().where('id', dossier.id).update({ isDeleted: true })
    const soft = await submit({ title: 'His', _version: version })
    assert.equal(soft.status, 404)
    assert.deepEqual(soft.body, { message: `Item with id ${dossier.id} not found` })
    await Dossier.query().delete()
    const hard = await submit({ title: 'His', _version: version })
    assert.equal(hard.status, 404)
  }).tags(['@database'])

  test('[B25, S41] a record that is deleted before the conflict page is built is a 404, too', async ({
    assert,
    cleanup,
  }) => {
    const version = versionIn(await open())
    await submit({ title: 'Hers', _version: version })
    const site = await adminSite()
    const { crud } = site.models.get('Dossier')!
    const { find } = crud
    let reads = 0
    cleanup(() => void delete (crud as Partial<typeof crud>).find)
    crud.find = async (...args) => {
      if (++reads === 2) await Dossier.query().delete()
      return await find.apply(crud, args)
    }
    const { status, body } = await submit({ title: 'His', _version: version })
    assert.equal(reads, 2)
    assert.equal(status, 404)
    assert.deepEqual(body, { message: `Item with id ${dossier.id} not found` })
  })

  test('[B25] hidden values are not shown, and the page names the fields whose input was not preserved', async ({
    assert,
  }) => {
    const version = versionIn(await open())
    await submit({ title: 'Hers', pin: '5678' })
    const page = await submit({ title: 'His', pin: '8765', _version: version })
    assert.equal(page.status, 409)
    for (const secret of ['1234', '5678', '8765']) assert.notInclude(page.text, secret)
    assert.include(textOf(page.text), 'Not restored from your input: Pin.')
    const { pin } = await stored()
    assert.equal(pin, '5678')
  })

  test('[B25, B17] on a conflict no submitted file is stored in the page or on the disk', async ({
    assert,
  }) => {
    const folder = join(app.config.get<string>('admin.storageDirectory'), 'Dossier')
    const onDisk = () => readdir(folder).catch(() => [])
    const before = await onDisk()
    const version = versionIn(await open())
    await submit({ title: 'Hers' })
    const form = new FormData()
    form.set('_version', version)
    form.set('title', 'His')
    form.set('scan', new File([PNG], 'scan.png'))
    const request = new Request('http://localhost', { method: 'POST', body: form })
    const page = await call('POST', path(), {
      body: new Uint8Array(await request.arrayBuffer()),
      headers: { cookie, 'content-type': request.headers.get('content-type')! },
    })
    assert.equal(page.status, 409)
    assert.include(textOf(page.text), 'Not restored from your input: Scan.')
    const { scan } = await stored()
    assert.isNull(scan)
    assert.deepEqual(await onDisk(), before)
  })

  test('[B25] the conflict page shows values of every type in readable form', async ({
    assert,
  }) => {
    const [hers, his] = await Studio.createMany([{ name: 'Abbey' }, { name: 'Hansa' }])
    const version = versionIn(await open())
    await submit({
      studio_id: String(hers.id),
      due: '2026-03-01T10:00',
      is_open: 'true',
      data: '{"a":1}',
    })
    const page = await submit({
      studio_id: String(his.id),
      due: '2026-04-01T10:00',
      is_open: 'false',
      data: '{"a":2}',
      pages__clear: '1',
      _version: version,
    })
    const text = textOf(page.text).replaceAll('&quot;', '"')
    assert.match(text, /Studio The record now Abbey Your version/)
    assert.match(text, /Due The record now 1 Mar 2026, 10:00 Your version/)
    assert.match(text, /Is open The record now Yes Your version/)
    assert.match(text, /Data The record now { "a": 1 } Your version/)
    assert.match(text, /Pages The record now 5 Your version/)
    assert.notMatch(text, /Title The record now/)
  }).tags(['@database'])

  test('[B25] fields with the same value in both versions require no choice', async ({
    assert,
  }) => {
    const version = versionIn(await open())
    await submit({ title: 'Hers', pages: '8' })
    const page = await submit({ title: 'Hers', pages: '9', _version: version })
    assert.notMatch(textOf(page.text), /Title The record now/)
    assert.match(textOf(page.text), /Pages The record now 8 Your version/)
  })

  test('[B25] the conflict page shows a text escaped and in full', async ({ assert }) => {
    const attack = `<script>alert(1)</script>"><img src=x onerror=alert(1)>{{ 7*7 }}${'x'.repeat(9000)}end`
    const version = versionIn(await open())
    await submit({ title: `${attack}hers` })
    const { text } = await submit({ title: `${attack}his`, _version: version })
    assert.notInclude(text, '<script>alert')
    assert.notInclude(text, '<img')
    assert.include(text, '{{ 7*7 }}')
    assert.include(text, 'endhers')
    assert.include(text, 'endhis')
  })

  test('[B25, B24] a request by htmx receives the conflict without the page around it', async ({
    assert,
  }) => {
    const version = versionIn(await open())
    await submit({ title: 'Hers' })
    const htmx = { 'hx-request': 'true' }
    const { status, text, headers } = await submit({ title: 'His', _version: version }, htmx)
    assert.equal(status, 409)
    assert.notInclude(text, '<html')
    assert.match(text, /^\s*<div id="form-content"/)
    assert.include(headers.get('vary')?.toLowerCase(), 'hx-request')
  })
})
