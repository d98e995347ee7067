import db from '@adonisjs/lucid/services/db'
import { MAIN } from './databases.js'

/** Change of a new driver connection */
export type Change = (connection: any) => void

/** Runs work on a knex of the tests' database whose connections have one change only. */
export async function withDriver<Result>(
  change: Change,
  work: (knex: any) => Promise<Result>
): Promise<Result> {
  const name = `as_it_comes_${process.pid}`
  const { config } = db.getRawConnection(MAIN)!
  const afterCreate = (connection: any, done: (error: null, connection: any) => void) => {
    change(connection)
    done(null, connection)
  }
  db.manager.add(name, { ...config, pool: { min: 0, max: 1, afterCreate } } as typeof config)
  try {
    return await work(db.connection(name).getWriteClient())
  } finally {
    await db.manager.close(name, true)
  }
}

export const asItComes: Change = () => {}
