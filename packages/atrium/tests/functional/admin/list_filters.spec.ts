import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { ListParameters } from '#admin/list/list_parameters'
import { ModelView } from '#admin/views/model_view'
import { countMatching, ListRequest, matchingKeys, pageOf, Records } from '#crud/internals'
import type { PermissionsDocument } from '#admin'
import { Specimen } from '#tests/fixtures/lists'
import { Play, Stage, Ticket } from '#tests/fixtures/stages'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { column, getList, tagsOf, unescape } from '#tests/helpers/list_page'
import { passes, toParameter, toQuery } from '#tests/helpers/memory_list'
import { runs } from '#tests/helpers/random_runs'
import { makeRole, restoreRoles } from '#tests/helpers/roles'
import { anyRule, specimen } from '#tests/helpers/specimen_rules'

const NONE: ReadonlySet<string> = new Set()

test.group('Admin | list | filters compared with the API and with memory', (group) => {
  group.tap((one) => one.tags(['@database']))

  test('[L1, A18] any filters find the same records as the API and an in-memory filter', async ({
    assert,
  }) => {
    await db.from('specimens').delete()
    await db.table('specimens').multiInsert(fc.sample(specimen, 100))
    const { body } = await get('/api/specimens?limit=1000')
    const { models } = await adminSite()
    const { databaseConfig } = models.get('Artefact')!
    const view = new ModelView({ model: Specimen, databaseConfig })
    await view.resource.load()

    const idsIn = async (query: string) => {
      const { conditions, errors } = ListParameters.read(view, query)
      assert.isEmpty(errors)
      const request = new ListRequest(conditions, [], pageOf(1, 1000), 'exclude')
      const { data, total_count: total } = await view.crud.getMulti(request, {})
      const ids = data.map(({ id }) => id)
      assert.equal(total, ids.length)
      /* Actions on all matching records find the same. */
      const records = new Records(view.resource)
      assert.equal(await countMatching(records, request, {}), ids.length)
      const keys: unknown[] = []
      for await (const some of matchingKeys(records, request, {})) keys.push(...some.flat())
      assert.sameMembers(keys, ids)
      return ids
    }
    const rules = fc.array(anyRule, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(rules, async (filters) => {
        const parameters = filters.map((filter) => toParameter(filter, NONE))
        const wanted = body.data
          .filter((row: any) => filters.every((filter) => passes(row, filter)))
          .map(({ id }: any) => id)
        const named = parameters.map(([name, text]): [string, string] => [`filter.${name}`, text])
        assert.deepEqual(await idsIn(toQuery(named)), wanted)
        if (new Set(parameters.map(([name]) => name)).size < parameters.length) return
        const rest = await get(`/api/specimens?limit=1000&${toQuery(parameters)}`)
        assert.deepEqual(
          rest.body.data.map(({ id }: any) => id),
          wanted
        )
      }),
      { numRuns: runs(150) }
    )

    /* Words of letters alone, which only texts can contain */
    const word = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'B', 'k', '#'), maxLength: 2 })
    const words = fc.array(
      word.filter((one) => one !== ''),
      { minLength: 1, maxLength: 3 }
    )
    await fc.assert(
      fc.asyncProperty(words, anyRule, async (some, filter) => {
        const holds = (row: any, one: string) =>
          ['label', 'shade'].some((name) =>
            passes(row, { column: name, operator: 'ilike', operand: `%${one}%` })
          )
        const wanted = body.data
          .filter((row: any) => passes(row, filter) && some.every((one) => holds(row, one)))
          .map(({ id }: any) => id)
        const [name, text] = toParameter(filter, NONE)
        assert.deepEqual(
          await idsIn(
            toQuery([
              ['q', some.join(' ')],
              [`filter.${name}`, text],
            ])
          ),
          wanted
        )
      }),
      { numRuns: runs(50) }
    )
  })
})

test.group('Admin | list | filters', (group) => {
  group.tap((one) => one.tags(['@database']))
  let cookie: string

  group.setup(() => fakeHashes())
  group.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('ada'))
  })
  group.each.setup(async () => {
    await db.from('list_artefacts').delete()
    await db.from('list_alcoves').delete()
    await db.table('list_alcoves').multiInsert([
      { code: 'n/1', name: 'North wing' },
      { code: 's', name: 'South Hall' },
    ])
    const day = new Date().toISOString().slice(0, 10)
    const all = [
      { name: 'Vase, red', visitors: 93828, weight: 1.5, on_loan: true, found_on: '2024-01-02' },
      { name: 'Red cup', visitors: 5, weight: 15, on_loan: false, found_on: '2024-03-04' },
      { name: 'Blue vase', visitors: null, weight: null, on_loan: null, found_on: day },
      { name: null, visitors: 9, weight: 2, on_loan: false, found_on: null },
    ]
    const alcoves = ['n/1', 's', 's', null]
    await db.table('list_artefacts').multiInsert(
      all.map((values, index) => ({
        ...values,
        id: index + 1,
        shown_at: index === 2 ? `${day} 23:59:59` : '2024-01-02 03:04:05',
        alcove_code: alcoves[index],
        insured_for: 7,
      }))
    )
  })

  const list = (query: string, headers = {}) =>
    getList(cookie, `/admin/Artefact/?${query}`, headers)

  /** Ids of the found records, oldest first. */
  const found = async (query: string) =>
    column(await list(query), 0)
      .reverse()
      .join(' ')

  const ALL = '1 2 3 4'

  test('[L1] filters are combined, and do not depend on filterConfig', async ({ assert }) => {
    assert.equal(await found('filter.visitors__gte=6'), '1 4')
    assert.equal(await found('filter.visitors__gte=6&filter.name__is=null'), '4')
    assert.equal(await found('filter.name__contains=ed&filter.name__contains=V'), '1')
    assert.equal(await found('filter.name__in=Red cup,Vase\\, red'), '1 2')
    assert.equal(await found('filter.name__or=startswith:Red,is:null'), '2 4')
    assert.equal(await found('filter.on_loan=false&filter.weight__lt=10'), '4')
    assert.equal(await found('filter.found_on__between=2024-01-01,2024-02-01'), '1')
    assert.equal(await found('filter.alcove_code=n/1'), '1')
    assert.equal(await found('filter.name=nothing of the kind'), '')
  })

  test('[L1] filters also apply to get_model_list and table-content', async ({ assert }) => {
    for (const path of ['', 'get_model_list', 'table-content']) {
      const { rows } = await getList(cookie, `/admin/Artefact/${path}?filter.visitors=5`)
      assert.deepEqual(
        rows.map(([id]) => id),
        ['2'],
        path
      )
    }
  })

  test('[L1] relative days match dates and times up to the end of the day', async ({ assert }) => {
    for (const word of ['today', 'last_7_days', 'this_week', 'this_month', 'this_year']) {
      assert.equal(await found(`filter.found_on__between=${word}`), '3', word)
      assert.equal(await found(`filter.shown_at__between=${word}`), '3', word)
    }
    assert.equal(await found('filter.shown_at__between=yesterday'), '')
  })

  test('[L1] references are filtered by the title of the referenced record', async ({ assert }) => {
    assert.equal(await found('filter.alcove_code__title=hall'), '2 3')
    assert.equal(await found('filter.alcove_code__title=o'), '1 2 3')
    assert.equal(await found('filter.alcove_code__title=o&filter.name__contains=ase'), '1 3')
    assert.equal(await found('filter.alcove_code__title=%25'), '')
    assert.equal(await found(`filter.alcove_code__title=${'x'.repeat(201)}`), ALL)
  })

  test('[L1] ignored filters are shown with their reasons, each with a link that removes it', async ({
    assert,
  }) => {
    const { text, rows } = await list(
      'filter.visitors=Sony&filter.insured_for=8&filter.nowhere=8&filter.weight__lt=10'
    )
    assert.lengthOf(rows, 2)
    const notes = [...text.matchAll(/<p class="list-note">([^<]*)<a href="([^"]*)"/g)]
    assert.deepEqual(
      notes.map(([, note]) => unescape(note).trim()),
      [
        'The filter “filter.visitors=Sony” is ignored: it must be an integer, not “Sony”.',
        'The filter “filter.insured_for=8” is ignored: there is no such filter.',
        'The filter “filter.nowhere=8” is ignored: there is no such filter.',
      ]
    )
    assert.equal(
      unescape(notes[0][2]),
      '/admin/Artefact/?filter.insured_for=8&filter.nowhere=8&filter.weight__lt=10'
    )
  })

  test('[L1] the links and forms of the page preserve the filters', async ({ assert }) => {
    await db
      .table('list_artefacts')
      .multiInsert(Array.from({ length: 30 }, (_, index) => ({ id: 100 + index, name: 'Coin' })))
    const stored = 'filter.name=Coin'
    const { text, range, headers } = await list(`${stored}&page=2`, { 'hx-request': 'true' })
    assert.equal(range, '11–20 of 30')
    assert.equal(headers.get('hx-push-url'), `/admin/Artefact/?${stored}&page=2`)
    const linked = tagsOf(text)
      .filter((tag) => /^<a .*id="(sort|page|rows|next|previous)-/s.test(tag))
      .map((tag) => unescape(/href="([^"]*)"/.exec(tag)![1]))
    assert.isAbove(linked.length, 15)
    for (const url of linked) assert.include(url, `?${stored}`)
    assert.include(text, '<input type="hidden" name="filter.name" value="Coin">')
    assert.include(text, `name="next" value="/admin/Artefact/?${stored}&amp;page=2"`)
  })

  test('[L1] a list without matches has a link that clears its filters', async ({ assert }) => {
    const { text } = await list('filter.name=nothing&sort_by=name&sort_order=asc')
    assert.include(text, 'No artefact matches all filters.')
    assert.match(
      text,
      /id="empty-link" href="\/admin\/Artefact\/\?sort_by=name&amp;sort_order=asc"/
    )
    assert.include(text, 'id="search-input"')
  })

  test('[L1, S30] a list with an invalid filter or search does not offer to select all records', async ({
    assert,
  }) => {
    for (const query of [
      'column-to-search=visitors&search-input=Sony',
      'column-to-search=found_on&search-input=1949',
      'filter.visitors=Sony',
      `q=${'a+b+c+d+e+f+g+h+i+j+k'}`,
    ]) {
      const { text, rows } = await list(query)
      assert.lengthOf(rows, 4, query)
      assert.notInclude(text, 'select-all')
      assert.notInclude(text, 'name="ids"')
      assert.notInclude(text, 'form_bulk_delete')
      assert.include(text, 'so they can&#x27;t be selected', query)
    }
    const { text } = await list('filter.visitors=5')
    assert.include(text, 'select-all')
    assert.include(text, 'name="ids"')
  })

  test('[L4, S30] if the text is invalid for the chosen column, a link searches all columns', async ({
    assert,
  }) => {
    const { text } = await list('column-to-search=visitors&search-input=Red&filter.weight__gt=2')
    const [, href] = /id="search-anywhere" href="([^"]*)"/.exec(text)!
    assert.equal(unescape(href), '/admin/Artefact/?filter.weight__gt=2&q=Red')
    assert.equal(await found(unescape(href).split('?')[1]), '2')
  })

  test('[L4] a search finds each word in any searchable column, or in the title of a reference', async ({
    assert,
  }) => {
    assert.equal(await found('q=RED'), '1 2')
    assert.equal(await found('q=vase+red'), '1')
    assert.equal(await found('q=red+5'), '2')
    assert.equal(await found('q=vase+hall'), '3')
    assert.equal(await found('q=93,828'), '1')
    assert.equal(await found('q=1.5'), '1')
    assert.equal(await found('q=true'), '1')
    assert.equal(await found('q=%25'), '')
    assert.equal(await found('q=n/1'), '1')
    assert.equal(await found('q=vase&filter.visitors__is=null'), '3')
    assert.equal(await found('q=vase+nothing'), '')
    assert.equal(await found('q=+++'), ALL)
  })

  test('[L4] the search form offers all columns first, and preserves text and filters', async ({
    assert,
  }) => {
    const { text } = await list('q=%22red&filter.weight__gt=1')
    assert.match(text, /<select [^>]*name="column-to-search">\s*<option value="\*" selected>All/)
    assert.include(text, 'name="search-input" type="search" value="&quot;red"')
    assert.include(text, '<input type="hidden" name="filter.weight__gt" value="1">')
    assert.equal(await found('column-to-search=*&search-input=red'), '1 2')
    const searched = await list('column-to-search=name&search-input=red')
    assert.match(searched.text, /<option value="name" selected>/)
  })

  test('[S30, L4] a search finds numbers that are typed with digit separators', async ({
    assert,
  }) => {
    for (const text of ['93,828', '93828', '93 828', "93'828", '+93,828']) {
      assert.equal(
        await found(`column-to-search=visitors&search-input=${encodeURIComponent(text)}`),
        '1',
        text
      )
    }
    for (const text of ['93,82', '9,3828', '93,828.0', '93,828 000']) {
      assert.equal(
        await found(`column-to-search=visitors&search-input=${encodeURIComponent(text)}`),
        ALL,
        text
      )
    }
  })

  test('[L7] a list can be sorted by several columns, and the headings show the order', async ({
    assert,
  }) => {
    await db.from('list_artefacts').where('id', 4).update({ weight: 15 })
    const { rows, text } = await list('sort_by=weight,on_loan,id&sort_order=desc,asc,desc')
    assert.deepEqual(
      rows.map(([id]) => id),
      ['4', '2', '1', '3']
    )
    const first = [...text.matchAll(/aria-sort="(?:a|de)scending"[^>]*>\s*<a id="sort-(\w+)"/g)]
    /* Density is a column of ours that sorts by weight. */
    assert.deepEqual(
      first.map(([, name]) => name),
      ['weight', 'density']
    )
    const heading = (name: string) =>
      new RegExp(`<th[^>]*?aria-sort="(\\w+)"[^>]*>\\s*(<a id="sort-${name}"[^>]*>)`).exec(text)!
    const [, order, weight] = heading('weight')
    assert.equal(order, 'descending')
    assert.include(weight, 'data-place="1"')
    const [, second, loan] = heading('on_loan')
    assert.equal(second, 'none')
    assert.include(loan, 'data-place="2"')
    assert.include(loan, 'data-sorted="ascending"')
    assert.include(loan, 'title="sorted by this 2nd, ascending"')
    assert.include(text, 'data-sort-by="weight,on_loan,id" data-sort-order="desc,asc,desc"')
    assert.include(unescape(loan), 'href="/admin/Artefact/?sort_by=on_loan&sort_order=desc"')
    const [, , name] = heading('name')
    assert.notInclude(name, 'data-place')
    assert.include(unescape(name), 'href="/admin/Artefact/?sort_by=name&sort_order=asc"')
  })

  test('[L1, L4] no filter or search text breaks out of the markup: {$self}')
    .with([
      '"><script>alert(1)</script>',
      "' or 1=1 --",
      '`; drop table list_artefacts; --',
      '" hx-get="/admin/logout" hx-trigger="load',
      '{{ 7919 * 7919 }}',
      '\u202Egnp.exe',
      'x'.repeat(10_000),
      '\\',
      '%00',
      '__proto__',
    ])
    .run(async ({ assert }, evil) => {
      const text = encodeURIComponent(evil)
      for (const query of [
        `filter.name=${text}`,
        `filter.${text}=1`,
        `filter.visitors=${text}`,
        `filter.name__or=eq:${text}`,
        `filter.alcove_code__title=${text}`,
        `q=${text}`,
        `sort_by=${text},name`,
      ]) {
        const page = await list(query)
        assert.equal(page.status, 200, query.slice(0, 40))
        assert.notInclude(page.text, '<script>alert(1)')
        assert.notInclude(page.text, 'hx-get="/admin/logout"')
        assert.notInclude(page.text, '62710561')
        assert.include([0, 4], page.rows.length)
        assert.isBelow(page.text.length, 1_000_000)
      }
      assert.equal(await found(''), ALL)
    })
})

test.group('Admin | list | filters by roles', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    const globe = await Stage.create({ name: 'Globe', town: 'east' })
    const plays = [
      { title: 'Hamlet', town: 'east', secret: 'ghost', stageId: globe.id },
      { title: 'Henry', town: 'west', secret: 'crown', stageId: null },
    ]
    for (const values of plays) {
      const { id } = await Play.create({ note: 'n', ...values })
      await Ticket.create({ playId: id })
    }
    return () => restoreRoles()
  })

  /** How a user with a role for each document finds records. */
  async function finder(...documents: PermissionsDocument[]) {
    const roles = documents.map((_, index) => `Role ${index}`)
    for (const [index, document] of documents.entries()) await makeRole(roles[index], document)
    const user = await makeUser('kim', { isSuperuser: false, roles })
    const cookie = await cookiesOf(user)
    const list = (query: string, model: string) => getList(cookie, `/admin/${model}/?${query}`)
    return {
      async count(query: string, model = 'Play') {
        const { rows } = await list(query, model)
        return rows.length
      },
      async text(query: string, model = 'Play') {
        const { text } = await list(query, model)
        return text
      },
    }
  }

  test('[L1, U3, U4] a filter by a column that a role hides gets the same response as one by an unknown column', async ({
    assert,
  }) => {
    const { count, text } = await finder({
      Play: { actions: ['view'], hidden: ['secret', 'stage_id'] },
    })
    for (const [hidden, unknown] of [
      ['secret=ghost', 'nothing=ghost'],
      ['secret__is=null', 'nothing__is=null'],
      ['secret__or=eq:ghost', 'nothing__or=eq:ghost'],
      ['stage_id__title=Globe', 'nothing__title=Globe'],
    ]) {
      assert.equal(await count(`filter.${hidden}`), 2)
      const page = await text(`filter.${hidden}`)
      const [name] = hidden.split(/__|=/)
      assert.equal(
        page.replaceAll(`filter.${name}`, 'filter.nothing'),
        await text(`filter.${unknown}`)
      )
      assert.include(page, 'there is no such filter, or your roles do not include the field')
    }
    assert.equal(await count('q=ghost'), 0)
    assert.equal(await count('q=Globe'), 0)
    assert.equal(await count('q=Hamlet'), 1)
  })

  test('[L1, U3] a value that a role hides on some records is not found in those records', async ({
    assert,
  }) => {
    const { count, text } = await finder(
      { Play: { actions: ['view'], scopes: ['east'] } },
      { Play: { actions: ['view'], hidden: ['secret'] } }
    )
    assert.equal(await count(''), 2)
    assert.equal(await count('filter.secret=ghost'), 1)
    assert.equal(await count('filter.secret=crown'), 0)
    assert.equal(await count('filter.secret__ne=nothing'), 1)
    assert.include(await text('filter.secret__is=null'), 'Henry')
    assert.equal(await count('q=crown'), 0)
    assert.equal(await count('q=ghost'), 1)
  })

  test('[L1, U2] a filter by title matches only records that the user can see', async ({
    assert,
  }) => {
    const { count } = await finder({
      Ticket: { actions: ['view'] },
      Play: { actions: ['view'], scopes: ['east'] },
    })
    assert.equal(await count('filter.play_id__title=ham', 'Ticket'), 1)
    assert.equal(await count('filter.play_id__title=hen', 'Ticket'), 0)
    assert.equal(await count('filter.play_id__title=h', 'Ticket'), 1)
    assert.equal(await count('q=henry', 'Ticket'), 0)
    assert.equal(await count('q=hamlet', 'Ticket'), 1)
  })

  test('[L1, U4] a list can’t be filtered by titles of a model that the user cannot view', async ({
    assert,
  }) => {
    const { count, text } = await finder({ Ticket: { actions: ['view'] } })
    const query = 'filter.play_id__title=ham'
    assert.equal(await count(query, 'Ticket'), 2)
    assert.include(await text(query, 'Ticket'), 'there is no such filter')
    assert.equal(await count('q=hamlet', 'Ticket'), 0)
  })
})
