import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { PermissionsDocument } from '#admin'
import { CORRECTIONS_MAX } from '#admin/import/corrections'
import { cookiesOf, makeUser, sendForm } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { beginImport, chooseColumns } from '#tests/helpers/import_forms'
import { its } from '#tests/helpers/its'
import { withJobs } from '#tests/helpers/job_group'
import { untilJob, work } from '#tests/helpers/jobs'
import { makeRole } from '#tests/helpers/roles'
import { Play, Stage } from '#tests/fixtures/stages'

const COLUMNS = ['title', 'town', 'stage_id:title', 'stamped']
const HEADING = 'title,town,stage,stamped\r\n'

const wordsOf = ({ text }: { text: string }) =>
  text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

/** The controls of cells in a page, by name: their type and their value */
function controlsIn({ text }: { text: string }): Record<string, string> {
  const tags = text.matchAll(
    /<(input|select|textarea)\b[^>]* name="(cell[^"]+)"([^>]*)>([^]*?)(?=<\/(?:select|textarea|td)>)/g
  )
  return Object.fromEntries(
    [...tags].map(([, tag, name, attributes, content]) => {
      const value =
        tag === 'input'
          ? / value="([^"]*)"/.exec(attributes)?.[1]
          : tag === 'select'
            ? / value="([^"]*)" selected/.exec(content)?.[1]
            : content.replace(/^\n/, '')
      return [name, `${tag} ${value ?? ''}`]
    })
  )
}

test.group('Admin | corrections of an import', (group) => {
  let cookie: string
  let globe: Stage

  const common = withJobs(group, ['admin_imports', 'play_tickets', 'plays', 'stages'])
  group.each.setup(async () => {
    globe = await Stage.create({ name: 'Globe', town: 'east' })
    cookie = common.cookie
  })

  const open = (path: string) => get(path, { headers: { cookie } })
  const send = (path: string, fields: Record<string, string> = {}, headers = {}) =>
    sendForm(path, fields, { cookie, ...headers })

  /** Previews a file, and returns the URL of the import. */
  async function preview(rows: string): Promise<string> {
    const url = await beginImport('Play', HEADING + rows, cookie)
    await chooseColumns(url, COLUMNS, cookie)
    return url
  }

  async function signInWith(permissions: PermissionsDocument) {
    await makeRole('Clerk', permissions)
    cookie = await cookiesOf(await makeUser('ann', { isSuperuser: false, roles: ['Clerk'] }))
  }

  async function stored(): Promise<unknown> {
    const { shape } = await db.from('admin_imports').orderBy('id', 'desc').firstOrFail()
    return (typeof shape === 'string' ? JSON.parse(shape) : shape).corrections
  }

  test('[D3.27] invalid cells are corrected on the page of the preview, checked again and imported', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    const url = await preview(
      'Macbeth,west,Globe,yes\r\nLear,west,Swan,perhaps\r\n,east,Globe,no\r\n'
    )
    const first = await open(url)
    assert.deepEqual(controlsIn(first), {
      'cell.3.2': 'input Swan',
      'cell.3.3': 'select perhaps',
      'cell.4.0': 'input ',
    })
    assert.include(first.text, 'aria-label="Stage, line 3"')
    assert.match(wordsOf(first), /3 Lear Stage/)

    const fields = { 'cell.3.2': 'Globe', 'cell.3.3': 'true', 'cell.4.0': '' }
    const checked = await send(`${url}/corrections`, fields)
    assert.equal(checked.status, 303)
    assert.equal(checked.headers.get('location'), url)
    assert.deepEqual(await stored(), { 3: { 2: 'Globe', 3: 'true' } })
    assert.equal(await Play.query().first(), null)

    for (const page of [await open(url), await open(url)]) {
      assert.match(wordsOf(page), /New 2 Changed 0 Unchanged 0 Invalid 1 /)
      assert.include(wordsOf(page), '2 corrected values')
      assert.deepEqual(controlsIn(page), {
        'cell.4.0': 'input ',
        'cell.3.2': 'input Globe',
        'cell.3.3': 'select true',
      })
    }
    const { text } = await open(`${url}/faulty`)
    assert.match(text, /^title,town,stage,stamped,[^\r\n]+\r\n,east,Globe,no,[^\r\n]+\r\n$/)

    const run = await send(`${url}/run`, { skip_faulty: '1', ...fields })
    const job = await untilJob(Number(/\d+$/.exec(run.headers.get('location')!)))
    assert.containSubset(job.result, { created: 2, skipped: 1 })
    const lear = await Play.findByOrFail('title', 'Lear')
    assert.equal(lear.stageId, globe.id)
    assert.isTrue(Boolean(lear.stamped))
  })

  test('[D3.27] a correction is invalid like a cell, and can be corrected again or discarded', async ({
    assert,
  }) => {
    const url = await preview('Lear,west,Swan,\r\nMacbeth,west,Globe,\r\n')
    await send(`${url}/corrections`, { 'cell.2.2': 'Rose <b>' })
    const again = await open(url)
    assert.deepEqual(controlsIn(again), { 'cell.2.2': 'input Rose &lt;b&gt;' })
    assert.match(wordsOf(again), /There is no stage called Rose/)
    assert.notInclude(again.text, 'corrected value')
    await send(`${url}/corrections`, { 'cell.2.2': 'Globe' })
    assert.include(wordsOf(await open(url)), 'Invalid 0')
    await send(`${url}/corrections`, { 'cell.2.2': 'Globe', 'reset': '1' })
    assert.isUndefined(await stored())
    assert.deepEqual(controlsIn(await open(url)), { 'cell.2.2': 'input Swan' })
  })

  test('[D3.27] without corrections, *Check again* validates against the current records', async ({
    assert,
  }) => {
    const url = await preview('Lear,west,Swan,\r\n')
    await Stage.create({ name: 'Swan', town: 'west' })
    await send(`${url}/corrections`, { 'cell.2.2': 'Swan' })
    assert.include(wordsOf(await open(url)), 'New 1 Changed 0 Unchanged 0 Invalid 0')
    assert.isUndefined(await stored())
  })

  test('[D3.27] characters that the browser alters when it shows a text do not count as a correction', async ({
    assert,
  }) => {
    const odd = `${'x'.repeat(90)}\r\n y \u0000`
    const url = await preview(`"${odd}",west,,\r\n`)
    const page = await open(url)
    assert.match(controlsIn(page)['cell.2.0'], /^textarea x+\r?\n y /)
    await send(`${url}/corrections`, { 'cell.2.0': odd.replace('\u0000', '\ufffd') })
    assert.isUndefined(await stored())
    await send(`${url}/corrections`, { 'cell.2.0': 'two\r\nlines' })
    assert.deepEqual(await stored(), { 2: { 0: 'two\nlines' } })
  })

  test('[D3.27] corrections are retained when columns are mapped again, and discarded when the file is parsed again', async ({
    assert,
  }) => {
    const url = await preview('Lear,west,Swan,\r\n')
    await send(`${url}/corrections`, { 'cell.2.2': 'Globe' })
    await chooseColumns(url, ['title', 'town', 'stage_id:title', ''], cookie)
    assert.include(wordsOf(await open(url)), 'Invalid 0')
    await chooseColumns(url, ['title', 'town', '', ''], cookie)
    const without = await open(url)
    assert.include(wordsOf(without), 'Invalid 0')
    assert.deepEqual(controlsIn(without), {})
    await send(`${url}/reread`, { encoding: 'utf-8', delimiter: ',' })
    await chooseColumns(url, COLUMNS, cookie)
    assert.deepEqual(controlsIn(await open(url)), { 'cell.2.2': 'input Swan' })
  })

  test('[D3.27] an invalid value of an enum is corrected by selecting a label', async ({
    assert,
  }) => {
    const url = await beginImport('Mooring', 'name,state\r\nQuay,<i>gone</i>\r\n', cookie)
    await chooseColumns(url, ['name', 'state'], cookie)
    const page = await open(url)
    const [select] = /<select[^>]* name="cell.2.1"[^]*?<\/select>/.exec(page.text)!
    const options = [...select.matchAll(/<option value="([^"]*)"\s*(selected)?\s*>([^<]*)</g)]
    assert.deepEqual(
      options.map(([, value, selected = '', label]) => value + selected + label),
      [
        '—',
        'in_progressIn &lt;b&gt;progress&lt;/b&gt;',
        'donedone',
        'lostLost at sea',
        '&lt;i&gt;gone&lt;/i&gt;selected&lt;i&gt;gone&lt;/i&gt;',
      ]
    )
    await send(`${url}/corrections`, { 'cell.2.1': 'lost' })
    assert.include(wordsOf(await open(url)), 'New 1 Changed 0 Unchanged 0 Invalid 0')
  })

  test('[D3.28] a run with corrections that were not checked writes nothing, and checks them instead', async ({
    assert,
  }) => {
    const url = await preview('Macbeth,west,Globe,\r\nLear,west,Swan,\r\n')
    const run = await send(`${url}/run`, { 'skip_faulty': '1', 'cell.3.2': 'Globe' })
    assert.equal(run.status, 303)
    assert.equal(run.headers.get('location'), url)
    assert.isEmpty(await db.from('admin_jobs'))
    assert.include(wordsOf(await open(url)), 'New 2 Changed 0 Unchanged 0 Invalid 0')
  })

  test('[D3.28] corrections of cells that the preview does not list as invalid are ignored', async ({
    assert,
  }) => {
    const url = await preview('Macbeth,west,Globe,\r\nLear,west,Swan,\r\n')
    const names = ['cell.2.0', 'cell.3.0', 'cell.3.9', 'cell.1.2', 'cell.3.__proto__', 'cell.3.2.0']
    const fields = Object.fromEntries(names.map((name) => [name, 'Changed']))
    await send(`${url}/corrections`, { ...fields, 'cell.3.2': 'Globe' })
    assert.deepEqual(await stored(), { 3: { 2: 'Globe' } })
  })

  test('[D3.28] corrections that are too long or too many are refused, and the page preserves the input', async ({
    assert,
  }) => {
    const url = await preview('Lear,west,Swan,\r\n')
    const long = 'y'.repeat(1001)
    const refused = await send(`${url}/corrections`, { 'cell.2.2': long })
    assert.equal(refused.status, 422)
    assert.include(wordsOf(refused), 'The value in line 2 exceeds 1,000 characters')
    assert.equal(controlsIn(refused)['cell.2.2'], `textarea ${long}`)
    assert.isUndefined(await stored())

    const { shape } = await db.from('admin_imports').firstOrFail()
    const corrections = {
      900: Object.fromEntries(Array.from({ length: CORRECTIONS_MAX }, (_, at) => [at, 'x'])),
    }
    const full = { ...JSON.parse(shape), corrections }
    await db.from('admin_imports').update({ shape: JSON.stringify(full) })
    const beyond = await send(`${url}/corrections`, { 'cell.2.2': 'Globe' })
    assert.equal(beyond.status, 422)
    assert.include(beyond.text, 'at most 500 corrected values')
    assert.deepEqual(await stored(), corrections)
  })

  test('[D3.28] only the owner of an import can correct cells; superusers see the cells of other users as text', async ({
    assert,
  }) => {
    const boss = cookie
    await signInWith({
      Play: { actions: ['view', 'create', 'import'], hidden: ['stamped'] },
      Stage: { actions: ['view'] },
    })
    const url = await beginImport('Play', `${HEADING}Lear,west,Swan,\r\n`, cookie)
    await chooseColumns(url, ['title', 'town', 'stage_id:title', ''], cookie)
    const own = await open(url)
    assert.deepEqual(controlsIn(own), { 'cell.2.2': 'input Swan' })
    cookie = boss
    const theirs = await open(url)
    assert.deepEqual(controlsIn(theirs), {})
    assert.match(wordsOf(theirs), /Stage( id)? Swan There is no/)
    for (const action of ['corrections', 'run']) {
      const response = await send(`${url}/${action}`, { 'cell.2.2': 'Globe' })
      assert.equal(response.status, 404, action)
    }
    cookie = await cookiesOf(await makeUser('eve', { isSuperuser: false }))
    assert.equal(await its(send(`${url}/corrections`, { 'cell.2.2': 'Globe' }), 'status'), 404)
    const foreign = { 'sec-fetch-site': 'cross-site', 'origin': 'https://evil.example' }
    assert.equal(await its(send(`${url}/corrections`, {}, foreign), 'status'), 403)
    assert.isUndefined(await stored())
  })

  test("[D3.28] an import can't be corrected while its job runs or after it has written rows", async ({
    assert,
    cleanup,
  }) => {
    const url = await preview('Macbeth,west,Globe,\r\nLear,west,Swan,\r\n')
    const run = await send(`${url}/run`, { skip_faulty: '1' })
    const busy = await send(`${url}/corrections`, { 'cell.3.2': 'Globe' })
    assert.equal(busy.status, 422)
    assert.include(busy.text, 'This import is running')
    cleanup(await work())
    await untilJob(Number(/\d+$/.exec(run.headers.get('location')!)))
    const done = await send(`${url}/corrections`, { 'cell.3.2': 'Globe' })
    assert.equal(done.status, 422)
    assert.isUndefined(await stored())
  })
})
