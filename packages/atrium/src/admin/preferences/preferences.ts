import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import { raiseVersions } from '../models/versions.js'

const TABLE = 'admin_preferences'

/**
 * Preferences of users, stored on the server so that they apply in every browser: a JSON value for each user and name.
 */
export class Preferences {
  /** @param client  returns the query client of the admin site's tables */
  constructor(private readonly client: () => QueryClientContract) {}

  /** Returns preferences of a user, by name; preferences that are not set are missing. */
  async read(userId: number, names: readonly string[]): Promise<Map<string, unknown>> {
    const client = this.client()
    const marks = names.map(() => '?').join(', ')
    const rows = await dialectOf(client).selectRows(
      client,
      `select name, value from ${TABLE} where user_id = ? and name in (${marks})`,
      [userId, ...names]
    )
    return new Map(rows.map(({ name, value }) => [String(name), JSON.parse(String(value))]))
  }

  /**
   * Stores or removes preferences of a user.
   *
   * @param values  values by name; null removes the preference
   */
  async write(userId: number, values: Readonly<Record<string, unknown>>): Promise<void> {
    await this.client().transaction(async (client) => {
      for (const [name, value] of Object.entries(values)) {
        if (value === null) {
          await client.from(TABLE).where({ user_id: userId, name }).delete()
          continue
        }
        await client
          .table(TABLE)
          .insert({ user_id: userId, name, value: JSON.stringify(value) })
          .onConflict(['user_id', 'name'])
          .merge()
      }
      await raiseVersions(client, [userId])
    })
  }
}

export interface WithPreferences {
  readonly preferences: Preferences
}
