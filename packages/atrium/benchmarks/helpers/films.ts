import { sameNumbers } from './statistics.js'

const DISTRIBUTORS = 150
const CREATED = '2026-01-01 00:00:00'
const WORDS =
  'night river summer house last stranger return city letter winter dream garden silence road'.split(
    ' '
  )
const GENRES = ['Comedy', 'Drama', 'Horror', 'Musical', 'Western', null]

/** Inserts films and their distributors, the same in every run. */
export async function insertFilms(client: any, count: number): Promise<void> {
  await client.transaction(async (trx: any) => {
    await trx.table('distributors').multiInsert(distributors())
    for (let start = 0; start < count; start += 500) {
      await trx.table('films').multiInsert(films(start + 1, Math.min(500, count - start)))
    }
  })
}

export function distributors() {
  return Array.from({ length: DISTRIBUTORS }, (_, index) => ({
    id: index + 1,
    name: `Distributor ${index + 1}`,
    created_at: CREATED,
  }))
}

/**
 * Rows of films from a number on, without their keys. A tenth of the values is null, and a fifth of the titles
 * contains any given word.
 */
export function films(first: number, count: number) {
  const random = sameNumbers(first)
  const some = <Value>(value: Value) => (random() < 0.1 ? null : value)
  const below = (most: number) => Math.floor(random() * most)
  const two = (number: number) => String(number).padStart(2, '0')
  return Array.from({ length: count }, (_, index) => ({
    title: `${[0, 1, 2].map(() => WORDS[below(WORDS.length)]).join(' ')} ${first + index}`,
    us_gross: some(below(500_000_000)),
    worldwide_gross: some(below(2_000_000_000)),
    us_dvd_sales: some(below(100_000_000)),
    production_budget: some(below(200_000_000)),
    release_date: `${1950 + below(60)}-${two(1 + below(12))}-${two(1 + below(28))}`,
    mpaa_rating: some('PG-13'),
    running_time_min: some(60 + below(120)),
    distributor_id: some(1 + below(DISTRIBUTORS)),
    source: some('Original Screenplay'),
    major_genre: GENRES[below(GENRES.length)],
    creative_type: some('Contemporary Fiction'),
    director: some(`Director ${below(900)}`),
    rotten_tomatoes_rating: some(below(101)),
    imdb_rating: some(below(100) / 10),
    imdb_votes: some(below(500_000)),
    created_at: CREATED,
  }))
}
