import { openDriver, type Row, type Statement } from './driver.js'

const PAGE = 10

export interface ProductList {
  data: Row[]
  total_count: number
  has_more: boolean
  page: number
  items_per_page: number
}

/**
 * Products by prepared statements: the least work for a response.
 */
export class BareProducts {
  private constructor(
    private readonly statements: {
      one: Statement
      page: Statement
      count: Statement
      insert: Statement
      update(columns: string[]): Statement
    }
  ) {}

  static async open(): Promise<BareProducts> {
    const { prepare, read } = await openDriver()
    const wire = [
      'id, name, description, category',
      read.decimal('price'),
      'sku',
      read.datetime('last_sold'),
      'is_deleted',
      read.datetime('deleted_at'),
      read.datetime('created_at'),
      read.datetime('updated_at'),
    ].join(', ')
    const alive = 'is_deleted = false'
    const updates = new Map<string, Statement>()
    return new BareProducts({
      one: prepare(`select ${wire} from products where id = ? and ${alive} limit 1`),
      page: prepare(
        `select ${wire} from products where ${alive} and category = ? order by id limit ? offset ?`
      ),
      count: prepare(`select count(*) as total from products where ${alive} and category = ?`),
      insert: prepare(
        `insert into products (name, description, category, price, sku, last_sold, is_deleted, created_at, updated_at) values (?, ?, ?, ?, ?, ?, false, ?, ?) returning ${wire}`
      ),
      update(columns) {
        const sets = columns.map((name) => `${name} = ?`).join(', ')
        let statement = updates.get(sets)
        if (!statement) {
          statement = prepare(`update products set ${sets} where id = ? and ${alive} returning id`)
          updates.set(sets, statement)
        }
        return statement
      },
    })
  }

  async find(id: number): Promise<Row | undefined> {
    const [row] = await this.statements.one([id])
    return row && item(row)
  }

  async list(category: string, page: number): Promise<ProductList> {
    const [rows, [{ total }]] = await Promise.all([
      this.statements.page([category, PAGE, (page - 1) * PAGE]),
      this.statements.count([category]),
    ])
    const count = Number(total)
    return {
      data: rows.map(item),
      total_count: count,
      has_more: page * PAGE < count,
      page,
      items_per_page: PAGE,
    }
  }

  async create(values: Row): Promise<Row> {
    const { name, description, category, price, sku = null, last_sold: lastSold = null } = values
    const time = now()
    const [row] = await this.statements.insert([
      name,
      description,
      category,
      price,
      sku,
      text(lastSold),
      time,
      time,
    ])
    return item(row)
  }

  async update(id: number, values: Row): Promise<boolean> {
    const changes: Row = { ...values, updated_at: now() }
    const columns = Object.keys(changes)
    const statement = this.statements.update(columns)
    const rows = await statement([...columns.map((name) => text(changes[name])), id])
    return rows.length > 0
  }
}

/** SQLite has no booleans. */
function item(row: Row): Row {
  row.is_deleted = Boolean(row.is_deleted)
  return row
}

function now(): string {
  return text(new Date()) as string
}

function text(value: unknown): unknown {
  return value instanceof Date ? value.toISOString().slice(0, 19).replace('T', ' ') : value
}
