import type { Database } from '@adonisjs/lucid/database'

/** Queries for the offset of a session's time zone from UTC in seconds, by Knex's client name */
const OFFSETS: Record<string, string> = {
  pg: 'select extract(timezone from now())::int as seconds',
  mysql2: 'select timestampdiff(second, utc_timestamp(), now()) as seconds',
}

/**
 * Returns warnings about settings of a connection with which values differ from the stored ones, or foreign keys have
 * no effect. Connections of `adonis-atrium/database` have correct settings.
 */
export async function connectionWarnings(db: Database, name: string): Promise<string[]> {
  const { client } = db.getRawConnection(name)!.config
  const place = `The connection ${name} of config/database.ts`
  const warnings: string[] = []
  if (OFFSETS[client]) {
    const result = await db.connection(name).rawQuery(OFFSETS[client])
    const [{ seconds }] = client === 'pg' ? result.rows : result[0]
    if (Number(seconds) !== 0) {
      warnings.push(
        `${place}: the time zone of its sessions is not UTC, so times in columns with a time zone are read and written wrong. Set UTC in pool.afterCreate or on the server`
      )
    }
  }
  if (client.includes('sqlite')) {
    const [{ foreign_keys: enforced }] = await db.connection(name).rawQuery('pragma foreign_keys')
    if (!enforced) {
      warnings.push(
        `${place}: foreign keys are not enforced, so rows that refer to a deleted row stay. Run PRAGMA foreign_keys = ON in pool.afterCreate`
      )
    }
  }
  return warnings
}

/** Returns the time zone of the process if it is not UTC; undefined for UTC all year */
export function otherZone(): string | undefined {
  const year = new Date().getFullYear()
  const isUtc = [0, 6].every((month) => new Date(year, month).getTimezoneOffset() === 0)
  return isUtc ? undefined : new Intl.DateTimeFormat().resolvedOptions().timeZone
}
