import { defineConfig } from '@adonisjs/lucid'
import { PRAGMAS } from '../../bare/driver.js'

const { BENCH_DRIVER: driver, BENCH_DATABASE: database } = process.env

/* Pragmas are set in the pool's hook, in the way of each driver. */
const afterCreate = (connection: any, done: (error: unknown, connection: unknown) => void) => {
  if (driver === 'sqlite3') {
    const sql = PRAGMAS.map((pragma) => `PRAGMA ${pragma};`).join(' ')
    connection.exec(sql, (error: unknown) => done(error, connection))
  } else {
    for (const pragma of PRAGMAS) connection.pragma(pragma)
    done(null, connection)
  }
}

export default defineConfig({
  connection: 'main',
  connections: {
    main:
      driver === 'postgres'
        ? { client: 'pg', connection: { connectionString: database }, pool: { min: 0, max: 10 } }
        : {
            client: driver as 'sqlite3' | 'better-sqlite3',
            connection: { filename: database! },
            useNullAsDefault: true,
            pool: { min: 1, max: 1, afterCreate },
          },
  },
})
