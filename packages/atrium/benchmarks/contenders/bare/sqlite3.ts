import sqlite3 from 'sqlite3'
import { PRAGMAS, type BareDriver, type Row } from './driver.js'

export async function open(filename: string): Promise<BareDriver> {
  const database = await new Promise<sqlite3.Database>((resolve, reject) => {
    const opened = new sqlite3.Database(filename, (error) =>
      error ? reject(error) : resolve(opened)
    )
  })
  await new Promise<void>((resolve, reject) => {
    const sql = PRAGMAS.map((pragma) => `PRAGMA ${pragma};`).join(' ')
    database.exec(sql, (error) => (error ? reject(error) : resolve()))
  })
  return {
    prepare(sql) {
      const statement = database.prepare(sql)
      return (values) =>
        new Promise((resolve, reject) => {
          statement.all(values, (error, rows: Row[]) => (error ? reject(error) : resolve(rows)))
        })
    },
    read: { decimal: (name) => name, datetime: (name) => name },
  }
}
