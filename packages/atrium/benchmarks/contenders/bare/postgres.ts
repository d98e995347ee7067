import pg from 'pg'
import type { BareDriver } from './driver.js'

export function open(url: string): BareDriver {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  /* The database is removed while connections to it are idle. */
  pool.on('error', () => {})
  let count = 0
  return {
    prepare(sql) {
      const name = `bare_${++count}`
      let place = 0
      const text = sql.replaceAll('?', () => `$${++place}`)
      return async (values) => {
        const { rows } = await pool.query({ name, text, values: [...values] })
        return rows
      }
    },
    read: {
      decimal: (name) => `${name}::float8 as ${name}`,
      datetime: (name) => `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as ${name}`,
    },
  }
}
