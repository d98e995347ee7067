import { BaseSeeder } from '@adonisjs/lucid/seeders'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { customers, makeOrders } from '#database/data/orders'
import { products } from '#database/data/products'
import { readFilms, summarizeChanges, tidyFilm } from '#database/data/films'

const NAME = 'demo'
const TABLES = ['products', 'distributors', 'films', 'customers', 'orders', 'order_lines']
const BATCH = 200

/** Works with the films of the distributor that the user's attributes name. */
const CINEMA_CLERK = {
  name: 'Cinema clerk',
  description:
    'Films of one distributor, without the gross: {"distributor_id": 1} in the attributes',
  permissions: {
    Distributor: { actions: ['view'] },
    Film: {
      actions: ['view', 'create', 'update'],
      hidden: ['us_gross', 'worldwide_gross'],
      scopes: ['ownDistributor'],
    },
  },
}

/** Views of the list of films that everybody has. */
const VIEWS: Array<{ name: string; query: Record<string, string> }> = [
  {
    name: 'Blockbusters',
    query: {
      'filter.worldwide_gross__gte': '300000000',
      'columns': 'title,worldwide_gross,us_gross,production_budget,release_date,distributor_id',
      'sort_by': 'worldwide_gross',
      'sort_order': 'desc',
    },
  },
  { name: 'No genre known', query: { 'filter.major_genre__is': 'null' } },
]

/**
 * Fills the tables of the demo models, once. It writes plain rows and knows none of the models, so
 * it works on whatever becomes of them.
 */
export default class DemoSeeder extends BaseSeeder {
  /** Not in production, where `node ace db:seed` runs the application's own seeders */
  static environment = ['development', 'test']

  readonly #now = sqlDateTime(new Date())

  /**
   * Does nothing, and says nothing, when it ran before, when a demo table is gone, or when one holds
   * rows already. All or nothing is written.
   */
  async run() {
    if (!(await this.#canRun())) return

    const progress = new Progress()
    try {
      const outcome = await this.client.transaction((trx) => this.#seed(trx, progress))
      if (outcome) progress.end(outcome)
    } catch (error) {
      progress.end('Seeding the demo data failed; nothing was written.')
      throw error
    }
  }

  async #canRun(): Promise<boolean> {
    for (const table of ['seed_runs', ...TABLES]) {
      if (!(await this.client.schema.hasTable(table))) return false
    }
    return (await this.client.from('seed_runs').where('name', NAME).first()) === null
  }

  async #holdsRows(trx: TransactionClientContract): Promise<boolean> {
    for (const table of TABLES) {
      if (await trx.from(table).first()) return true
    }
    return false
  }

  /**
   * @returns what was done, in words, or null if it was nothing
   */
  async #seed(trx: TransactionClientContract, progress: Progress): Promise<string | null> {
    /*
     * Written first: another process that starts at the same time waits here, and then finds rows.
     * On SQLite, a transaction that reads before it writes would fail instead of waiting.
     */
    await trx
      .table('seed_runs')
      .insert({ name: NAME, ran_at: this.#now })
      .onConflict('name')
      .ignore()

    if (await this.#holdsRows(trx)) {
      await trx.rollback()
      return null
    }
    progress.begin('Seeding the demo data')

    const films = readFilms().map(tidyFilm)
    const distributors = await this.#insertDistributors(
      trx,
      films.map(({ distributor }) => distributor)
    )
    const rows = films.map(({ film, distributor }) => ({
      ...film,
      distributor_id: distributor === null ? null : distributors.get(distributor),
      created_at: this.#now,
    }))
    for (let start = 0; start < rows.length; start += BATCH) {
      const batch = rows.slice(start, start + BATCH)
      await trx.table('films').multiInsert(batch)
      progress.update(`Seeding films: ${start + batch.length} of ${rows.length}`)
    }
    await trx.table('products').multiInsert(products)
    const orders = await this.#insertOrders(trx)
    await this.#makeRole(trx)
    await this.#makeViews(trx)

    const changes = summarizeChanges(films.flatMap((film) => film.changes))
    return (
      `Seeded ${rows.length} films, ${distributors.size} distributors, ${products.length} products and ${orders} orders.` +
      (changes.length > 0 ? ` Changed on the way: ${changes.join(', ')}.` : '')
    )
  }

  /**
   * Inserts the customers and their orders with lines.
   *
   * @returns the number of orders
   */
  async #insertOrders(trx: TransactionClientContract): Promise<number> {
    const made = { created_at: this.#now }
    await trx.table('customers').multiInsert(customers.map((row) => ({ ...row, ...made })))
    const orders = makeOrders(products)
    const customerIds = await this.#idsBy(trx, 'customers', 'email')
    await trx.table('orders').multiInsert(
      orders.map(({ customer, lines, ...row }) => ({
        ...row,
        ...made,
        customer_id: customerIds.get(customers[customer].email),
      }))
    )
    const orderIds = await this.#idsBy(trx, 'orders', 'number')
    const productIds = await this.#idsBy(trx, 'products', 'name')
    await trx.table('order_lines').multiInsert(
      orders.flatMap(({ number, lines }) =>
        lines.map(({ product, ...row }) => ({
          ...row,
          order_id: orderIds.get(number),
          product_id: productIds.get(products[product].name),
        }))
      )
    )
    return orders.length
  }

  async #idsBy(
    trx: TransactionClientContract,
    table: string,
    column: string
  ): Promise<Map<string, number>> {
    const rows = await trx.from(table).select('id', column)
    return new Map(rows.map((row) => [row[column], row.id]))
  }

  /**
   * Makes the role of the demo, where the roles are in the same database and none is called so.
   */
  async #makeRole(trx: TransactionClientContract) {
    if (!(await trx.schema.hasTable('admin_roles'))) return
    const { permissions, ...role } = CINEMA_CLERK
    if (await trx.from('admin_roles').where('name', role.name).first()) return
    const row = { ...role, permissions: JSON.stringify(permissions), created_at: this.#now }
    await trx.table('admin_roles').insert(row)
  }

  /**
   * Makes the shared views of the demo, where views are in the same database. They have no owner, so
   * superusers change them.
   */
  async #makeViews(trx: TransactionClientContract) {
    if (!(await trx.schema.hasTable('admin_saved_views'))) return
    const rows = VIEWS.map(({ name, query }) => ({
      model: 'Film',
      name,
      query: new URLSearchParams(query).toString(),
      shared: true,
      created_at: this.#now,
    }))
    await trx.table('admin_saved_views').multiInsert(rows)
  }

  /**
   * Inserts each distributor once, in the order of first appearance.
   *
   * @returns the ids by name
   */
  async #insertDistributors(
    trx: TransactionClientContract,
    names: Array<string | null>
  ): Promise<Map<string, number>> {
    const distinct = [...new Set(names)].filter((name) => name !== null)
    await trx
      .table('distributors')
      .multiInsert(distinct.map((name) => ({ name, created_at: this.#now })))

    const rows = await trx.from('distributors').select('id', 'name')
    return new Map(rows.map(({ id, name }) => [name, id]))
  }
}

/**
 * Prints the progress: on one line that is overwritten, or, where the output is not a terminal, with
 * a line at the start and one at the end.
 */
class Progress {
  readonly #output = process.stdout

  begin(text: string) {
    if (this.#output.isTTY) this.update(text)
    else this.#output.write(`${text}\n`)
  }

  update(text: string) {
    if (this.#output.isTTY) this.#output.write(`\r\u001B[2K${text}`)
  }

  end(text: string) {
    this.#output.write(this.#output.isTTY ? `\r\u001B[2K${text}\n` : `${text}\n`)
  }
}

function sqlDateTime(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ')
}
