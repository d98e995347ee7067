/*
 * The tables and models of the demo. This file stays when the demo is removed, as its tables may be removed later.
 */

/** Its tables with the migration of each, referring tables before the referenced ones */
export const DEMO_TABLES = {
  order_lines: 'database/migrations/1795226400006_create_order_lines_table',
  orders: 'database/migrations/1795226400005_create_orders_table',
  customers: 'database/migrations/1795226400004_create_customers_table',
  films: 'database/migrations/1795226400002_create_films_table',
  distributors: 'database/migrations/1795226400001_create_distributors_table',
  products: 'database/migrations/1795226400000_create_products_table',
  seed_runs: 'database/migrations/1795226400003_create_seed_runs_table',
}

/** Files below app/models */
export const DEMO_MODELS = [
  ...['customer.ts', 'distributor.ts', 'film.ts', 'order.ts', 'order_line.ts', 'product.ts'],
]
