import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { Play, Stage } from '#tests/fixtures/stages'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { getList, textOf, unescape } from '#tests/helpers/list_page'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

test.group('Admin | list | explain', (group) => {
  group.tap((one) => one.tags(['@dialect', '@database']))
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    const globe = await Stage.create({ name: 'Globe', town: 'east' })
    for (const [title, town, secret, isDeleted] of [
      ['Hamlet', 'east', 'crown', false],
      ['Macbeth', 'west', 'dagger', false],
      ['Othello', 'east', 'dagger', false],
      ['Tempest', 'east', null, true],
    ] as const) {
      await Play.create({ title, town, secret, isDeleted, stageId: globe.id })
    }
    return () => restoreRoles()
  })

  const superuser = async () => await cookiesOf(await makeUser('ada'))

  async function member(name: string, entry: object) {
    await makeRole(`Role of ${name}`, { Play: entry as any })
    return await cookiesOf(await makeUser(name, { isSuperuser: false, roles: [`Role of ${name}`] }))
  }

  const explain = (cookie: string, query = '') =>
    get(`/admin/Play/explain?${query}`, { headers: { cookie, accept: 'text/html' } })

  /** The steps as `TEXT: COUNT`. */
  const stepsIn = (text: string) => {
    const [, table] = /<table class="explain-steps">(.*?)<\/table>/s.exec(text)!
    const rows = [...table.matchAll(/<td[^>]*>(.*?)<\/td>\s*<td[^>]*>(.*?)<\/td>/gs)]
    return rows.map(([, step, count]) => `${textOf(step)}: ${textOf(count)}`)
  }

  test('[G6] the page Explain lists each restriction of the list, with the number of records that remain after it', async ({
    assert,
  }) => {
    const cookie = await superuser()
    const query =
      'q=e&filter.any.1.town=east&filter.any.1.title=Macbeth&filter.not.secret=crown&filter.nothing=1'
    const { status, text } = await explain(cookie, query)
    assert.equal(status, 200)
    assert.deepEqual(stepsIn(text), [
      'All plays: 4',
      'Deleted records are left out: 3',
      'All columns are searched for “e”: 3',
      'Any of: Town is east or Title is Macbeth: 3',
      'Secret is not crown: 2',
      'The filter “filter.nothing=1” is ignored: there is no such filter.: Ignored',
    ])
    const plain = await explain(cookie)
    assert.deepEqual(stepsIn(plain.text), ['All plays: 4', 'Deleted records are left out: 3'])
    const deleted = await explain(cookie, 'deleted=only')
    assert.deepEqual(stepsIn(deleted.text), ['All plays: 4', 'Only deleted records are shown: 1'])
  })

  test('[G6.3] a negated filter shows how many records without a value it omits, with a link that includes them', async ({
    assert,
  }) => {
    const cookie = await superuser()
    await Play.create({ title: 'Lear', town: 'east', secret: null, stageId: null })
    const { text } = await explain(cookie, 'filter.not.secret=crown')
    const note = '1 record without a value is left out, too. Include them'
    assert.equal(stepsIn(text).at(-1)!.replace(/\s+/g, ' '), `Secret is not crown ${note}: 2`)
    const [, url] = /<a href="([^"]*)">Include them/.exec(text)!
    const whole = await getList(cookie, unescape(url))
    assert.include(whole.text, '3 found')
    const bar = await getList(cookie, '/admin/Play/?filter.not.secret=crown')
    assert.include(bar.text, 'Edit: Secret is not crown (Records without a value are left out.)')
    for (const query of [
      'filter.secret=crown',
      'filter.not.secret__is=null',
      'filter.not.secret__ne=crown',
    ]) {
      const other = await explain(cookie, query)
      assert.notInclude(other.text, 'without a value')
    }
  })

  test('[G6] the last number on Explain equals the total of the list, and the list links to Explain', async ({
    assert,
  }) => {
    const cookie = await superuser()
    const { text } = await getList(cookie, '/admin/Play/?filter.town=east&sort_by=title')
    const [, url] = /id="explain-list" href="([^"]*)"/.exec(text)!
    const page = await get(unescape(url), { headers: { cookie } })
    assert.deepEqual(stepsIn(page.text).at(-1), 'Town is east: 2')
    assert.include(text, '2 found')
  })

  test('[G6] superusers see the SQL statement with placeholders, its values and the query plan', async ({
    assert,
  }) => {
    const { text } = await explain(await superuser(), 'filter.title=%3Cb%3E&sort_by=town')
    const [plan, sql] = [...text.matchAll(/<pre class="explain-code"[^>]*>(.*?)<\/pre>/gs)].map(
      ([, code]) => unescape(code)
    )
    assert.match(
      sql,
      /^select .*\nfrom .plays.\nwhere .*title. .*\?.*\norder by .*town.*\nlimit /is
    )
    assert.notInclude(sql, '<b>')
    assert.include(text, '&lt;b&gt;')
    assert.notInclude(text, '<b>')
    assert.match(plan, /plays/)
    assert.isNotEmpty(plan.trim())
  })

  test('[G6, U2] scopes of roles are named, and records outside of them are not counted', async ({
    assert,
  }) => {
    const cookie = await member('bob', { actions: ['view'], scopes: ['east'] })
    const { text } = await explain(cookie, 'filter.secret=dagger')
    assert.deepEqual(stepsIn(text), [
      'All plays: Not counted',
      'Your roles limit the records to: “east”: 3',
      'Deleted records are left out: 2',
      'Secret is dagger: 1',
    ])
    assert.notInclude(text, 'explain-code')
  })

  test('[G6, U2] a scope that needs a missing attribute of the user is shown with that attribute and includes no records', async ({
    assert,
  }) => {
    const cookie = await member('bob', { actions: ['view'], scopes: ['ownTown'] })
    const { text } = await explain(cookie)
    assert.deepEqual(stepsIn(text), [
      'All plays: Not counted',
      'Your roles limit the records to: “ownTown”: Not counted',
      'The scope “ownTown” includes no records, as your account has no value for “Town”: 0',
      'Deleted records are left out: 0',
    ])
  })

  test('[G6, U6] the banner of a viewed role names the attribute that its scopes need and the superuser does not have', async ({
    assert,
  }) => {
    const { id } = await makeRole('Usher', { Play: { actions: ['view'], scopes: ['ownTown'] } })
    const ada = await makeUser('ada')
    const cookie = await cookiesOf(ada)
    await sendForm(`/admin/AdminRole/view_as/${id}`, '', { cookie })
    const lacking = await get('/admin/Play/', { headers: { cookie } })
    assert.include(
      lacking.text,
      'Your account has no value for “Town”, so scopes of Plays that need it include no records.'
    )
    await ada.merge({ attributes: { town: 'east' } as object }).save()
    const { text } = await get('/admin/Play/', { headers: { cookie } })
    assert.include(text, 'You see the site as the role Usher')
    assert.notInclude(text, 'has no value for')
  })

  test('[G6, U3] Explain does not mention columns that the user cannot view', async ({
    assert,
  }) => {
    const cookie = await member('kim', { actions: ['view'], hidden: ['secret'] })
    for (const query of ['', 'filter.any.1.title=Hamlet', 'q=crown']) {
      const page = await explain(cookie, query)
      assert.notInclude(page.text, 'ecret', query)
    }
    const searched = await explain(cookie, 'q=crown')
    assert.include(stepsIn(searched.text), 'All columns are searched for “crown”: 0')
    const { text } = await explain(cookie, 'filter.secret=crown')
    assert.deepEqual(stepsIn(text), [
      'All plays: 4',
      'Deleted records are left out: 3',
      'The filter “filter.secret=crown” is ignored: there is no such filter, or your roles do not include the field.: Ignored',
    ])
  })

  test('[G6, U4] users who cannot view the model get a 404, and viewing as a role hides the statement', async ({
    assert,
  }) => {
    await makeRole('Stagehand', { Stage: { actions: ['view'] } })
    const other = await cookiesOf(
      await makeUser('sam', { isSuperuser: false, roles: ['Stagehand'] })
    )
    const refused = await explain(other)
    assert.equal(refused.status, 404)
    const usher = await makeRole('Usher', { Play: { actions: ['view'], hidden: ['secret'] } })
    const viewing = await superuser()
    await sendForm(`/admin/AdminRole/view_as/${usher.id}`, '', { cookie: viewing })
    const { text } = await explain(viewing)
    assert.include(text, 'All plays')
    assert.notInclude(text, 'explain-code')
  })

  test('[G6] reading the query plan of a list does not prevent any connection from seeing later writes', async ({
    assert,
  }) => {
    const cookie = await superuser()
    for (let turn = 1; turn <= 6; turn++) {
      const { text } = await explain(cookie)
      assert.include(text, 'explain-code')
      await Play.create({ title: `Play ${turn}`, town: 'east', isDeleted: false })
      const page = await get('/admin/Play/table-content', { headers: { cookie } })
      assert.include(page.text, `Play ${turn}`)
    }
  })

  test('[G6] htmx receives only the content of Explain, for the dialog of the list', async ({
    assert,
  }) => {
    const headers = { 'cookie': await superuser(), 'hx-request': 'true' }
    const { text } = await get('/admin/Play/explain', { headers })
    assert.notInclude(text, '<html')
    assert.include(text, 'id="panel-heading"')
  })
})
