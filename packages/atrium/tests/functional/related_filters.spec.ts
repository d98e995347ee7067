import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LucidCrud, ValueError } from '#crud'
import { creatorOf } from '#crud/router'
import { ArtTag, Artwork, door } from '#tests/fixtures/ateliers'
import { get, statusOf } from '#tests/helpers/http'
import { queriesOf } from '#tests/helpers/queries'

type Row = Record<string, any>

const TABLES = ['art_tag', 'artworks', 'art_tags', 'ateliers', 'atelier_towns']

async function clear() {
  for (const table of TABLES) await db.from(table).delete()
}

/** Titles of the works that a list returns, in its order */
async function works(query: string, path = 'artworks'): Promise<string[]> {
  const { status, text, body } = await get(`/api/${path}?${query}`)
  if (status !== 200) throw new Error(text)
  if ('total_count' in body && body.total_count !== body.data.length) throw new Error(text)
  return body.data.map(({ title }: Row) => title)
}

async function ateliers(query: string): Promise<string[]> {
  const { status, text, body } = await get(`/api/ateliers?${query}`)
  if (status !== 200) throw new Error(text)
  return body.ateliers.map(({ name }: Row) => name)
}

async function fill() {
  await clear()
  await db.table('atelier_towns').multiInsert([
    { id: 1, name: 'Oslo', secret: 's', is_deleted: false },
    { id: 2, name: 'Hidden', secret: 's', is_deleted: false },
    { id: 3, name: 'Paris', secret: null, is_deleted: true },
    { id: 4, name: 'Olsztyn', secret: null, is_deleted: false },
  ])
  await db.table('ateliers').multiInsert([
    { id: 1, name: 'Bo', country: 'NO', town_id: 1 },
    { id: 2, name: 'Al', country: null, town_id: 2 },
    { id: 3, name: 'Cy', country: 'FR', town_id: 3 },
    { id: 4, name: 'Dee', country: null, town_id: null },
    { id: 5, name: 'al', country: 'PL', town_id: 4 },
  ])
  await db.table('artworks').multiInsert([
    { id: 1, title: 'a', atelier_id: 1 },
    { id: 2, title: 'b', atelier_id: 2 },
    { id: 3, title: 'c', atelier_id: 3 },
    { id: 4, title: 'd', atelier_id: 4 },
    { id: 5, title: 'e', atelier_id: null },
    { id: 6, title: 'f', atelier_id: 1 },
    { id: 7, title: 'g', atelier_id: 5 },
  ])
  await db.table('art_tags').multiInsert([
    { id: 1, label: 'red' },
    { id: 2, label: 'blue' },
  ])
  await db.table('art_tag').multiInsert([
    { artwork_id: 1, art_tag_id: 1 },
    { artwork_id: 1, art_tag_id: 2 },
    { artwork_id: 2, art_tag_id: 2 },
  ])
}

test.group('Filters and sorts by related fields', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.setup(async () => {
    await fill()
    return clear
  })

  test('[W8] filters compare fields of related records, over one or two relations', async ({
    assert,
  }) => {
    assert.deepEqual(await works('atelier.name=Bo'), ['a', 'f'])
    assert.deepEqual(await works('atelier.name__contains=l'), ['b', 'g'])
    assert.deepEqual(await works('atelier.town.name__startswith=O'), ['a', 'f', 'g'])
    assert.deepEqual(await works('atelier.country__is=null'), ['b', 'd'])
    assert.deepEqual(await works('atelier.name=Bo&title=f'), ['f'])
    assert.deepEqual(await works('atelier.name='), ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    assert.equal(await statusOf(get('/api/artworks?atelier.country__is=NO')), 422)
  })

  test('[W8] a filter on a relation to many matches if at least one related record matches', async ({
    assert,
  }) => {
    assert.deepEqual(await works('tags.label=blue'), ['a', 'b'])
    assert.deepEqual(await works('tags.label__in=red,blue'), ['a', 'b'])
    assert.deepEqual(await works('tags.label=red&tags.label__in=blue'), ['a'])
    assert.deepEqual(await ateliers('works.title__contains=a'), ['Bo'])
    assert.deepEqual(await ateliers('works.tags.label=blue'), ['Bo', 'Al'])
  })

  test('[W8, G3] filters by related fields can be negated and grouped', async ({ assert }) => {
    assert.deepEqual(await works('not.atelier.name=Bo'), ['b', 'c', 'd', 'g'])
    assert.deepEqual(await works('not.atelier.country__is=null'), ['a', 'c', 'f', 'g'])
    assert.deepEqual(await works('not.tags.label=red'), ['b', 'c', 'd', 'e', 'f', 'g'])
    assert.deepEqual(await works('any.1.atelier.name=Al&any.1.title=e'), ['b', 'e'])
    /* The work belongs to no atelier. */
    assert.lengthOf(await ateliers('not.works.title__contains=e'), 5)
    assert.equal(await statusOf(get('/api/artworks?any.1.atelier.country=NO')), 422)
  })

  test('[W8] a filter by a key of a related record that is never null runs no comparison with null', async ({
    assert,
  }) => {
    const queries = await queriesOf(() => works('atelier.name=Bo'))
    assert.isTrue(queries.some((sql) => sql.includes(' in (select ')))
    assert.isEmpty(queries.filter((sql) => sql.includes('is not null')))
  })

  test('[W8] only declared names of related fields filter', async ({ assert }) => {
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    for (const name of [
      'atelier.country',
      'atelier.name__gte',
      'atelier.town.secret',
      'atelier.town.id',
      'atelier.nothing',
      'studio.name',
      'atelier.works.title',
      '.name',
      'atelier.',
      '__proto__.name',
    ]) {
      assert.deepEqual(await works(`${name}=x`), all, name)
    }
  })

  test('[W8] a list is sorted by related fields of declared filters; a missing record sorts like null', async ({
    assert,
  }) => {
    assert.deepEqual(await works('sort=atelier.name,-title'), ['e', 'b', 'f', 'a', 'c', 'd', 'g'])
    assert.deepEqual(await works('sort=-atelier.name,title'), ['g', 'd', 'c', 'a', 'f', 'b', 'e'])
    /* Hidden and deleted towns sort as null. */
    const byTown = await works('sort=atelier.town.name,title')
    assert.deepEqual(byTown, ['b', 'c', 'd', 'e', 'g', 'a', 'f'])
    assert.deepEqual(await works('sort=-atelier.name&limit=2&count=false'), ['g', 'd'])
    assert.deepEqual(await works('sort=atelier.name&atelier.name__contains=l'), ['b', 'g'])
    for (const sort of [
      'tags.label',
      'atelier.id',
      'atelier.town.secret',
      'atelier',
      'nothing.x',
    ]) {
      assert.equal(await statusOf(get(`/api/artworks?sort=${sort}`)), 422, sort)
    }
  })

  test('[W8, Q4] a cursor continues a list that is sorted by related fields', async ({
    assert,
  }) => {
    for (const sort of ['atelier.name', '-atelier.name', '-atelier.town.name,title']) {
      const whole = await works(`sort=${sort}`)
      const found: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { status, text, body } = await get(
          `/api/artworks?sort=${sort}&limit=2&cursor=${cursor}`
        )
        assert.equal(status, 200, text)
        found.push(...body.data.map(({ title }: Row) => title))
        cursor = body.next_cursor
      }
      assert.deepEqual(found, whole, sort)
    }
    const { text } = await get('/api/artworks?sort=-atelier.name&fields=title', {
      headers: { accept: 'text/csv' },
    })
    assert.deepEqual(text.trim().split('\r\n'), ['title', 'g', 'd', 'c', 'a', 'f', 'b', 'e'])
  })

  test('[W8] related records that are hidden or deleted do not match', async ({ assert }) => {
    assert.deepEqual(await works('atelier.town.name__startswith=Hid'), [])
    assert.deepEqual(await works('atelier.town.name__startswith=Par'), [])
  })

  test("[W8] if a policy refuses related records, lists can't be filtered by their fields", async ({
    assert,
  }) => {
    door.isClosed = true
    assert.lengthOf(await works('atelier.name=Bo'), 7)
    assert.equal(await statusOf(get('/api/artworks?sort=atelier.name')), 422)
  }).teardown(() => {
    door.isClosed = false
  })

  test("[W8] the option `filters: 'related'` declares all visible fields of relations that can be included", async ({
    assert,
  }) => {
    const open = (query: string) => works(query, 'open-artworks')
    assert.deepEqual(await open('atelier.country=NO'), ['a', 'f'])
    assert.deepEqual(await open('atelier.id__gte=4'), ['d', 'g'])
    assert.deepEqual(await open('tags.label__startswith=b&sort=-atelier.id'), ['b', 'a'])
    assert.deepEqual(await open('atelier.town.name=Oslo'), ['a', 'f'])
    assert.lengthOf(await open('atelier.town.secret=s'), 7)
    assert.lengthOf(await open('nothing.name=s'), 7)
    assert.equal(await statusOf(get('/api/open-artworks?atelier.id__contains=4')), 422)
  })

  test('[W8] application code can filter and sort by fields of any relation', async ({
    assert,
  }) => {
    const crud = new LucidCrud(Artwork)
    const titles = ({ data }: { data: Row[] }) => data.map(({ title }) => title)
    const filters = { 'atelier.country': 'NO', 'title__ne': 'f' }
    assert.deepEqual(titles(await crud.getMulti({ filters })), ['a'])
    assert.deepEqual(titles(await crud.getMulti({ sort: '-atelier.id', limit: 2 })), ['g', 'd'])
    assert.equal(await crud.count({ 'tags.label': 'blue' }), 2)
    assert.isTrue(await crud.exists({ 'atelier.town.name': 'Oslo' }))
    assert.equal((await crud.find({ 'atelier.name': 'Cy' }))!.$attributes.title, 'c')
    const tags = new LucidCrud(ArtTag)
    await assert.rejects(() => tags.getMulti({ filters: { 'works.title': 'a' } }), /not found/)
  })

  test('[W8] an invalid declared name fails at the start: {0}')
    .with([
      ['studio.name', "Artwork has no relation 'studio'"],
      ['atelier.nmae', "Atelier has no column 'nmae'"],
      ['atelier.town.secret', "Town has no column 'secret'"],
      ['atelier.town.ateliers.name', 'more than two relations'],
      ['atelier.name__near', "there is no operator 'near'"],
    ])
    .run(async ({ assert }, [name, message]) => {
      const make = async () => {
        const options = { model: Artwork, path: '/never', filterConfig: { [name]: null } }
        await new (creatorOf(options))(options).resource.load()
      }
      await assert.rejects(make, new RegExp(message))
    })

  test('[W8] a default value for a related filter is an error', ({ assert }) => {
    const options = { model: Artwork, path: '/never', filterConfig: { 'atelier.name': 'Bo' } }
    assert.throws(() => new (creatorOf(options))(options), ValueError as any, 'use null')
  })
})

test.group('Related fields in the API schema', () => {
  test('[W8] declared filters and sorts by related fields are parameters with the type of the field', async ({
    assert,
  }) => {
    const { body } = await get('/api/openapi.json')
    const parameterOf = (path: string, name: string) =>
      body.paths[path].get.parameters.find((one: Row) => one.name === name)
    assert.include(
      parameterOf('/api/artworks', 'atelier.name__contains').description,
      'atelier.name'
    )
    assert.equal(parameterOf('/api/artworks', 'tags.label__in').schema.type, 'array')
    assert.include(parameterOf('/api/artworks', 'sort').schema.pattern, 'atelier\\.town\\.name')
    assert.notInclude(parameterOf('/api/artworks', 'sort').schema.pattern, 'tags')
    assert.equal(parameterOf('/api/open-artworks', 'atelier.id').schema.type, 'integer')
    assert.include(parameterOf('/api/open-artworks', 'sort').schema.pattern, 'atelier\\.country')
  })
})
