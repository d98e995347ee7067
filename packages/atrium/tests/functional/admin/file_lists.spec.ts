import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { useImageScaler } from '#admin/forms/files/file_store'
import { filesDisk } from '#admin/forms/files/files_disk'
import { pruneWaitingFiles } from '#admin/forms/files/waiting_files'
import { formOf } from '#tests/helpers/forms'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { call, get, urlOf, type HttpResponse } from '#tests/helpers/http'
import { PNG } from '#tests/helpers/images'
import { Album } from '#tests/fixtures/files'

type Fields = Array<[string, string | File]>

const png = (name = 'ada.png') => new File([PNG], name, { type: 'image/png' })
const txt = (name: string, text = 'text') => new File([text], name)
const LIST: [string, string] = ['photos__list', '1']

const filesOf = (value: unknown): string[] =>
  (typeof value === 'string' ? JSON.parse(value) : value) ?? []

test.group('Admin | lists of files', (group) => {
  const storage = app.config.get<string>('admin.storageDirectory')
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Album.query().delete()
    cookie = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    useImageScaler(null)
    return async () => {
      useImageScaler()
      await rm(storage, { recursive: true, force: true })
    }
  })

  async function send(path: string, fields: Fields) {
    const form = new FormData()
    for (const [key, value] of fields) form.append(key, value)
    const request = new Request(urlOf(path), { method: 'POST', body: form })
    const body = new Uint8Array(await request.arrayBuffer())
    const type = request.headers.get('content-type')!
    return await call('POST', path, { body, headers: { cookie, 'content-type': type } })
  }

  const page = async (path: string, headers = {}) =>
    await get(`/admin/Album${path}`, { headers: { cookie, ...headers } })
  const create = (fields: Fields) =>
    send('/admin/Album/form_create', [['title', 'Ada'], LIST, ...fields])
  const update = ({ id }: Album, fields: Fields) =>
    send(`/admin/Album/form_update/${id}`, [['title', 'Ada'], ...fields])
  const upload = (field: string, file: File, form = 'create') =>
    send(`/admin/Album/uploads/${field}?form=${form}`, [['file', file]])
  const statusOf = (response: Promise<HttpResponse>) => response.then(({ status }) => status)
  const textOf = (response: Promise<HttpResponse>) => response.then(({ text }) => text)
  const stored = async () => await readdir(join(storage, 'Album')).catch(() => [])
  const photosOf = async ({ id }: Album) => {
    const { photos } = await Album.findOrFail(id)
    return filesOf(photos)
  }

  async function made(...files: File[]) {
    const { status } = await create(files.map((file) => ['photos', file]))
    if (status !== 303) throw new Error(`The album was not created: ${status}`)
    const album = await Album.query().orderBy('id', 'desc').firstOrFail()
    return { album, keys: await photosOf(album) }
  }

  const kept = (keys: readonly string[]): Fields => [
    LIST,
    ...keys.map((key): [string, string] => ['photos__file', key]),
  ]

  test('[files] a create stores all files of a field in order, each under its own name', async ({
    assert,
  }) => {
    const { album, keys } = await made(png(), txt('note.txt', 'hello'))
    assert.lengthOf(keys, 2)
    assert.match(keys[1], /^[0-9a-f]{32}\.txt$/)
    assert.sameMembers(await stored(), keys)
    const { text } = await page(`/files/${keys[1]}`)
    assert.equal(text, 'hello')
    const html = await textOf(page(`/update/${album.id}`))
    assert.include(html, '<bdi>ada.png</bdi>')
    assert.include(html, '<bdi>note.txt</bdi>')
    assert.match(html, /type="file" multiple [^>]*accept="\.png,\.txt"/)
  })

  test('[files] an update appends new files, removes those with a checked box, and sorts by the entered numbers', async ({
    assert,
  }) => {
    const { album, keys } = await made(png(), txt('b.txt'), txt('c.txt'))
    const { status } = await update(album, [
      ...kept(keys),
      ['photos__place', '1'],
      ['photos__place', '2'],
      ['photos__place', '1'],
      ['photos__remove', keys[1]],
      ['photos', txt('d.txt')],
    ])
    assert.equal(status, 303)
    const now = await photosOf(album)
    assert.deepEqual(now.slice(0, 2), [keys[2], keys[0]])
    assert.lengthOf(now, 3)
    assert.sameMembers(await stored(), now)
  })

  test('[files] files uploaded without the list of stored files are appended; an update of other fields changes no file', async ({
    assert,
  }) => {
    const { album, keys } = await made(png())
    await update(album, [])
    assert.deepEqual(await photosOf(album), keys)
    await update(album, [['photos', txt('b.txt')]])
    const now = await photosOf(album)
    assert.deepEqual(now.slice(0, 1), keys)
    assert.lengthOf(now, 2)
  })

  test('[files] the error names a refused file, and the others stay in the form without being sent again', async ({
    assert,
  }) => {
    const response = await create([
      ['photos', png()],
      ['photos', txt('big.txt', 'x'.repeat(2000))],
      ['photos', txt('page.html')],
    ])
    assert.equal(response.status, 422)
    const form = formOf(response.text)
    assert.include(form.errors.photos, 'big.txt: File size should be less than 1KB')
    assert.include(form.errors.photos, 'page.html: Invalid file extension html')
    assert.include(response.text, '<bdi class="files-name">ada.png</bdi>')
    const key = form.values.photos__file
    assert.deepEqual(await stored(), [key])

    const again = await create([['photos__file', key]])
    assert.equal(again.status, 303)
    const album = await Album.firstOrFail()
    assert.deepEqual(await photosOf(album), [key])
    const { headers } = await page(`/files/${key}`)
    assert.include(headers.get('content-disposition')!, 'Ada - Photos.png')
  })

  test('[files] the number of files is limited by the schema, counting those that the record already has', async ({
    assert,
  }) => {
    const { album, keys } = await made(png(), png(), png())
    const tooMany = await update(album, [...kept(keys), ['photos', png()], ['photos', png()]])
    assert.equal(tooMany.status, 400)
    assert.include(formOf(tooMany.text).errors.photos, 'must not have more than 4 items')
    assert.deepEqual(await photosOf(album), keys)
    assert.equal(await statusOf(update(album, [...kept(keys), ['photos', png()]])), 303)
    const none = await update(album, [['papers__list', '1']])
    assert.equal(none.status, 303)
    const { papers } = await album.refresh()
    assert.isNull(papers)
  })

  test('[files] files are uploaded one by one before the form is saved', async ({ assert }) => {
    const { status, body } = await upload('photos', png())
    assert.equal(status, 201)
    const refused = await upload('photos', txt('page.html'))
    assert.equal(refused.status, 422)
    assert.include(refused.body.message, 'Invalid file extension')
    assert.equal(await statusOf(page(`/files/${body.key}`)), 404)

    assert.equal(await statusOf(create([['photos__file', body.key]])), 303)
    assert.equal(await statusOf(page(`/files/${body.key}`)), 200)
    const { id } = await Album.firstOrFail()
    const html = await textOf(page(`/update/${id}`))
    assert.include(html, '<bdi>ada.png</bdi>')
  })

  test('[files] an uploaded file is refused to other users, other records and after its use', async ({
    assert,
  }) => {
    const { body } = await upload('photos', png())
    const own = cookie
    cookie = await cookiesOf(await makeUser('eve', { isSuperuser: false }))
    const stolen = await create([['photos__file', body.key]])
    assert.equal(stolen.status, 422)
    assert.include(stolen.text, 'not stored any more')
    cookie = own
    assert.equal(await statusOf(create([['photos__file', body.key]])), 303)
    assert.equal(await statusOf(create([['photos__file', body.key]])), 422)
    assert.equal(await statusOf(create([['photos__file', '../../.env']])), 422)
  })

  test('[files] an upload for a field that is not a list of files in that form is not found: {0}')
    .with([
      ['title', 'create'],
      ['unknown', 'create'],
    ])
    .run(async ({ assert }, [field, form]) => {
      assert.equal(await statusOf(upload(field, png(), form)), 404)
      assert.isEmpty(await stored())
    })

  test('[files] an anonymous upload stores nothing', async ({ assert }) => {
    cookie = ''
    const { status } = await upload('photos', png())
    assert.equal(status, 303)
    assert.isEmpty(await stored())
  })

  test('[files] a failed write preserves the files for another attempt', async ({ assert }) => {
    const failed = await create([
      ['title', 'Nobody'],
      ['photos', png()],
    ])
    assert.equal(failed.status, 422)
    const key = formOf(failed.text).values.photos__file
    assert.deepEqual(await stored(), [key])
  })

  test('[files] uploaded files that were never saved with a form are removed after a day', async ({
    assert,
  }) => {
    const { keys } = await made(png())
    await upload('photos', png())
    const site = await adminSite()
    const viewOf = (model: string) => site.models.get(model)
    assert.equal(await pruneWaitingFiles(viewOf), 0)
    assert.lengthOf(await stored(), 2)
    assert.equal(await pruneWaitingFiles(viewOf, new Date(Date.now() + 25 * 3_600_000)), 1)
    assert.deepEqual(await stored(), keys)
  })

  test('[files] files of a model that is no longer in the site are removed, too, unless a record has them', async ({
    assert,
  }) => {
    const { keys } = await made(png())
    await upload('photos', png())
    /* The note of a saved file is still there if its removal failed. */
    const disk = await filesDisk()
    const note = { model: 'Album', name: 'a.png', size: 1 }
    await disk.put(`.uploads/1/${keys[0]}`, JSON.stringify(note))
    const tomorrow = new Date(Date.now() + 25 * 3_600_000)
    assert.equal(await pruneWaitingFiles(() => undefined, tomorrow), 2)
    assert.deepEqual(await stored(), keys)
  })

  test('[files] an undo removes added files, and is refused if a file to restore no longer exists', async ({
    assert,
  }) => {
    const { album, keys } = await made(png())
    const undo = async () => {
      const { id } = await db.from('admin_event_log').orderBy('id', 'desc').firstOrFail()
      return await statusOf(
        call('POST', `/admin/management/events/${id}/undo`, { json: {}, headers: { cookie } })
      )
    }
    await update(album, [...kept(keys), ['photos', txt('b.txt')]])
    const both = await photosOf(album)
    assert.equal(await undo(), 200)
    assert.deepEqual(await photosOf(album), keys)
    /* An undo removes files after its response. */
    for (let left = 100, files = both; files.length > keys.length && left > 0; left--) {
      await setTimeout(20)
      files = await stored()
    }
    assert.deepEqual(await stored(), keys)

    await update(album, [...kept(keys), ['photos', txt('c.txt')]])
    const [, added] = await photosOf(album)
    await update(album, kept([added, keys[0]]))
    assert.equal(await undo(), 200)
    assert.deepEqual(await photosOf(album), [keys[0], added])
    await update(album, kept([keys[0]]))
    assert.equal(await undo(), 409)
    assert.notInclude(await stored(), both[1])
  })

  test('[files] if two users change the list, they see the conflict, and no uploaded file is lost', async ({
    assert,
  }) => {
    const { album, keys } = await made(png())
    const opened = formOf(await textOf(page(`/update/${album.id}`)))
    const version: Fields = ['_version', '_opened'].map((name) => [name, opened.values[name]])
    await update(album, [...kept(keys), ['photos', txt('theirs.txt')]])
    const theirs = await photosOf(album)
    const asked = await update(album, [...version, ...kept(keys), ['photos', txt('mine.txt')]])
    assert.equal(asked.status, 409)
    assert.include(asked.text, 'mine.txt')
    const mine = [...asked.text.matchAll(/name="photos__file" value="([^"]+)"/g)].map(
      ([, key]) => key
    )
    assert.lengthOf(mine, 3)
    const form = formOf(asked.text)
    const again: Fields = ['_version', '_opened'].map((name) => [name, form.values[name]])
    const saved = await update(album, [
      ...again,
      ['_take.photos', 'mine'],
      ...kept(mine),
      ['photos__remove', theirs[1]],
    ])
    assert.equal(saved.status, 303)
    const now = await photosOf(album)
    assert.deepEqual(now, [keys[0], mine[1]])
    assert.sameMembers(await stored(), now)
  })

  test('[files] the API can reorder and remove the files of a record, and accepts no other files', async ({
    assert,
  }) => {
    const { album, keys } = await made(png(), txt('b.txt'))
    const { keys: others } = await made(png())
    const patch = (photos: unknown) =>
      call('PATCH', `/api/albums/${album.id}`, { json: { photos } })
    for (const wrong of [
      others,
      [...keys, others[0]],
      [keys[0], keys[0]],
      'x',
      [1],
      [[keys[0]]],
      {},
    ]) {
      assert.equal(await statusOf(patch(wrong)), 422, JSON.stringify(wrong))
    }
    assert.equal(await statusOf(patch(keys.toReversed())), 200)
    assert.deepEqual(await photosOf(album), keys.toReversed())
    const created = await call('POST', '/api/albums', { json: { title: 'Eve', photos: others } })
    assert.equal(created.status, 422)
    assert.equal(await statusOf(patch([])), 200)
    const { body } = await get(`/api/albums/${album.id}`)
    assert.deepEqual(body.photos, [])
  })

  test('[files] the list shows the first image and the number of further files', async ({
    assert,
  }) => {
    const { keys } = await made(png(), txt('b.txt'))
    const { text } = await page('/', { 'hx-request': 'true' })
    assert.include(text, `src="/admin/Album/files/${keys[0]}?thumbnail" alt="Photos: 2 files"`)
    assert.include(text, '+1</span>')
  })

  test('[files] the page of a record shows all files by their names', async ({ assert }) => {
    const { album } = await made(png('ada.png'), txt('b.txt'))
    const { text } = await page(`/view/${album.id}`)
    assert.include(text, '<bdi>ada.png</bdi>')
    assert.include(text, '<bdi>b.txt</bdi>')
  })

  test('[files] a thumbnail is created once, and a large image without a thumbnail is replaced by a placeholder', async ({
    assert,
  }) => {
    const { keys } = await made(png(), txt('b.txt'))
    const [key] = keys
    const typeOf = async (path: string) => {
      const { headers } = await page(path)
      return headers.get('content-type')
    }
    assert.equal(await typeOf(`/files/${key}?thumbnail`), 'image/png')
    assert.equal(await typeOf(`/files/${keys[1]}?thumbnail`), 'application/octet-stream')
    assert.equal(await typeOf(`/files/${keys[1]}?inline`), 'application/octet-stream')

    let count = 0
    useImageScaler(async (image) => {
      count++
      return image.subarray(0, 8)
    })
    await Promise.all([typeOf(`/files/${key}?thumbnail`), typeOf(`/files/${key}?thumbnail`)])
    assert.equal(await typeOf(`/files/${key}?thumbnail`), 'image/webp')
    assert.equal(count, 1)
    assert.deepEqual(await readdir(join(storage, '.thumbnails', 'Album')), [`${key}.webp`])
    const album = await Album.firstOrFail()
    assert.equal(await statusOf(update(album, kept([]))), 303)
    const { photos } = await album.refresh()
    assert.isNull(photos)
    assert.isEmpty(await readdir(join(storage, '.thumbnails', 'Album')))
  })
})
