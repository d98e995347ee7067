/*
 * The tables and models of the demo. This file stays when the demo is removed, as its tables may be removed later.
 */
import { existsSync } from 'node:fs'
import app from '@adonisjs/core/services/app'
import env from '#start/env'

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

/** All of its migrations: those above, and those that change its tables */
export const DEMO_MIGRATIONS = [
  ...Object.values(DEMO_TABLES),
  'database/migrations/1795226400007_add_photos_to_products_table',
]

/** Files below app/models */
export const DEMO_MODELS = [
  ...['customer.ts', 'distributor.ts', 'film.ts', 'order.ts', 'order_line.ts', 'product.ts'],
]

/**
 * True if a model of the demo is in use: `DEMO` does not leave it out, and its file exists. Pages and cards of the demo
 * are not in the site without their models.
 *
 * @param file  name of the file below app/models, as in `order`
 */
export function hasDemoModel(file: string): boolean {
  const isThere = ['ts', 'js'].some((ending) => existsSync(app.modelsPath(`${file}.${ending}`)))
  return env.get('DEMO', true) && isThere
}
