import type { LoadRequest } from '../../../benchmarks/helpers/load.js'

const FILMS = 300
const JSON_TYPE = { 'content-type': 'application/json' }

/** Frequency of each kind per hundred requests. */
const MIX: Array<[number, (n: number, cookie: string, rows: number) => LoadRequest]> = [
  [30, (n, _, rows) => ({ method: 'GET', path: `/api/products/${1 + ((n * 7919) % rows)}` })],
  [12, (n) => ({ method: 'GET', path: `/api/films?page=${1 + (n % 20)}&sort=-title` })],
  [8, () => ({ method: 'GET', path: '/api/products?limit=10&count=false&fields=id,name' })],
  [
    15,
    (n, _, rows) => ({
      method: 'PATCH',
      path: `/api/products/${1 + ((n * 104_729) % rows)}`,
      headers: JSON_TYPE,
      body: JSON.stringify({ price: n }),
    }),
  ],
  [
    10,
    (n) => ({
      method: 'POST',
      path: '/api/products',
      headers: JSON_TYPE,
      body: JSON.stringify({ name: `New ${n}`, description: 'x', category: 'y', price: n }),
    }),
  ],
  [
    14,
    (n, cookie) => ({
      method: 'GET',
      path: `/admin/Film/?page=${1 + (n % 20)}&search-input=${n % 2 ? 'Film' : ''}`,
      headers: { cookie },
    }),
  ],
  [
    10,
    (n, cookie, rows) => ({
      method: 'GET',
      path: `/admin/Product/update/${1 + ((n * 15_485_863) % rows)}`,
      headers: { cookie },
    }),
  ],
  [1, (_, cookie) => ({ method: 'GET', path: '/admin', headers: { cookie } })],
]

/**
 * REST and admin requests, reads and writes, in the order in which they are sent repeatedly.
 *
 * @param rows  number of products
 */
export function mixedRequests(cookie: string, rows: number): LoadRequest[] {
  const requests: LoadRequest[] = []
  for (let round = 0; round < 5; round++) {
    const some = MIX.flatMap(([count, make]) =>
      Array.from({ length: count }, (_, index) => make(1 + round * 100 + index, cookie, rows))
    )
    /* Spread evenly over the sequence. */
    requests.push(...some.map((_, index) => some[(index * 37) % some.length]))
  }
  return requests
}

/** Creates the films for the lists. */
export async function makeFilms(origin: string): Promise<void> {
  for (let i = 1; i <= FILMS; i++) {
    const { status } = await fetch(`${origin}/api/films`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ title: `Film ${i}`, worldwide_gross: i * 1000 }),
    })
    if (status !== 201) throw new Error(`A film could not be made: ${status}`)
  }
}
