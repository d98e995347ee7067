/** As the driver gives their values: what is worked out of one is so for each row that is skipped, too. */
export const COLUMNS =
  'id, name, description, category, price, sku, last_sold, is_deleted, deleted_at, created_at, updated_at'

const ALIVE = 'is_deleted = false'

export const ROWS = 1_000_000

/** How many rows two of the categories have. */
export const RARE = 10
export const COMMON = 500_000

/**
 * A list that is asked for, and the best SQL for it.
 */
export interface Case {
  name: string
  /** Query string of `/api/products` */
  query: string
  /** What the driver runs, at once */
  statements: Array<{ sql: string; values: unknown[] }>
}

function page(where: string, values: unknown[], order: string, offset: number = 0) {
  const sql = `select ${COLUMNS} from products where ${[ALIVE, where].filter(Boolean).join(' and ')} order by ${order} limit 10 offset ${offset}`
  return { sql, values }
}

function count(where: string, values: unknown[]) {
  const sql = `select count(*) as total from products where ${[ALIVE, where].filter(Boolean).join(' and ')}`
  return { sql, values }
}

/**
 * All of them.
 *
 * @param driver  some SQL differs from one database to another
 */
export function casesFor(driver: string): Case[] {
  const isPostgres = driver === 'postgres'
  const contains = isPostgres ? 'strpos(name, ?) > 0' : 'instr(name, ?) > 0'
  return [
    {
      name: 'first page with total',
      query: 'page=1&itemsPerPage=10',
      statements: [page('', [], 'id'), count('', [])],
    },
    {
      name: 'page 50,000',
      query: 'page=50000&itemsPerPage=10&count=false',
      statements: [page('', [], 'id', 499_990)],
    },
    {
      name: 'sort by an indexed column',
      query: 'page=1&itemsPerPage=10&sort=category&count=false',
      statements: [page('', [], 'category, id')],
    },
    {
      name: 'sort by another column',
      query: 'page=1&itemsPerPage=10&sort=price&count=false',
      statements: [page('', [], 'price, id')],
    },
    {
      name: 'substring search with total',
      query: 'page=1&itemsPerPage=10&name__contains=lamp%20stool%2077',
      statements: [page(contains, ['lamp stool 77'], 'id'), count(contains, ['lamp stool 77'])],
    },
    {
      name: `filter that matches ${RARE}`,
      query: 'page=1&itemsPerPage=10&category=Rare',
      statements: [page('category = ?', ['Rare'], 'id'), count('category = ?', ['Rare'])],
    },
    {
      name: `filter that matches ${COMMON}`,
      query: 'page=1&itemsPerPage=10&category=Common',
      statements: [page('category = ?', ['Common'], 'id'), count('category = ?', ['Common'])],
    },
  ]
}
