import type { Database } from '@adonisjs/lucid/database'

/** By Knex's client name: seconds by which the zone of a session is off UTC */
const OFFSETS: Record<string, string> = {
  pg: 'select extract(timezone from now())::int as seconds',
  mysql2: 'select timestampdiff(second, utc_timestamp(), now()) as seconds',
}

/**
 * Settings of the process and of a connection by which values come out different from what is stored. The connections of
 * `adonis-atrium/database` have them right. [K5]
 */
export async function connectionWarnings(db: Database, name: string): Promise<string[]> {
  const { client, connection } = db.getRawConnection(name)!.config
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
  const { supportBigNumbers } = (connection ?? {}) as { supportBigNumbers?: boolean }
  if (client === 'mysql2' && !supportBigNumbers) {
    warnings.push(
      `${place}: integers beyond 2^53 are rounded, keys among them. Set supportBigNumbers: true in its connection`
    )
  }
  return warnings
}

/** In what other zone the process is; undefined for UTC all year */
export function otherZone(): string | undefined {
  const year = new Date().getFullYear()
  const isUtc = [0, 6].every((month) => new Date(year, month).getTimezoneOffset() === 0)
  return isUtc ? undefined : new Intl.DateTimeFormat().resolvedOptions().timeZone
}
