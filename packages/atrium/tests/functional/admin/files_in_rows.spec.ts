import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { AdminUser } from '#admin'
import { useImageScaler } from '#admin/forms/files/file_store'
import { formOf } from '#tests/helpers/forms'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { call, get, urlOf } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { PNG } from '#tests/helpers/images'
import { Gallery, Picture, Sign } from '#tests/fixtures/files'

type Fields = Array<[string, string | File]>

const png = (name = 'ada.png') => new File([PNG], name, { type: 'image/png' })
const txt = (name: string, text = 'text') => new File([text], name)

test.group('Admin | files in rows of a form', (group) => {
  const storage = app.config.get<string>('admin.storageDirectory')
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['gallery_pictures', 'gallery_signs', 'galleries']) {
      await db.from(table).delete()
    }
    cookie = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    useImageScaler(null)
    return async () => {
      useImageScaler()
      await rm(storage, { recursive: true, force: true })
    }
  })

  async function send(path: string, fields: Fields, as = cookie) {
    const form = new FormData()
    for (const [key, value] of fields) form.append(key, value)
    const request = new Request(urlOf(path), { method: 'POST', body: form })
    const body = new Uint8Array(await request.arrayBuffer())
    const type = request.headers.get('content-type')!
    return await call('POST', path, { body, headers: { 'cookie': as, 'content-type': type } })
  }

  const create = (fields: Fields) =>
    send('/admin/Gallery/form_create', [['title', 'Ada'], ...fields])
  const update = ({ id }: Gallery, fields: Fields) =>
    send(`/admin/Gallery/form_update/${id}`, fields)
  const page = async ({ id }: Gallery) => {
    const { text } = await get(`/admin/Gallery/update/${id}`, { headers: { cookie } })
    return text
  }
  const valuesOf = (html: string): Fields => {
    const { values } = formOf(html.replace(/<template>.*?<\/template>/gs, ''))
    return Object.entries(values)
  }
  const stored = async (model: string) => await readdir(join(storage, model)).catch(() => [])
  const pictures = () => Picture.query().orderBy('position').orderBy('id')
  const images = async () => {
    const rows = await pictures()
    return rows.map(({ image }) => image)
  }
  const keyOf = async (field: string, file: File) => {
    const path = `/admin/Picture/uploads/${field}?form=create`
    const { status, text } = await send(path, [['file', file]])
    if (status !== 201) throw new Error(`The file was refused: ${text}`)
    return JSON.parse(text).key as string
  }

  async function made() {
    await create([
      ['pictures.0.image', png('a.png')],
      ['pictures.0.caption', 'First'],
      ['pictures.1.image', txt('b.txt', 'hello')],
    ])
    return await Gallery.query().orderBy('id', 'desc').firstOrFail()
  }

  test('[R2, files] each row of a new record stores its own file, in order', async ({ assert }) => {
    const gallery = await made()
    const rows = await pictures()
    assert.deepEqual(
      rows.map(({ galleryId, caption, position }) => [galleryId, caption, position]),
      [
        [gallery.id, 'First', 100],
        [gallery.id, null, 200],
      ]
    )
    assert.match(rows[0].image, /^[0-9a-f]{32}\.png$/)
    const { text } = await get(`/admin/Picture/files/${rows[1].image}`, { headers: { cookie } })
    assert.equal(text, 'hello')
    assert.sameMembers(
      await stored('Picture'),
      rows.map(({ image }) => image)
    )
    assert.include(await page(gallery), 'b.txt')
  }).tags(['@database'])

  test('[R11.3, R5.3] a copied record and a restored draft report that the files of their rows are missing', async ({
    assert,
  }) => {
    const gallery = await made()
    const open = async (query: string) => {
      const headers = { cookie, accept: 'text/html' }
      return await its(get(`/admin/Gallery/create_page?${query}`, { headers }), 'text')
    }
    const copy = await open(`from=${gallery.id}`)
    assert.include(copy, 'Files are not copied: choose them again.')
    for (const image of await images()) assert.notInclude(copy, image)
    assert.equal(formOf(copy).values['pictures.0.caption'], 'First')

    const { drafts } = await adminSite()
    const { id } = await AdminUser.findByOrFail('username', 'jo')
    const draft = await drafts.keep(id, {
      address: '/admin/Gallery/create_page',
      texts: { 'title': ['Ada'], 'pictures.0.caption': ['First'] },
      reason: 'unsent',
    })
    assert.include(await open(`_kept=${draft}`), 'Files and passwords are not stored')
  })

  test('[R2, files] a file that was uploaded before the form is stored by its key, and only once', async ({
    assert,
  }) => {
    const key = await keyOf('image', png())
    const { status } = await create([
      ['pictures.4.image__list', '1'],
      ['pictures.4.image__file', key],
    ])
    assert.equal(status, 303)
    const [row] = await pictures()
    assert.equal(row.image, key)
    const again = await create([
      ['pictures.0.image__list', '1'],
      ['pictures.0.image__file', key],
    ])
    assert.equal(again.status, 422)
    assert.include(again.text, 'that is not stored any more')
  })

  test('[R2, files] an unchanged form changes no file, a new file replaces the old one', async ({
    assert,
  }) => {
    const gallery = await made()
    const [first, second] = await pictures()
    const html = await page(gallery)
    assert.match(html, /<form id="record-form"[^>]*enctype="multipart\/form-data"/)
    await update(gallery, valuesOf(html))
    assert.deepEqual(await images(), [first.image, second.image])
    const fields = valuesOf(html).filter(([name]) => name !== 'pictures.0.image')
    const response = await update(gallery, [...fields, ['pictures.0.image', png('new.png')]])
    assert.equal(response.status, 303)
    const [replaced, same] = await pictures()
    assert.equal(same.image, second.image)
    assert.notEqual(replaced.image, first.image)
    assert.equal(replaced.caption, 'First')
    assert.sameMembers(await stored('Picture'), [replaced.image, second.image])
  }).tags(['@database'])

  test('[R2, files] a removed row removes its file', async ({ assert }) => {
    const gallery = await made()
    const fields = valuesOf(await page(gallery))
    await update(gallery, [...fields, ['pictures.0.__remove', '1']])
    const rows = await pictures()
    assert.lengthOf(rows, 1)
    assert.deepEqual(await stored('Picture'), [rows[0].image])
  })

  test('[R2, files] a required file can be replaced and not removed', async ({ assert }) => {
    const gallery = await made()
    const [{ image }] = await pictures()
    const fields = valuesOf(await page(gallery))
    const { status, text } = await update(gallery, [...fields, ['pictures.0.image__remove', image]])
    assert.equal(status, 400)
    assert.include(text, 'id="field-pictures.0.image-error"')
    assert.include(await stored('Picture'), image)
  })

  test('[R2, files] errors of files are shown at their rows, and the form preserves all accepted files', async ({
    assert,
  }) => {
    const { status, text } = await create([
      ['pictures.0.image', png('a.png')],
      ['pictures.0.caption', '-'],
      ['pictures.1.image', txt('page.html', '<p>')],
      ['pictures.2.image', txt('big.txt', 'x'.repeat(2000))],
      ['pictures.3.caption', 'No file'],
    ])
    assert.equal(status, 422)
    assert.equal(await Gallery.query().first(), null)
    const { errors, values } = formOf(text)
    assert.sameMembers(Object.keys(errors), [
      'pictures.0.caption',
      'pictures.1.image',
      'pictures.2.image',
      'pictures.3.image',
    ])
    assert.include(errors['pictures.1.image'], 'page.html')
    assert.match(values['pictures.0.image__file'], /^[0-9a-f]{32}\.png$/)
    const again = await create([
      ['pictures.0.image__list', '1'],
      ['pictures.0.image__file', values['pictures.0.image__file']],
      ['pictures.0.caption', 'A caption'],
    ])
    assert.equal(again.status, 303)
    const [{ image }] = await pictures()
    assert.deepEqual(await stored('Picture'), [image])
  })

  test('[R2, files] the button for more rows preserves the files', async ({ assert }) => {
    const { text } = await create([
      ['pictures.0.image', png('a.png')],
      ['pictures.__more', '1'],
    ])
    assert.match(formOf(text).values['pictures.0.image__file'], /^[0-9a-f]{32}\.png$/)
    assert.include(text, 'a.png')
  })

  test('[R2, files] the form of a hasOne row accepts a single file and a list of files', async ({
    assert,
  }) => {
    await create([
      ['sign.0.drawing', png('sign.png')],
      ['sign.0.drafts', txt('a.txt')],
      ['sign.0.drafts', txt('b.txt')],
    ])
    const gallery = await Gallery.firstOrFail()
    const sign = await Sign.firstOrFail()
    const drafts = (value: unknown): string[] =>
      typeof value === 'string' ? JSON.parse(value) : (value as string[])
    assert.match(sign.drawing!, /\.png$/)
    assert.lengthOf(drafts(sign.drafts), 2)
    const fields = valuesOf(await page(gallery)).filter(([name]) => !name.includes('drafts__'))
    const [first, second] = drafts(sign.drafts)
    const response = await update(gallery, [
      ...fields,
      ['sign.0.drafts__list', '1'],
      ['sign.0.drafts__file', second],
      ['sign.0.drafts__file', first],
      ['sign.0.drawing__remove', sign.drawing!],
    ])
    assert.equal(response.status, 303)
    await sign.refresh()
    assert.isNull(sign.drawing)
    assert.deepEqual(drafts(sign.drafts), [second, first])
    assert.sameMembers(await stored('Sign'), [first, second])
  }).tags(['@database'])

  test("[R2, B17] another record's file cannot be claimed", async ({ assert }) => {
    await made()
    const [{ image }] = await pictures()
    const { status } = await create([
      ['pictures.0.image__list', '1'],
      ['pictures.0.image__file', image],
    ])
    assert.equal(status, 422)
    assert.lengthOf(await pictures(), 2)
  })

  test('[R2, U1] undoing the save of a form removes the rows that it added and their files', async ({
    assert,
  }) => {
    const gallery = await made()
    const event = await db.from('admin_event_log').orderBy('id', 'desc').first()
    const { status } = await call('POST', `/admin/management/events/${event.id}/undo`, {
      json: {},
      headers: { cookie },
    })
    assert.equal(status, 200)
    assert.equal(await Gallery.find(gallery.id), null)
    let left = await stored('Picture')
    while (left.length > 0) {
      await setTimeout(20)
      left = await stored('Picture')
    }
  })
})
