import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { Play } from '#tests/fixtures/stages'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'
import { get } from '#tests/helpers/http'
import { tagsOf } from '#tests/helpers/list_page'
import { someOf } from '#tests/helpers/random_runs'

/** Pages that take the query of a list, and the search of the site */
const DOORS = [
  'Play/',
  'Play/get_model_list',
  'Play/table-content',
  'Play/facets',
  'Play/filter',
  'Play/columns',
  'Play/views/new',
  'Play/cards/new',
  'search',
]

const NAMES = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', '__proto__.polluted'],
  '"><script>evil()</script>',
  '" hx-evil="1" onclick="evil()',
  'title; drop table plays; --',
  "title' or '1'='1",
  'title\0',
  '{{ 7 * 7 }}@if(true)',
  '\u202Eeltit',
  'x'.repeat(3000),
]

/* As they are in an address: bytes that are not UTF-8, halves of escapes, lists and objects */
const RAW = [
  ...['%00', '%', '%zz', '%C0%AF', '%ED%A0%80', '%FF%FE'],
  ...['a%00b', '..%2f..%2f', '%u0000', '%0d%0aset-cookie:%20x=1'],
]

const PARAMETERS = [
  ...['q', 'view', 'columns', 'sort_by', 'sort_order', 'page', 'rows-per-page'],
  ...['column-to-search', 'search-input', 'search', 'deleted', 'add.column', 'add.operator'],
  ...['filter.title', 'filter.title__or', 'filter.title__in', 'filter.id__between', 'filter.id'],
]

/** Many parameters in one request are as many attacks. */
function* queries(): Generator<string> {
  for (const value of [...NAMES.map(encodeURIComponent), ...RAW]) {
    const all = PARAMETERS.map((name) => `${name}=${value}`)
    yield all.join('&').slice(0, 12_000)
    const names = [`filter.${value}=1`, `filter.title__${value}=1`, `${value}=1`]
    yield [...names, `columns=title,${value}`, `sort_by=title,${value}`].join('&')
  }
  const nested = PARAMETERS.flatMap((name) => [
    `${name}[]=1`,
    `${name}[a][b]=1`,
    `${name}[__proto__][polluted]=1`,
  ])
  yield nested.join('&')
  yield PARAMETERS.flatMap((name) => [`${name}=1`, `${name}=2`]).join('&')
}

test.group('Attacks | list queries', (group) => {
  let cookie: string

  group.tap((one) => one.tags(['@database']))
  group.tap((one) => one.timeout(60_000))
  group.setup(() => fakeHashes())
  group.setup(async () => {
    await emptyAdminTables()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    await Play.create({ title: 'Hamlet', town: 'east', secret: 'QZX', note: 'n' })
    cookie = await cookiesOf(await makeUser('ada'))
  })

  test('[L1, L5, L6] names and values with markup are escaped on every page of the list: {$self}')
    .with(DOORS)
    .run(async ({ assert, cleanup }, door) => {
      const log = captureLog(cleanup)
      for (const [index, query] of someOf([...queries()], 3, DOORS.indexOf(door)).entries()) {
        const where = `${door}?${query.slice(0, 100)}`
        /* As a page, and as a part of one */
        const part = index % 2 === 1 && { 'hx-request': 'true' }
        const { status, text } = await get(`/admin/${door}?${query}`, {
          headers: { cookie, ...part },
        })
        assert.isTrue(status === 200 || (status >= 400 && status < 500), `${status} ${where}`)
        assert.isBelow(text.length, 1_000_000, where)
        const bare = tagsOf(text).map((tag) => tag.replace(/"[^"]*"/g, ''))
        const broken = bare.filter((tag) => / (onclick|hx-evil)=|^<script>/.test(tag))
        assert.isEmpty(broken, where)
        assert.notInclude(text, '49@if', where)
      }
      assert.notProperty({}, 'polluted')
      const errors = log().filter(({ level }) => level >= ERROR_LEVEL)
      assert.deepEqual(
        errors.map(({ msg, err }) => [msg, err]),
        []
      )
      assert.lengthOf(await db.from('plays'), 1)
    })
})
