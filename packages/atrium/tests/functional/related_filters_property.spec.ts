import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { get } from '#tests/helpers/http'
import { runs } from '#tests/helpers/random_runs'

type Row = Record<string, any>

interface World {
  towns: Row[]
  ateliers: Row[]
  artworks: Row[]
  tags: Row[]
  pivots: Row[]
}

const WORDS = ['a', 'b', 'ab', 'B']
const TABLES = ['art_tag', 'artworks', 'art_tags', 'ateliers', 'atelier_towns']

const numbered = (rows: Row[]) => rows.map((row, index) => ({ id: index + 1, ...row }))
const reference = fc.option(fc.integer({ min: 1, max: 3 }), { nil: null })
const word = fc.constantFrom(...WORDS)

const world: fc.Arbitrary<World> = fc
  .record({
    towns: fc.array(
      fc.record({ name: fc.constantFrom(...WORDS, 'Hidden'), is_deleted: fc.boolean() }),
      {
        minLength: 3,
        maxLength: 3,
      }
    ),
    ateliers: fc.array(
      fc.record({ name: word, country: fc.option(word, { nil: null }), town_id: reference }),
      { minLength: 3, maxLength: 3 }
    ),
    artworks: fc.array(fc.record({ title: word, atelier_id: reference }), {
      minLength: 1,
      maxLength: 8,
    }),
    tags: fc.array(fc.record({ label: word }), { minLength: 3, maxLength: 3 }),
    links: fc.uniqueArray(
      fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 3 })),
      { maxLength: 8, selector: ([one, other]) => one * 10 + other }
    ),
  })
  .map(({ towns, ateliers, artworks, tags, links }) => ({
    towns: numbered(towns),
    ateliers: numbered(ateliers),
    artworks: numbered(artworks),
    tags: numbered(tags),
    pivots: links
      .filter(([artwork]) => artwork <= artworks.length)
      .map(([artwork, tag]) => ({ artwork_id: artwork, art_tag_id: tag })),
  }))

/** Filters of the list, each with the related values that it compares, and whether there is one at most */
type Values = (row: Row, world: World) => Array<string | null>

const atelierOf = (row: Row, { ateliers }: World) =>
  ateliers.filter(({ id }) => id === row.atelier_id)
const FILTERS: Record<string, { values: Values; isOne: boolean; test: Test }> = {
  'atelier.name': { values: valuesOf('name'), isOne: true, test: (a, b) => a === b },
  'atelier.name__contains': {
    values: valuesOf('name'),
    isOne: true,
    test: (a, b) => a !== null && a.includes(b),
  },
  'atelier.town.name__startswith': {
    isOne: true,
    values: (row, all) =>
      atelierOf(row, all)
        .flatMap(({ town_id: id }) => all.towns.filter((town) => town.id === id))
        .filter((town) => !town.is_deleted && town.name !== 'Hidden')
        .map(({ name }) => name),
    test: (a, b) => a !== null && a.startsWith(b),
  },
  'tags.label': {
    isOne: false,
    values: (row, { pivots, tags }) =>
      pivots
        .filter(({ artwork_id: id }) => id === row.id)
        .flatMap(({ art_tag_id: id }) => tags.filter((tag) => tag.id === id))
        .map(({ label }) => label),
    test: (a, b) => a === b,
  },
}

type Test = (value: string | null, text: string) => boolean

function valuesOf(name: string): Values {
  return (row, all) => atelierOf(row, all).map((atelier) => atelier[name])
}

const filter = fc.record({
  name: fc.constantFrom(...Object.keys(FILTERS)),
  text: word,
  isNegated: fc.boolean(),
  group: fc.option(fc.constantFrom(1, 2), { nil: null }),
})

type Filter = typeof filter extends fc.Arbitrary<infer One> ? One : never

function matches(row: Row, { name, text, isNegated }: Filter, all: World): boolean {
  const { isOne, test: passes, values } = FILTERS[name]
  const related = values(row, all)
  if (!isNegated) return related.some((value) => passes(value, text))
  return isOne
    ? related.some((value) => value !== null && !passes(value, text))
    : !related.some((value) => passes(value, text))
}

function expected(all: World, filters: Filter[], order: string): number[] {
  const groups = [...Map.groupBy(filters, (one) => one.group ?? one).values()]
  const found = all.artworks.filter((row) =>
    groups.every((some) => some.some((one) => matches(row, one, all)))
  )
  const sign = order.startsWith('-') ? -1 : 1
  const valueOf = (row: Row) => atelierOf(row, all)[0]?.name ?? ''
  const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
  return found
    .toSorted((a, b) => sign * compare(valueOf(a), valueOf(b)) || a.id - b.id)
    .map(({ id }) => id)
}

async function fill({ ateliers, artworks, pivots, tags, towns }: World): Promise<void> {
  for (const table of TABLES) await db.from(table).delete()
  const rows = { atelier_towns: towns, ateliers, artworks, art_tags: tags, art_tag: pivots }
  for (const [table, some] of Object.entries(rows)) {
    if (some.length > 0) await db.table(table).multiInsert(some)
  }
}

test.group('Related fields | compared with an in-memory implementation', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.teardown(async () => {
    for (const table of TABLES) await db.from(table).delete()
  })

  test('[W8, G3] random filters and sorts over relations return the same records as in memory', async ({
    assert,
  }) => {
    const requests = fc.array(
      fc.record({
        filters: fc.array(filter, { maxLength: 4 }),
        order: fc.constantFrom('atelier.name', '-atelier.name'),
      }),
      { minLength: 4, maxLength: 8 }
    )
    const property = fc.asyncProperty(world, requests, async (all, some) => {
      await fill(all)
      for (const { filters, order } of some) {
        /* Outside groups a name is sent once. */
        const sent = filters.filter(
          (one, index) =>
            one.group !== null ||
            filters.findIndex(
              (other) =>
                other.group === null && other.name === one.name && other.isNegated === one.isNegated
            ) === index
        )
        const query = new URLSearchParams([['sort', order]])
        for (const { group: number, isNegated, name, text } of sent) {
          const place = number === null ? '' : `any.${number}.`
          query.append(`${place}${isNegated ? 'not.' : ''}${name}`, text)
        }
        const { body, text } = await get(`/api/artworks?${query}`)
        assert.isDefined(body.data, text)
        const ids = body.data.map(({ id }: Row) => id)
        assert.deepEqual(ids, expected(all, sent, order), String(query))
        assert.equal(body.total_count, ids.length)
      }
    })
    await fc.assert(property, { numRuns: runs(200) })
  }).timeout(120_000)
})
