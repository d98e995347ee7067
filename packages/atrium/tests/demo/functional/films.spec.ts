/*
 * All the films of the demo data, sent and read back over HTTP, and every possible list
 * compared with the same computed in memory.
 */
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { readFilms, tidyFilm } from '../../../../../database/data/films.js'
import { get, post } from '#tests/helpers/http'
import {
  passes,
  sorted,
  toParameter,
  toQuery,
  type Order,
  type Rule,
} from '#tests/helpers/memory_list'
import { runs, someOf } from '#tests/helpers/random_runs'

type Film = Record<string, any> & { id: number }

const AT_ONCE = 20

/** Rows of an insert */
const TOGETHER = 50

/** Id of the first film that is not sent, above those that are given */
const FIRST = 1_000_000

/** The filters that the model declares, by column. */
const DECLARED: Record<string, string[]> = {
  title: ['eq', 'contains', 'startswith', 'ilike', 'or'],
  distributor_id: ['eq'],
  major_genre: ['eq', 'in', 'is'],
  mpaa_rating: ['eq', 'in'],
  creative_type: ['eq'],
  director: ['eq'],
  release_date: ['gte', 'lte', 'between'],
  imdb_rating: ['gte', 'lte'],
  worldwide_gross: ['gte', 'lte'],
  running_time_min: ['gte', 'lte', 'between', 'is'],
}
const SHORT_NAMES = new Set(
  Object.keys(DECLARED).filter((column) => DECLARED[column].includes('eq'))
)

const SORTABLE = [
  'id',
  'title',
  'us_gross',
  'worldwide_gross',
  'us_dvd_sales',
  'production_budget',
  'release_date',
  'mpaa_rating',
  'running_time_min',
  'distributor_id',
  'source',
  'major_genre',
  'creative_type',
  'director',
  'rotten_tomatoes_rating',
  'imdb_rating',
  'imdb_votes',
]

/** The values that the lists must hold: the source's under the ids that were given, by id. */
const films: Film[] = []

async function inParallel<Item>(items: Item[], work: (item: Item) => Promise<void>) {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** Sends all films in continuous integration; elsewhere every seventh, and inserts the others. */
async function postAll() {
  const tidy = readFilms().map(tidyFilm)
  const names = [...new Set(tidy.map(({ distributor }) => distributor))]
  const distributors = new Map<string | null, number | null>([[null, null]])
  await inParallel(
    names.filter((name) => name !== null),
    async (name) => {
      const response = await post('/api/distributors', { name })
      if (response.status !== 201) throw new Error(response.text)
      distributors.set(name, response.body.id)
    }
  )
  const all = tidy.map(({ film, distributor }) => ({
    ...film,
    distributor_id: distributors.get(distributor),
  }))
  const alone = new Set(someOf(all, 7))
  await inParallel([...alone], async (values) => {
    const response = await post('/api/films', values)
    if (response.status !== 201) throw new Error(response.text)
    films.push({ ...values, id: response.body.id })
  })
  const others = all.filter((values) => !alone.has(values))
  const now = new Date().toISOString().slice(0, 19).replace('T', ' ')
  const rows = others.map((values, index) => ({ ...values, id: FIRST + index, created_at: now }))
  for (let start = 0; start < rows.length; start += TOGETHER) {
    await db.table('films').multiInsert(rows.slice(start, start + TOGETHER))
  }
  films.push(...others.map((values, index) => ({ ...values, id: FIRST + index })))
  films.sort((one, other) => one.id - other.id)
}

/** The film without what the server added. */
function stripped({ created_at, updated_at, ...film }: Film): Film {
  return film as Film
}

function idsOf(rows: Film[]): number[] {
  return rows.map((film) => film.id)
}

/** All pages of a list, one after the other. */
async function readThrough(query: (part: number) => string): Promise<Film[]> {
  const rows: Film[] = []
  for (let part = 0; ; part++) {
    const { body } = await get(`/api/films?${query(part)}`)
    rows.push(...body.data)
    if (body.data.length === 0) return rows
  }
}

async function clear() {
  await db.from('films').delete()
  await db.from('distributors').delete()
}

/** Values of a column as they occur, to be drawn from. */
function occurring(column: string): fc.Arbitrary<any> {
  const values = [...new Set(films.map((film) => film[column]))].filter((value) => value !== null)
  return fc.constantFrom(...values)
}

/** A piece of a text that occurs, so that patterns hit more often than not. */
function pieceOf(column: string): fc.Arbitrary<string> {
  return fc.tuple(occurring(column), fc.nat(20), fc.integer({ min: 0, max: 4 })).map((drawn) => {
    const [text, start, length] = drawn
    const characters = [...String(text)]
    return characters
      .slice(start % characters.length)
      .slice(0, length)
      .join('')
  })
}

function pattern(column: string): fc.Arbitrary<string> {
  const part = fc.oneof(
    fc.constantFrom('%', '_', '\\%', '\\_'),
    pieceOf(column).map((text) => text.toUpperCase())
  )
  return fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `%${parts.join('')}%`)
}

function operandOf(column: string, operator: string): fc.Arbitrary<Rule['operand']> {
  switch (operator) {
    case 'is':
      return fc.constant(null)
    case 'in':
      return fc.array(occurring(column), { minLength: 1, maxLength: 4 })
    case 'between':
      return fc.tuple(occurring(column), occurring(column)).map((pair) => [...pair])
    case 'contains':
    case 'startswith':
    case 'endswith':
      /* An empty parameter would leave the filter out; a final backslash would escape a comma. */
      return pieceOf(column).filter((text) => text !== '' && !text.endsWith('\\'))
    case 'ilike':
      return pattern(column)
    case 'or':
      return fc.array(
        fc
          .constantFrom('startswith', 'endswith', 'contains', 'eq', 'ilike', 'gt')
          .chain((inner) =>
            operandOf(column, inner).map((operand): Rule => ({ column, operator: inner, operand }))
          ),
        { minLength: 1, maxLength: 3 }
      )
    default:
      return occurring(column)
  }
}

function rule(): fc.Arbitrary<Rule> {
  const names = Object.entries(DECLARED).flatMap(([column, operators]) =>
    operators.map((operator) => ({ column, operator }))
  )
  return fc
    .constantFrom(...names)
    .chain(({ column, operator }) =>
      operandOf(column, operator).map((operand) => ({ column, operator, operand }))
    )
}

/** Several filters, none of them twice. */
const rules = () =>
  fc.uniqueArray(rule(), {
    maxLength: 3,
    selector: ({ column, operator }) => `${column}__${operator}`,
  })

const orders = (): fc.Arbitrary<Order[]> =>
  fc.array(fc.tuple(fc.constantFrom(...SORTABLE), fc.boolean()), { maxLength: 3 })

function sortParameter(order: Order[]): Array<[string, string]> {
  if (order.length === 0) return []
  return [['sort', order.map(([column, down]) => (down ? '-' : '') + column).join(',')]]
}

function expected(filters: Rule[], order: Order[]): Film[] {
  return sorted(
    films.filter((film) => filters.every((filter) => passes(film, filter))),
    order
  )
}

function parameters(filters: Rule[], order: Order[]): Array<[string, string]> {
  return [...filters.map((filter) => toParameter(filter, SHORT_NAMES)), ...sortParameter(order)]
}

test.group('Films', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.setup(async () => {
    await clear()
    await postAll()
    return clear
  })

  test('[S2] the API returns all 3,201 films of the source file, complete and unchanged', async ({
    assert,
  }) => {
    assert.lengthOf(films, 3201)
    const rows = await readThrough((part) => `offset=${part * 1000}&limit=1000`)
    assert.deepEqual(rows.map(stripped), films)
    const { body } = await get('/api/films?limit=1')
    assert.equal(body.total_count, 3201)
  })

  test('[A10, A14] reading by offset and limit returns each film exactly once', async ({
    assert,
  }) => {
    const rows = await readThrough((part) =>
      part === 0 ? 'fields=id' : `fields=id&offset=${part * 100}`
    )
    assert.deepEqual(idsOf(rows), idsOf(films))
  })

  test('[A11, A14] reading page after page returns each film exactly once', async ({ assert }) => {
    const rows = await readThrough(
      (part) => `fields=id&page=${part + 1}&itemsPerPage=97&sort=-major_genre`
    )
    assert.deepEqual(idsOf(rows), idsOf(sorted(films, [['major_genre', true]])))
  })

  test('[A12] has_more is true until the last page of films', async ({ assert }) => {
    const more = []
    for (const page of [1, 2, 3, 4, 5]) {
      const { body } = await get(`/api/films?fields=id&page=${page}&itemsPerPage=1000`)
      more.push(body.has_more)
    }
    assert.deepEqual(more, [true, true, true, false, false])
  })

  test('[A15, A18] sorting by {$self} matches an in-memory sort in both directions')
    .with(SORTABLE)
    .run(async ({ assert }, column) => {
      for (const descending of [false, true]) {
        const sign = descending ? '-' : ''
        const rows = await readThrough(
          (part) => `fields=id&sort=${sign}${column}&offset=${part * 1000}&limit=1000`
        )
        assert.deepEqual(idsOf(rows), idsOf(sorted(films, [[column, descending]])))
      }
    })

  test('[A16, A18] each declared filter selects the same films as an in-memory filter', async ({
    assert,
  }) => {
    for (const [column, operators] of Object.entries(DECLARED)) {
      for (const operator of operators) {
        await fc.assert(
          fc.asyncProperty(operandOf(column, operator), async (operand) => {
            const filter: Rule = { column, operator, operand }
            const wanted = expected([filter], [])
            const { body } = await get(
              `/api/films?fields=id&limit=1000&${toQuery(parameters([filter], []))}`
            )
            assert.equal(body.total_count, wanted.length)
            assert.deepEqual(idsOf(body.data), idsOf(wanted.slice(0, 1000)))
          }),
          { numRuns: runs(8) }
        )
      }
    }
  })

  test('[A14, A16, A18] random filters, sorts and offsets return the same films as an in-memory computation', async ({
    assert,
  }) => {
    const offset = fc.oneof(fc.nat(30), fc.nat(4000))
    await fc.assert(
      fc.asyncProperty(rules(), orders(), offset, fc.nat(200), async (...drawn) => {
        const [filters, order, from, most] = drawn
        const wanted = expected(filters, order)
        const query = toQuery(parameters(filters, order))
        const { body } = await get(`/api/films?fields=id&offset=${from}&limit=${most}&${query}`)
        assert.deepEqual(
          { ids: idsOf(body.data), total: body.total_count },
          { ids: idsOf(wanted.slice(from, from + most)), total: wanted.length }
        )
      }),
      { numRuns: runs(200) }
    )
  })

  test('[S2, A11, A12] random filters, sorts and pages return the same films as an in-memory computation', async ({
    assert,
  }) => {
    const page = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 400 }))
    const size = fc.integer({ min: 1, max: 60 })
    await fc.assert(
      fc.asyncProperty(rules(), orders(), page, size, async (filters, order, number, most) => {
        const wanted = expected(filters, order)
        const query = toQuery(parameters(filters, order))
        const { body } = await get(
          `/api/films?fields=id&page=${number}&itemsPerPage=${most}&${query}`
        )
        assert.deepEqual(
          { ...body, data: idsOf(body.data) },
          {
            data: idsOf(wanted.slice((number - 1) * most, number * most)),
            total_count: wanted.length,
            has_more: wanted.length > number * most,
            page: number,
            items_per_page: most,
          }
        )
      }),
      { numRuns: runs(200) }
    )
  })
})
