import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { BaseModel, column, hasMany, manyToMany } from '@adonisjs/lucid/orm'
import { ModelView } from '#admin/views/model_view'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { Play, Stage } from '#tests/fixtures/stages'
import { formOf } from '#tests/helpers/forms'
import { get, urlOf } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { unescape } from '#tests/helpers/list_page'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

test.group('Admin | lists of referring records', (group) => {
  let stage: Stage
  let other: Stage
  let boss: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    stage = await Stage.create({ name: 'Globe', town: 'east' })
    other = await Stage.create({ name: 'Rose', town: 'west' })
    boss = await cookiesOf(await makeUser('jo'))
    return () => restoreRoles()
  })

  const open = (path: string, cookie = boss, headers: Record<string, string> = {}) =>
    get(path, { headers: { accept: 'text/html', cookie, ...headers } })
  const related = ({ id }: { id: number } = stage) => `/admin/Stage/related/plays/${id}`
  const part = { 'hx-request': 'true' }
  const makePlays = (count: number, values: Partial<Play> = {}) =>
    Play.createMany(
      Array.from({ length: count }, (_, index) => ({
        title: `Play ${String(index + 1).padStart(2, '0')}`,
        town: 'east',
        stageId: stage.id,
        ...values,
      }))
    )
  const titlesIn = (text: string) =>
    [...text.matchAll(/<th scope="row"[^>]*>(?:<a[^>]*>)?([^<]*)/g)].map(([, title]) => title)
  const linkIn = (text: string, pattern: RegExp) => unescape(pattern.exec(text)?.[1] ?? '')
  async function enter(permissions: Parameters<typeof makeRole>[1]) {
    await makeRole('Some', permissions)
    return await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Some'] }))
  }

  test('[R4] form and page of a record load its related lists after the page itself', async ({
    assert,
  }) => {
    for (const page of ['update', 'view']) {
      const { text } = await open(`/admin/Stage/${page}/${stage.id}`)
      const section = /<section class="related".*?<\/section>/s.exec(text)![0]
      assert.include(section, `hx-get="${related()}" hx-trigger="load"`)
      assert.include(section, `href="${related()}"`)
      assert.include(section, 'Plays')
    }
    assert.notInclude(await its(open('/admin/Stage/create_page'), 'text'), 'class="related"')
  })

  test('[R4] a related list contains the records that refer to the record, with their count, pages and sorting', async ({
    assert,
  }) => {
    await makePlays(12)
    await makePlays(1, { title: 'Elsewhere', stageId: other.id })
    await makePlays(1, { title: 'Gone', isDeleted: true })
    const first = await open(`${related()}?sort_by=title&sort_order=asc`, boss, part)
    assert.equal(first.status, 200)
    assert.notInclude(first.text, '<html')
    assert.include(first.text, '12 records')
    assert.deepEqual(titlesIn(first.text).slice(0, 2), ['Play 01', 'Play 02'])
    assert.lengthOf(titlesIn(first.text), 10)
    const next = linkIn(first.text, /rel="next"[^>]*|href="([^"]*)"[^>]*rel="next"/)
    const url = linkIn(first.text, /href="([^"]*page=2[^"]*)"/)
    assert.isTrue(url.startsWith(related()), next)
    const second = await open(url, boss, part)
    assert.deepEqual(titlesIn(second.text), ['Play 11', 'Play 12'])
    const heading = linkIn(second.text, /id="related-plays-sort-title" href="([^"]*)"/)
    const sorted = await open(heading, boss, part)
    assert.equal(titlesIn(sorted.text)[0], 'Play 12')
    assert.notMatch(second.text, /name="ids"|Stage_id|>Stage</)
  })

  test('[R4] no query parameter adds records of other parents to a related list', async ({
    assert,
  }) => {
    await makePlays(1)
    await makePlays(1, { title: 'Elsewhere', stageId: other.id })
    for (const query of [
      `filter.stage_id=${other.id}`,
      `filter.stage_id__or=${stage.id},${other.id}`,
      'deleted=include&view=all&q=Elsewhere&columns=title',
    ]) {
      const { text } = await open(`${related()}?${query}`, boss, part)
      assert.deepEqual(titlesIn(text), ['Play 01'], query)
    }
  })

  test('[R4] without JavaScript a related list is a page, with links back to the record and to the whole list', async ({
    assert,
  }) => {
    await makePlays(1)
    const { text } = await open(related())
    assert.include(text, '<html')
    assert.include(text, `href="/admin/Stage/update/${stage.id}"`)
    const all = linkIn(text, /href="(\/admin\/Play\/\?[^"]*)"/)
    assert.equal(all, `/admin/Play/?filter.stage_id=${stage.id}`)
    assert.deepEqual(titlesIn(await its(open(all), 'text')), ['Play 01'])
  })

  test('[R4] Add fills in the reference, and saving returns to the record', async ({ assert }) => {
    const { text } = await open(related(), boss, part)
    assert.include(text, 'None yet.')
    const add = linkIn(text, /href="([^"]*create_page[^"]*)"/)
    const page = await open(add)
    const form = formOf(page.text)
    assert.match(page.text, new RegExp(`<option value="${stage.id}" selected`))
    assert.match(page.text, /class="back-link"[^>]*>[^<]*<svg.*?<\/svg>\s*Back to Globe/s)
    const refused = await sendForm(unescape(form.action), { town: 'east' }, { cookie: boss })
    assert.equal(refused.status, 422)
    const again = unescape(formOf(refused.text).action)
    const values = { title: 'Faust', town: 'east', stage_id: String(stage.id) }
    const done = await sendForm(again, values, { cookie: boss })
    assert.equal(done.status, 303)
    assert.equal(done.headers.get('location'), `/admin/Stage/update/${stage.id}#related-plays`)
    assert.equal(await its(Play.findByOrFail('title', 'Faust'), 'stageId'), stage.id)
  })

  test('[R4] a form that was opened from a related list leads back to the record with that list', async ({
    assert,
  }) => {
    const [play] = await makePlays(1)
    const page = `/admin/Play/update/${play.id}`
    const { text } = await open(page, boss, { referer: urlOf(`/admin/Stage/update/${stage.id}`) })
    const back = `/admin/Stage/update/${stage.id}#related-plays`
    assert.include(text, `class="back-link" href="${back}"`)
    const fields = { title: 'New' }
    const done = await sendForm(unescape(formOf(text).action), fields, { cookie: boss })
    assert.equal(done.headers.get('location'), back)
    const wrong = [
      'Stage/99999',
      'Nonsense/1',
      'Stage',
      '/admin/logout',
      'Stage/1/../../logout',
      '%00/1',
    ]
    for (const name of [...wrong, '//elsewhere.test/1', `Stage/${'1'.repeat(5000)}`]) {
      const address = `${page}?_parent=${encodeURIComponent(name)}`
      const shown = await open(address)
      assert.equal(shown.status, 200, name)
      assert.include(shown.text, 'class="back-link" href="/admin/Play/"', name)
    }
  })

  test('[R4] query parameters fill in fields of the create form only', async ({ assert }) => {
    const { text } = await open(
      '/admin/Play/create_page?title=Lear&is_deleted=1&id=7&nonsense=%3Cb%3E'
    )
    const { values } = formOf(text)
    assert.equal(values.title, 'Lear')
    assert.notInclude(text, '<b>')
    const user = await open('/admin/AdminUser/create_page?username=eve&is_superuser=true')
    assert.notMatch(user.text, /value="eve"/)
    assert.notMatch(user.text, /name="is_superuser"[^>]*checked/)
    const cookie = await enter({ Play: { actions: ['*'], readonly: ['note'] } })
    const seen = await open('/admin/Play/create_page?note=QZX&title=Lear', cookie)
    assert.notMatch(seen.text, /value="QZX"/)
  })

  test('[R4, U4] roles determine which related lists are shown, and what they contain', async ({
    assert,
  }) => {
    await makePlays(1, { title: 'West', town: 'west' })
    await makePlays(1)
    const page = `/admin/Stage/view/${stage.id}`
    const view = { actions: ['view'] }
    const cases: Array<[Parameters<typeof makeRole>[1], string[] | null]> = [
      [{ Stage: view, Play: view }, ['Play 01', 'West']],
      [{ Stage: view, Play: { ...view, scopes: ['east'] } }, ['Play 01']],
      [{ Stage: view }, null],
      [{ Stage: view, Play: { ...view, hidden: ['stage_id'] } }, null],
    ]
    for (const [permissions, titles] of cases) {
      const cookie = await enter(permissions)
      const { text } = await open(page, cookie)
      assert.equal(text.includes(related()), titles !== null)
      const list = await open(related(), cookie, part)
      assert.equal(list.status, titles ? 200 : 404)
      if (titles) assert.sameMembers(titlesIn(list.text), titles)
      assert.notInclude(list.text, 'create_page')
      await db.from('admin_users').where('username', 'kim').delete()
      await restoreRoles()
    }
    const outside = await enter({ Stage: { actions: ['view'], scopes: [] }, Play: view })
    assert.equal(await its(open(related(), outside, part), 'status'), 404)
  })

  test('[R4] the option related determines which relations have a list', async ({ assert }) => {
    class Actor extends BaseModel {
      @column({ isPrimary: true })
      declare id: number
    }
    class Troupe extends BaseModel {
      @column({ isPrimary: true })
      declare id: number

      @hasMany(() => Actor)
      declare actors: any

      @hasMany(() => Actor, { onQuery: (query) => void query.where('id', 1) })
      declare firsts: any

      @manyToMany(() => Actor)
      declare guests: any
    }
    Troupe.boot()
    const databaseConfig = await its(adminSite(), 'dbConfig')
    const make = (names: string[]) =>
      new ModelView({ model: Troupe, databaseConfig, related: names })
    assert.deepEqual([...make(['actors']).options.related!], ['actors'])
    assert.throws(() => make(['nonsense']), /related names 'nonsense', which is not a hasMany/)
    assert.throws(() => make(['guests']), /related names 'guests', which is not a hasMany/)
    assert.throws(() => make(['firsts']), /related names 'firsts', whose onQuery/)
  })
})
