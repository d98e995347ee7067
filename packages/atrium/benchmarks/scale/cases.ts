/** Columns without conversions in SQL, which would also run for skipped rows */
export const COLUMNS =
  'id, name, description, category, price, sku, last_sold, is_deleted, deleted_at, created_at, updated_at'

const ALIVE = 'is_deleted = false'

/** Rows of the category `Rare`; `Common` has half of all rows */
export const RARE = 10

/** A list request and the best SQL for it. */
export interface Case {
  name: string
  /** Query string of `/api/products` */
  query: string
  /** Statements that the driver runs concurrently */
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
 * @param driver  some SQL differs between databases
 * @param rows  number of rows in the table
 */
export function casesFor(driver: string, rows: number): Case[] {
  const middle = Math.floor(rows / 20)
  const isPostgres = driver === 'postgres'
  const contains = isPostgres ? 'strpos(name, ?) > 0' : 'instr(name, ?) > 0'
  return [
    {
      name: 'first page with total',
      query: 'page=1&itemsPerPage=10',
      statements: [page('', [], 'id'), count('', [])],
    },
    {
      name: 'the page in the middle',
      query: `page=${middle}&itemsPerPage=10&count=false`,
      statements: [page('', [], 'id', (middle - 1) * 10)],
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
      name: 'filter that matches half',
      query: 'page=1&itemsPerPage=10&category=Common',
      statements: [page('category = ?', ['Common'], 'id'), count('category = ?', ['Common'])],
    },
    {
      name: 'two filters, their number, an order',
      query: 'page=1&itemsPerPage=10&category=Common&price__gte=900&sort=-price',
      statements: [
        page('category = ? and price >= ?', ['Common', 900], 'price desc, id'),
        count('category = ? and price >= ?', ['Common', 900]),
      ],
    },
    {
      name: 'the last page with total',
      query: `page=${rows / 10}&itemsPerPage=10`,
      statements: [
        {
          sql: `select * from (${page('', [], 'id desc').sql}) as nearest order by id`,
          values: [],
        },
        count('', []),
      ],
    },
  ]
}
