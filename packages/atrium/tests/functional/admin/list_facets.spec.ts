import { test } from '@japa/runner'
import testUtils from '@adonisjs/core/services/test_utils'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { guardOf } from '#admin/identity/admin_guard'
import type { AdminSite, AdminUser, AdminViewOptions, PermissionsDocument } from '#admin'
import { LucidCrud, Problem, resources } from '#crud'
import { ListRequest, pageOf } from '#crud/internals'
import { facetColumns } from '#admin/list/filters/filter_bar'
import { facetsOf, type Facet } from '#admin/list/filters/facet_values'
import { ListParameters } from '#admin/list/list_parameters'
import { ModelView } from '#admin/views/model_view'
import { Artefact } from '#tests/fixtures/list_views'
import { Specimen } from '#tests/fixtures/lists'
import { Play, Stage } from '#tests/fixtures/stages'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { onSqlite } from '#tests/helpers/databases'
import { get } from '#tests/helpers/http'
import { getList, textOf, unescape } from '#tests/helpers/list_page'
import { toParameter, toQuery } from '#tests/helpers/memory_list'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'
import { makeRole, restoreRoles } from '#tests/helpers/roles'
import { anyRule, specimen } from '#tests/helpers/specimen_rules'

const NONE: ReadonlySet<string> = new Set()

/** A request of a signed-in user. */
async function requestOf(user: AdminUser): Promise<HttpContext> {
  const ctx = await testUtils.createHttpContext()
  const signedIn = { owner: { isSuperuser: user.isSuperuser, user }, session: {} }
  guardOf(ctx).signedIn = signedIn as any
  return ctx
}

async function viewOf(site: AdminSite, options: Partial<AdminViewOptions> & { model: any }) {
  const { databaseConfig } = site.models.get('Artefact')!
  const view = new ModelView({ databaseConfig, ...options })
  await view.resource.load()
  return view
}

const values = (facet: Facet | undefined) =>
  facet?.values.map(({ label, count }) => `${label} ${count}`)

test.group('Admin | list | facets compared with the lists that they lead to', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.setup(() => fakeHashes())

  test('[L3, L1] the count of a value equals the number of records in the list that it links to', async ({
    assert,
  }) => {
    await emptyAdminTables()
    const ctx = await requestOf(await makeUser('ada'))
    await db.from('specimens').delete()
    await db.table('specimens').multiInsert(fc.sample(specimen, 120))
    const site = await adminSite()
    const facets = ['label', 'shade', 'amount', 'weight', 'fresh', 'day', 'moment', 'clock', 'mark']
    const view = await viewOf(site, { model: Specimen, facets })

    const numberAt = async (url: string) => {
      const { conditions, errors } = ListParameters.read(view, url.split('?')[1] ?? '')
      assert.isEmpty(errors, url)
      const { total_count: total } = await view.crud.getMulti(
        new ListRequest(conditions, [], pageOf(1, 1), 'exclude'),
        {}
      )
      return total
    }
    const rules = fc.array(anyRule, { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(rules, async (filters) => {
        const named = filters.map((filter): [string, string] => {
          const [name, text] = toParameter(filter, NONE)
          return [`filter.${name}`, text]
        })
        const parameters = ListParameters.read(view, toQuery(named))
        for (const facet of await facetsOf(ctx, site, parameters)) {
          assert.isNull(facet.failure)
          const column = view.resource.columns.find(facet.name)!
          const own = parameters.filters.some((filter) => filter.column === column)
          let counted = 0
          for (const { url, count, isActive, label } of facet.values) {
            counted += count
            if (isActive) continue
            assert.isNotNull(url, `${facet.name} ${label}`)
            assert.equal(await numberAt(url!), count, `${facet.name}: ${url}`)
          }
          /* All values together are all records. */
          if (!facet.more) {
            const others = parameters.withoutColumn(column)
            assert.equal(counted, await numberAt(others.url), facet.name)
            if (!own) assert.equal(others.url, parameters.url)
          }
        }
      }),
      { numRuns: runs(40) }
    )
  })

  test('[L3] texts that differ only in case, accents or spaces are counted separately', async ({
    assert,
  }) => {
    await emptyAdminTables()
    const ctx = await requestOf(await makeUser('ada'))
    const site = await adminSite()
    await db.from('specimens').delete()
    const shades = ['red', 'Red', 'réd', 'red ', 'red', '', null]
    await db.table('specimens').multiInsert(shades.map((shade) => ({ shade })))
    const view = await viewOf(site, { model: Specimen, facets: ['shade'] })
    const [facet] = await facetsOf(ctx, site, ListParameters.read(view, ''))
    assert.sameMembers(values(facet)!, [
      'red 2',
      'Red 1',
      'réd 1',
      'red  1',
      '(blank text) 1',
      '(empty) 1',
    ])
    assert.equal(facet.values[0].count, 2)
  })

  test('[L3] application code can count the values of a column', async ({ assert }) => {
    await db.from('specimens').delete()
    await db.table('specimens').multiInsert([5, 5, 7, null].map((amount) => ({ amount })))
    const resource = resources.all().find((one) => one.name === 'Specimen')!
    const crud = new LucidCrud(Specimen).bind(resource)
    const all = new ListRequest([], [], pageOf(1, 10), 'exclude')
    let kinds = 0
    const counted = (number: number) => (kinds = number)
    const two = await crud.countByValue('amount', all, { most: 2, counted })
    assert.equal(kinds, 3)
    assert.lengthOf(two!, 2)
    assert.deepEqual(two![0], { value: 5, count: 2 })
    const newest = await crud.countByValue('amount', all, { most: 2, newest: 3 })
    assert.sameDeepMembers(
      newest!.slice(0, 2).map(({ count }) => count),
      [1, 1]
    )
    assert.isNull(await crud.countByValue('extra', all, { most: 2 }))
    await assert.rejects(() => crud.countByValue('nothing', all, { most: 2 }), /nothing/)
  })
})

test.group('Admin | list | facets', (group) => {
  let cookie: string
  let user: AdminUser
  let site: AdminSite

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    site = await adminSite()
    user = await makeUser('ada')
    cookie = await cookiesOf(user)
    for (const table of ['list_artefacts', 'list_alcoves']) await db.from(table).delete()
    await db.table('list_alcoves').multiInsert([
      { code: 'n/1', name: 'North <wing>' },
      { code: 's', name: 'South' },
    ])
    const rows: Array<[string, boolean | null, string | null, number]> = [
      ['Vase', true, 'n/1', 1],
      ['Cup', true, 's', 2],
      ['Jug', false, 's', 3],
      ['Pot', null, 's', 4],
      ['Urn', null, null, 5],
    ]
    await db.table('list_artefacts').multiInsert(
      rows.map(([name, loan, alcove, visitors]) => ({
        name,
        visitors,
        on_loan: loan,
        alcove_code: alcove,
        insured_for: 7,
      }))
    )
  })

  const page = (query: string, headers = {}, model = 'Artefact') =>
    get(`/admin/${model}/facets?${query}`, { headers: { cookie, accept: 'text/html', ...headers } })

  const of = async (query: string, options: Partial<AdminViewOptions> = {}) => {
    const view = await viewOf(site, { model: Artefact, ...options })
    return await facetsOf(await requestOf(user), site, ListParameters.read(view, query))
  }

  test('[L3] enums, booleans and references are facets by default', ({ assert }) => {
    const names = (model: string) =>
      facetColumns(site, site.models.get(model)!).map(({ apiName }) => apiName)
    assert.deepEqual(names('Artefact'), ['on_loan', 'alcove_code'])
    assert.sameMembers(names('Machine'), ['active', 'approved', 'status', 'level', 'maker_id'])
    /* The list has a switch for deleted records. */
    assert.notInclude(names('Utensil'), 'is_deleted')
    assert.deepEqual(names('Vacancy'), [])
  })

  test('[L3] a boolean is a default facet only if its consume function leaves values as stored')
    .with([
      { consume: Boolean, isFacet: true },
      { consume: (value: unknown) => (value === null ? null : Boolean(value)), isFacet: true },
      { consume: (value: unknown) => !value, isFacet: false },
      { consume: (value: unknown) => (value ? 'lent' : 'here'), isFacet: false },
    ])
    .run(async ({ assert }, { consume, isFacet }) => {
      class Lent extends Artefact {
        static table = 'list_artefacts'
      }
      Lent.boot()
      Lent.$addColumn('onLoan', { consume })
      const view = await viewOf(site, { model: Lent })
      const names = facetColumns(site, view).map(({ apiName }) => apiName)
      assert.equal(names.includes('on_loan'), isFacet)
    })

  test('[L3] the facets option determines the facets and their order; an empty list disables them', async ({
    assert,
  }) => {
    const named = await of('', { facets: ['visitors', 'on_loan'] })
    assert.deepEqual(
      named.map(({ name }) => name),
      ['visitors', 'on_loan']
    )
    assert.deepEqual(await of('', { facets: [] }), [])
  })

  test('[L3] a column whose values are shown in another format than they are stored has no facet', async ({
    assert,
  }) => {
    assert.deepEqual(await of('', { facets: ['grade', 'details', 'picture'] }), [])
  })

  test('[L3] facets are missing if application code filters the records of a list', async ({
    assert,
  }) => {
    class Fewer extends LucidCrud {
      async getMulti(...given: Parameters<LucidCrud['getMulti']>) {
        const list = await super.getMulti(...given)
        return { ...list, data: list.data.slice(1) }
      }
    }
    assert.deepEqual(await of('', { crud: Fewer }), [])
    assert.deepEqual(facetColumns(site, site.models.get('Patient')!), [])
    const { text } = await getList(cookie, '/admin/Patient/')
    assert.notInclude(text, 'id="facets"')
    const none = await page('', {}, 'Patient')
    assert.equal(none.status, 200)
  })

  test('[L3] counts include only records that match the other filters', async ({ assert }) => {
    const [loan, alcove] = await of('filter.on_loan=true&q=u')
    assert.sameMembers(values(loan)!, ['(empty) 1', 'No 1', 'Yes 1'])
    assert.deepEqual(values(alcove), ['South 1'])
    const [, all] = await of('')
    assert.equal(values(all)![0], 'South 3')
    assert.sameMembers(values(all)!, ['South 3', '(empty) 1', 'North <wing> 1'])
  })

  test('[L3] a facet value links to the list filtered by it alone, and a selected value to the list without that filter', async ({
    assert,
  }) => {
    const [loan] = await of('filter.name__ne=x&filter.on_loan=true&page=4&sort_by=name')
    const urls = Object.fromEntries(loan.values.map(({ label, url }) => [label, url]))
    const rest = 'sort_by=name&sort_order=asc'
    assert.deepEqual(urls, {
      'Yes': `/Artefact/?filter.name__ne=x&${rest}`,
      'No': `/Artefact/?filter.name__ne=x&filter.on_loan=false&${rest}`,
      '(empty)': `/Artefact/?filter.name__ne=x&filter.on_loan__is=null&${rest}`,
    })
    assert.deepEqual(
      loan.values.filter(({ isActive }) => isActive).map(({ label }) => label),
      ['Yes']
    )
    const [, empty] = await of('filter.alcove_code__is=null')
    assert.equal(empty.values.find(({ isActive }) => isActive)?.label, '(empty)')
    const [, several] = await of('filter.alcove_code__in=s,n/1')
    const south = several.values.find(({ label }) => label === 'South')!
    assert.isTrue(south.isActive)
    assert.equal(south.url, '/Artefact/?filter.alcove_code__in=n%2F1')
  })

  test('[L3] a facet shows ten values and a link to the others', async ({ assert }) => {
    await db.table('list_artefacts').multiInsert(
      Array.from({ length: 8 }, (_, index) => ({ visitors: 100 + index })).map((row) => ({
        ...row,
        insured_for: 1,
      }))
    )
    const [facet] = await of('filter.visitors__gte=1&filter.name__is=null', {
      facets: ['visitors'],
    })
    assert.lengthOf(facet.values, 8)
    assert.isNull(facet.more)
    const [long] = await of('filter.visitors__gte=9000', { facets: ['visitors'] })
    assert.lengthOf(long.values, 10)
    assert.equal(long.more, '/Artefact/filter?add.column=visitors')
    const [{ kinds }] = await db
      .from('list_artefacts')
      .whereNotNull('visitors')
      .countDistinct('visitors as kinds')
    const [{ empty }] = await db.from('list_artefacts').whereNull('visitors').count('* as empty')
    const all = Number(kinds) + (Number(empty) > 0 ? 1 : 0)
    assert.equal(long.values.length + long.others, all)
    assert.isAbove(long.others, 0)
  })

  test('[L3] a facet query that takes too long is cancelled, and a failed one is reported', async ({
    assert,
  }) => {
    const view = await viewOf(site, { model: Artefact })
    const parameters = ListParameters.read(view, '')
    const ctx = await requestOf(user)
    const slow = await facetsOf(ctx, site, parameters, 0)
    assert.deepEqual(
      slow.map(({ failure, values: shown }) => [failure, shown.length]),
      [
        ['slow', 0],
        ['slow', 0],
      ]
    )
    const { crud } = view
    crud.countByValue = () => new Promise(() => {})
    const [never] = await facetsOf(ctx, site, parameters, 20)
    assert.equal(never.failure, 'slow')
    crud.countByValue = () => Promise.reject(new Error('no such table'))
    const logged: unknown[] = []
    ctx.logger = { error: (entry: unknown) => logged.push(entry) } as any
    const failed = await facetsOf(ctx, site, parameters)
    assert.deepEqual(
      failed.map(({ failure }) => failure),
      ['failed', 'failed']
    )
    assert.lengthOf(logged, 2)
    crud.countByValue = () => Promise.reject(new Problem(403, 'The policy refuses the list'))
    await assert.rejects(() => facetsOf(ctx, site, parameters), 'The policy refuses the list')
  })

  test('[L3, A20.10] a stored value that no filter can have has no link', async ({ assert }) => {
    await db.from('list_artefacts').where('name', 'Jug').update({ on_loan: 'maybe' })
    const facets = await of('')
    const facet = facets.find(({ name }) => name === 'on_loan')!
    assert.sameDeepMembers(
      facet.values.map(({ label, url }) => [label, url !== null]),
      [
        ['(empty)', true],
        ['Yes', true],
        ['maybe', false],
      ]
    )
  }).skip(!onSqlite, 'only SQLite stores any value in any column')

  test('[L3] the list loads facets in a separate request, and runs no counting query itself', async ({
    assert,
  }) => {
    let text = ''
    const queries = await queriesOf(async () => {
      ;({ text } = await getList(cookie, '/admin/Artefact/?filter.on_loan=true'))
    })
    const [, tag] = /(<div id="facets"[^>]*>)/.exec(text)!
    assert.include(tag, 'hx-get="/admin/Artefact/facets?filter.on_loan=true" hx-trigger="load"')
    assert.include(text, 'href="/admin/Artefact/facets?filter.on_loan=true"')
    assert.isEmpty(queries.filter((sql) => sql.includes('group by')))
    const empty = await getList(cookie, '/admin/Vacancy/')
    assert.notInclude(empty.text, 'id="facets"')
  })

  test('[L3] htmx requests receive only the facets, without a page around them', async ({
    assert,
  }) => {
    const whole = await page('filter.on_loan=true')
    assert.equal(whole.status, 200)
    assert.include(whole.text, '<html')
    assert.include(unescape(whole.text), 'href="/admin/Artefact/?filter.on_loan=true"')
    const part = await page('filter.on_loan=true', { 'hx-request': 'true' })
    assert.notInclude(part.text, '<html')
    assert.match(part.text, /^\s*<div id="facets"/)
    assert.include(part.text, 'aria-current="true"')
    assert.include(part.text, 'North &lt;wing&gt;')
    assert.match(textOf(part.text), /South\s+1/)
  })
})

test.group('Admin | list | facets by roles', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    const globe = await Stage.create({ name: 'Globe', town: 'east' })
    const plays = [
      { title: 'Hamlet', town: 'east', secret: 'ghost', stageId: globe.id },
      { title: 'Lear', town: 'east', secret: 'storm', stageId: globe.id },
      { title: 'Henry', town: 'west', secret: 'crown', stageId: globe.id },
    ]
    for (const play of plays) await Play.create({ note: 'n', ...play })
    return () => restoreRoles()
  })

  /** The facets that a user with a role for each document sees, as text. */
  async function seen(...documents: PermissionsDocument[]): Promise<Map<string, string>> {
    const roles = documents.map((_, index) => `Role ${index}`)
    for (const [index, document] of documents.entries()) await makeRole(roles[index], document)
    const cookie = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles }))
    const { status, text } = await get('/admin/Play/facets', {
      headers: { cookie, 'accept': 'text/html', 'hx-request': 'true' },
    })
    if (status !== 200) return new Map([['status', String(status)]])
    return new Map(
      [...text.matchAll(/<summary id="facet-(\w+)".*?<\/details>/gs)].map(([facet, name]) => [
        name,
        textOf(facet).replace(/\s+/g, ' '),
      ])
    )
  }

  test('[L3, U2] facet counts include only records that the user can see', async ({ assert }) => {
    const facets = await seen({
      Play: { actions: ['view'], scopes: ['east'] },
      Stage: { actions: ['view'] },
    })
    assert.match(facets.get('stage_id')!, /Globe 2/)
    assert.match(facets.get('title')!, /Hamlet 1 Lear 1 Apply$/)
    assert.notInclude([...facets.values()].join(), 'Henry')
    assert.notInclude([...facets.values()].join(), 'crown')
  })

  test('[L3, U3] a column that a role hides, on all or some records, is not a facet', async ({
    assert,
  }) => {
    const hidden = await seen({ Play: { actions: ['view'], hidden: ['secret', 'stage_id'] } })
    assert.sameMembers([...hidden.keys()], ['title', 'note', 'stamped'])
    await emptyAdminTables()
    await restoreRoles()
    const mixed = await seen(
      { Play: { actions: ['view'], scopes: ['east'] } },
      { Play: { actions: ['view'], hidden: ['secret'] } }
    )
    assert.notInclude([...mixed.keys()], 'secret')
    assert.match(mixed.get('title')!, /Henry 1/)
  })

  test('[L3, U4] references to a model that the user cannot view are shown by their keys', async ({
    assert,
  }) => {
    const facets = await seen({ Play: { actions: ['view'] } })
    assert.notInclude(facets.get('stage_id')!, 'Globe')
    assert.match(facets.get('stage_id')!, /\d+ 3/)
  })

  test('[U4] a user who cannot view the model gets no facets', async ({ assert }) => {
    const response = await seen({ Stage: { actions: ['view'] } })
    assert.equal(response.get('status'), '404')
  })
})
