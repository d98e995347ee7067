import Database from 'better-sqlite3'
import { PRAGMAS, type BareDriver, type Row } from './driver.js'

export function open(filename: string): BareDriver {
  const database = new Database(filename)
  for (const pragma of PRAGMAS) database.pragma(pragma)
  return {
    prepare(sql) {
      const statement = database.prepare(sql)
      return (values) => statement.all(...values) as Row[]
    },
    read: { decimal: (name) => name, datetime: (name) => name },
  }
}
