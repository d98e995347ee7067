import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { PermissionsDocument } from '#admin'
import { MOST_BYTES } from '#admin/import/import_access'
import { callRaw, cookiesOf, emptyAdminTables, makeUser, sendForm } from '#tests/helpers/admin'
import { get, urlOf, type HttpResponse } from '#tests/helpers/http'
import { beginImport, chooseColumns, upload } from '#tests/helpers/import_forms'
import { its } from '#tests/helpers/its'
import { withJobs } from '#tests/helpers/job_group'
import { untilJob, work } from '#tests/helpers/jobs'
import { makeRole, restoreRoles } from '#tests/helpers/roles'
import { Play, Stage } from '#tests/fixtures/stages'

const LIST = '/admin/Play/import'
const HEADING = 'id,title,town,stage_id\r\n'

/** The number of the job in a URL of its page */
const jobIn = (url: string | null) => Number(/\/jobs\/(\d+)$/.exec(url ?? '')?.[1])

/** The words of a page, without its tags */
const wordsOf = ({ text }: HttpResponse) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

/** Texts of the options that are chosen in the selects of a page, by the names of these */
function chosenIn({ text }: HttpResponse): Record<string, string> {
  const selects = text.matchAll(/<select[^>]* name="([^"]+)"[^>]*>(.*?)<\/select>/gs)
  return Object.fromEntries(
    [...selects].map(([, name, options]) => [
      name,
      /value="([^"]*)" selected/.exec(options)?.[1] ?? '',
    ])
  )
}

test.group('Admin | pages of the import', (group) => {
  let cookie: string
  let globe: Stage
  let hamlet: Play

  const common = withJobs(group, ['admin_imports', 'play_tickets', 'plays', 'stages'])
  group.each.setup(async () => {
    globe = await Stage.create({ name: 'Globe', town: 'east' })
    hamlet = await Play.create({ title: 'Hamlet', town: 'east', stageId: globe.id })
    cookie = common.cookie
  })

  const open = (path: string, headers: Record<string, string> = {}) =>
    get(path, { headers: { cookie, ...headers } })
  const textOf = (path: string) => its(open(path), 'text')
  const send = (path: string, fields: Record<string, string> = {}) =>
    sendForm(path, fields, { cookie })
  const begin = (content: string, name?: string) => beginImport('Play', content, cookie, name)
  const choose = (url: string, columns: readonly string[], more = {}) =>
    chooseColumns(url, columns, cookie, more)
  const uploads = async () => {
    const names = await readdir(tmpdir())
    return names.filter((name) => name.startsWith(`atrium-upload-${process.pid}-`))
  }

  async function signInWith(permissions: PermissionsDocument) {
    await makeRole('Clerk', permissions)
    const user = await makeUser('ann', { isSuperuser: false, roles: ['Clerk'] })
    cookie = await cookiesOf(user)
  }

  async function titles(): Promise<string[]> {
    const rows = await Play.query().orderBy('id')
    return rows.map(({ title }) => title)
  }

  test('[D3] a file goes from upload, columns and preview to a job, with a link back at each step', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    const rows = [
      `${hamlet.id},Prince of Denmark,east,Globe`,
      ',Macbeth,west,Globe',
      ',Lear,west,Swan',
    ]
    const url = await begin(HEADING + rows.join('\r\n'))
    assert.match(url, /^\/admin\/Play\/import\/\d+$/)
    const columns = await open(url)
    assert.equal(columns.status, 200)
    assert.include(columns.text, 'Prince of Denmark')
    assert.deepInclude(chosenIn(columns), { 'column.1': 'title', 'column.2': 'town' })
    assert.include(columns.text, `href="${url}?step=file"`)
    assert.notInclude(columns.text, `href="${url}?step=trial"`)

    const chosen = await choose(url, ['id', 'title', 'town', 'stage_id:title'], { key: 'id' })
    assert.equal(chosen.status, 303)
    assert.equal(chosen.headers.get('location'), url)
    const dryRun = await open(url)
    const words = wordsOf(dryRun)
    assert.include(words, 'New 1 Changed 1 Unchanged 0 Invalid 1')
    assert.include(words, 'Import 2 rows, leave out 1')
    assert.match(words, /4 Lear Stage .*Swan/, words.slice(words.indexOf('invalid row')))
    assert.include(words, 'Prince of Denmark')
    for (const step of ['file', 'columns']) assert.include(dryRun.text, `${url}?step=${step}"`)
    assert.deepEqual(await titles(), ['Hamlet'])

    const file = await open(`${url}/faulty`)
    assert.equal(file.status, 200)
    assert.equal(file.headers.get('content-disposition'), 'attachment; filename="Play-invalid.csv"')
    assert.match(file.text, /^id,title,town,stage_id,.+\r?\n,Lear,west,Swan,.*Swan/)

    const back = await open(`${url}?step=columns`)
    assert.deepInclude(chosenIn(back), { 'column.3': 'stage_id:title', 'key': 'id' })
    assert.include(back.text, `${url}?step=trial"`)
    const first = await open(`${url}?step=file`)
    assert.include(first.text, 'type="file"')
    assert.include(first.text, `${url}?step=trial"`)

    const run = await send(`${url}/run`, { skip_faulty: '1' })
    assert.equal(run.status, 303)
    const id = jobIn(run.headers.get('location'))
    const job = await untilJob(id)
    assert.equal(job.state, 'done', job.error ?? '')
    assert.deepEqual(await titles(), ['Prince of Denmark', 'Macbeth'])
    const page = await open(`/admin/management/jobs/${id}`)
    assert.include(page.text, 'id="undo-job"')
    assert.include(page.text, 'href="/admin/Play/"')
    assert.match(page.text, /\/admin\/management\/events\/\d+"/)
    assert.match(wordsOf(page), /New 1 Changed 1 Unchanged 0 Invalid 1/)
    const ended = await open(url)
    assert.equal(ended.headers.get('location'), `/admin/management/jobs/${id}`)
  })

  test('[D3] an invalid file is refused on the page, and nothing of it is stored')
    .with([
      { why: 'none', file: null, status: 422, says: 'Choose a file first' },
      { why: 'empty', file: { name: 'a.csv', content: '' }, status: 422, says: 'is empty' },
      {
        why: 'of an unknown kind',
        file: { name: 'a.png', content: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]) },
        status: 422,
        says: '',
      },
      {
        why: 'a broken sheet',
        file: { name: 'a.xlsx', content: 'PK\u0003\u0004 and no more' },
        status: 422,
        says: '',
      },
      {
        why: 'broken JSON',
        file: { name: 'a.json', content: '[{"title": ' },
        status: 422,
        says: '',
      },
    ])
    .run(async ({ assert }, { file, status, says }) => {
      const before = await uploads()
      const response = await upload('Play', file, { cookie })
      assert.equal(response.status, status, file?.name)
      assert.include(response.text, '<h1>Import plays</h1>')
      const [, onProgress] = /id="import-error" role="alert">([^<]*)</.exec(response.text) ?? []
      assert.isNotEmpty(onProgress)
      assert.include(onProgress, says)
      assert.notMatch(onProgress, /sheets\.|import\.|translation/)
      assert.isEmpty(await db.from('admin_imports'))
      assert.deepEqual(await uploads(), before)
    })

  test('[D3] a file over 100 MB is a 413 on the page, by its declared length and by the bytes that arrive', async ({
    assert,
  }) => {
    const before = await uploads()
    const headers = {
      cookie,
      'accept': 'text/html',
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': String(MOST_BYTES + 2 * 1024 * 1024),
    }
    const announced = await callRaw('POST', LIST, headers)
    assert.equal(announced.status, 413)
    assert.include(announced.text, 'exceeds 100 MB')
    const bytes = new Uint8Array(MOST_BYTES + 1)
    const real = await upload('Play', { name: 'a.csv', content: bytes }, { cookie })
    assert.equal(real.status, 413)
    assert.include(real.text, 'exceeds 100 MB')
    assert.deepEqual(await uploads(), before)
    assert.isEmpty(await db.from('admin_imports'))
  })

  test('[D3] an upload with a truncated body, or without a multipart form, is an error on the page', async ({
    assert,
  }) => {
    const cut = await callRaw(
      'POST',
      LIST,
      { cookie, 'content-type': 'multipart/form-data; boundary=b' },
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nx'
    )
    assert.equal(cut.status, 422)
    assert.include(cut.text, 'The upload was incomplete.')
    for (const fields of ['', 'file=a']) {
      assert.equal(await its(sendForm(LIST, fields, { cookie }), 'status'), 422)
    }
  })

  test('[D3] an invalid mapping of columns is shown again as submitted, and starts no preview', async ({
    assert,
  }) => {
    const url = await begin(`${HEADING},Lear,west,`)
    const wrong: Array<[string[], Record<string, string>]> = [
      [['', 'title', 'title', ''], {}],
      [['', 'secrets', '', ''], {}],
      [['', 'title', 'town', ''], { key: 'id' }],
      [['', 'title', 'town', ''], { key: 'title' }],
      [['', '', '', ''], {}],
    ]
    for (const [columns, more] of wrong) {
      const response = await choose(url, columns, more)
      const place = JSON.stringify([columns, more])
      assert.equal(response.status, 422, place)
      assert.match(response.text, /id="import-error" role="alert">[^<]{10,}</, place)
      const chosen = chosenIn(response)
      if (columns[1] !== 'secrets') assert.equal(chosen['column.1'], columns[1], place)
    }
    assert.include(await textOf(url), 'id="import-columns"')
  })

  test('[D3] every row gets the fixed values of fields without a column, as in the form', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    const url = await begin('title\r\nMacbeth\r\nLear\r\n')
    const page = await textOf(url)
    assert.match(page, /<select[^>]*name="value\.stage_id"/)
    assert.notMatch(page, /name="value\.(id|secret_hash)"/)
    const values = { 'value.stage_id': String(globe.id), 'value.town': 'west', 'value.note': '' }
    await choose(url, ['title'], values)
    assert.match(wordsOf(await open(url)), /Stage( id)? Globe/)
    const again = chosenIn(await open(`${url}?step=columns`))
    assert.equal(again['value.stage_id'], String(globe.id))
    const run = await send(`${url}/run`)
    await untilJob(jobIn(run.headers.get('location')))
    const plays = await Play.query().where('town', 'west').orderBy('id')
    assert.deepEqual(
      plays.map(({ title, stageId, note }) => [title, stageId, note]),
      [
        ['Macbeth', globe.id, null],
        ['Lear', globe.id, null],
      ]
    )
  })

  test('[D3, U2] a fixed value of the field {field} is refused')
    .with([
      { field: 'title', says: 'Title has a column and a value for every row' },
      { field: 'id', says: null },
      { field: 'missing', says: null },
    ])
    .run(async ({ assert }, { field, says }) => {
      const url = await begin('title,town\r\nMacbeth,west\r\n')
      const { status, text } = await choose(url, ['title', 'town'], { [`value.${field}`]: '5' })
      assert.equal(status, says ? 422 : 303)
      if (says) return assert.include(text, says)
      const { mapping } = await db.from('admin_imports').firstOrFail()
      assert.notInclude(JSON.stringify(mapping), field)
    })

  test('[D3] the preview shows the cell of each error', async ({ assert }) => {
    const url = await begin(`${HEADING},Macbeth,west,Swan\r\n`)
    await choose(url, ['id', 'title', 'town', 'stage_id:title'])
    const page = await open(url)
    assert.match(wordsOf(page), /2 Macbeth Stage( id)? There is no/)
    assert.include(page.text, 'value="Swan"')
  })

  test('[D3] the file of invalid rows uses the delimiter of the upload, and is labelled UTF-8 if the upload was not', async ({
    assert,
  }) => {
    const bytes = Buffer.from('title;town;stage\r\nMühle, Teil 1;west;Schloß\r\n', 'latin1')
    const file = { name: 'a.csv', content: new Uint8Array(bytes) }
    const { location } = await upload('Play', file, { cookie })
    await choose(location!, ['title', 'town', 'stage_id:title'])
    const response = await fetch(urlOf(`${location}/faulty`), { headers: { cookie } })
    const text = Buffer.from(await response.arrayBuffer()).toString('utf8')
    assert.match(text, /^\uFEFFtitle;town;stage;[^;]+\r\n"Mühle, Teil 1";west;Schloß;/)
  })

  test('[D3] for a file without a key column, the page warns that every row will create a record', async ({
    assert,
  }) => {
    const keyless = await open(await begin('title,town\nLear,west'))
    assert.include(keyless.text, 'No column was recognised as ID')
    const keyed = await open(await begin(`${HEADING},Lear,west,Swan`))
    assert.notInclude(keyed.text, 'No column was recognised')
  })

  test('[D3] selecting another delimiter or encoding parses the file again', async ({ assert }) => {
    const url = await begin('title;town\r\nLear;a,b\r\n')
    const page = await open(url)
    assert.equal(chosenIn(page).delimiter, ';')
    const again = await send(`${url}/reread`, { encoding: 'utf-8', delimiter: ',' })
    assert.equal(again.status, 303)
    const after = await open(again.headers.get('location')!)
    assert.equal(chosenIn(after).delimiter, ',')
    assert.include(after.text, 'Lear;a')
    const wrong = await send(`${url}/reread`, { encoding: 'klingon', delimiter: ',' })
    assert.equal(wrong.status, 422)
    assert.equal(chosenIn(await open(url)).delimiter, ',')
  })

  test('[D3] the first page offers an unfinished import until it is cancelled', async ({
    assert,
  }) => {
    const url = await begin(`${HEADING},Lear,west,`, 'my <b>plays</b>.csv')
    const page = await open(LIST)
    assert.include(page.text, `href="${url}"`)
    assert.include(page.text, 'my &lt;b&gt;plays&lt;/b&gt;.csv')
    assert.include(page.text, `data-asks href="${url}/discard"`)
    const question = await textOf(`${url}/discard`)
    assert.match(question, /Cancel the import of [^<]*my &lt;b&gt;plays/)
    assert.include(
      question,
      'No row was imported. The uploaded file and the chosen columns are deleted.'
    )
    assert.match(question, /data-close href="[^"]*">Keep import</)
    const away = await send(`${url}/discard`)
    assert.equal(away.headers.get('location'), LIST)
    assert.notInclude(await textOf(LIST), `href="${url}"`)
    assert.equal(await its(open(url), 'status'), 404)
    assert.isEmpty(await db.from('admin_imports'))
  })

  test('[D3] the first page lists the fields that can be imported, and marks the required ones', async ({
    assert,
  }) => {
    const { text } = await open(LIST)
    const fields = text.matchAll(/<dt>(.*?)<\/dt>\s*<dd><code>(.*?)<\/code>/gs)
    const marks = Object.fromEntries(
      [...fields].map(([, label, name]) => [
        name,
        label
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ])
    )
    assert.deepInclude(marks, {
      title: 'Title * (required for new records)',
      town: 'Town * (required for new records)',
      note: 'Note',
      stage_id: 'Stage',
    })
  })

  test('[D3] the template contains only the names of fields that the user can import', async ({
    assert,
  }) => {
    await signInWith({
      Play: { actions: ['view', 'create', 'import'], hidden: ['secret'], readonly: ['note'] },
      Stage: { actions: ['view'] },
    })
    const { headers, text } = await open(`${LIST}/template`)
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    const names = text.trim().split(',')
    assert.includeMembers(names, ['title', 'town', 'stage_id'])
    for (const name of ['secret', 'note', 'id']) assert.notInclude(names, name)
  })

  test('[U4, D3] the import of another user or model is a 404; superusers can open all', async ({
    assert,
  }) => {
    const url = await begin(`${HEADING},Lear,west,`)
    await choose(url, ['', 'title', 'town', ''])
    const other = url.replace('/Play/', '/Stage/')
    const doors: Array<[string, string]> = [
      ['GET', ''],
      ['GET', '?step=columns'],
      ['GET', '/faulty'],
      ['POST', '/columns'],
      ['POST', '/reread'],
      ['POST', '/corrections'],
      ['POST', '/run'],
      ['GET', '/discard'],
      ['POST', '/discard'],
    ]
    const knock = async (base: string, [method, path]: [string, string]) =>
      method === 'GET' ? await open(base + path) : await send(base + path)
    for (const door of doors) {
      assert.equal(await its(knock(other, door), 'status'), 404, `${door} of another model`)
    }
    const boss = cookie
    await signInWith({ '*': { actions: ['*'] } })
    for (const door of doors) {
      assert.equal(await its(knock(url, door), 'status'), 404, `${door} of another person`)
    }
    for (const id of ['0', 'x', '99999999999', '1%00', '-1']) {
      assert.equal(await its(open(`${LIST}/${id}`), 'status'), 404, id)
    }
    assert.notInclude(await textOf(LIST), `href="${url}"`)
    const own = await begin(`${HEADING},Lear,west,`)
    cookie = boss
    assert.equal(await its(open(own), 'status'), 200)
    assert.lengthOf(await db.from('admin_imports'), 2)
  })

  test('[L13, U4, D3] *Import* is in the list, the empty list and the search, for users with the permission', async ({
    assert,
  }) => {
    const personas: Array<{ actions: string[]; status: number }> = [
      { actions: ['view'], status: 403 },
      { actions: ['view', 'create', 'update'], status: 403 },
      { actions: ['view', 'import'], status: 403 },
      { actions: ['view', 'import', 'create'], status: 200 },
      { actions: ['view', 'import', 'update'], status: 200 },
      { actions: ['import', 'create'], status: 404 },
    ]
    for (const { actions, status } of personas) {
      const place = actions.join('+')
      await emptyAdminTables()
      await restoreRoles()
      await signInWith({ Play: { actions }, Stage: { actions: ['view'] } })
      assert.equal(await its(open(LIST), 'status'), status, place)
      if (status !== 200) {
        const refused = await upload('Play', { name: 'a.csv', content: HEADING }, { cookie })
        assert.equal(refused.status, status, place)
      }
      if (status === 404) continue
      const isOffered = status === 200
      const lists = [await open('/admin/Play/'), await open('/admin/search?q=import')]
      await db.from('plays').delete()
      lists.push(await open('/admin/Play/'))
      await Play.create({ title: 'Hamlet', town: 'east' })
      for (const page of lists) {
        assert.equal(page.text.includes(`href="${LIST}"`), isOffered, place)
      }
      const isAdded = isOffered && actions.includes('create')
      assert.equal(wordsOf(lists[2]).includes('Add the first play or import a file'), isAdded)
    }
    assert.isEmpty(await db.from('admin_imports'))
  })

  test('[B9, D3] a cross-site form uploads nothing', async ({ assert }) => {
    const file = { name: 'a.csv', content: HEADING }
    const foreign: Array<Record<string, string>> = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'http://evil.test' },
    ]
    for (const headers of foreign) {
      const response = await upload('Play', file, { cookie, ...headers })
      assert.equal(response.status, 403)
    }
    assert.isEmpty(await db.from('admin_imports'))
  })

  test("[D3] the preview page explains why the import can't be started", async ({ assert }) => {
    const url = await begin(`${HEADING},Lear,west,Swan`)
    const early = await send(`${url}/run`)
    assert.equal(early.headers.get('location'), url)
    assert.isEmpty(await db.from('admin_jobs'))
    await choose(url, ['', 'title', 'town', 'stage_id:title'])
    const dryRun = wordsOf(await open(url))
    assert.include(dryRun, 'There is nothing to import')
    assert.notMatch(dryRun, /Import \d+ row/)
    const response = await send(`${url}/run`)
    assert.equal(response.status, 409)
    assert.match(response.text, /id="import-error" role="alert">[^<]{10,}</)
    assert.isEmpty(await db.from('admin_jobs'))
  })
})
