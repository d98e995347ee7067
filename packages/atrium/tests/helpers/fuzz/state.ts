/*
 * State for the fuzz run: rows of various models, users, tokens and sessions; and a check that no
 * row has changed.
 */
import db from '@adonisjs/lucid/services/db'
import { emptyEventTables } from '#tests/helpers/events'
import { adminSite, cookiesOf, emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { issueToken } from '#tests/helpers/tokens'

/** Value of hidden columns, which is in no request and must be in no response. */
export const SECRET = 'zy-hidden-4711'

/** Key of a row with a UUID key */
export const UUID = '6f1c1d53-3ba5-4a0f-8f5f-000000000001'

const MOMENT = '2026-01-01 00:00:00'

/* Referring rows come after their targets. */
const ROWS: Record<string, Array<Record<string, unknown>>> = {
  lenders: [{ id: 1, name: 'Arthaus', created_at: MOMENT }],
  reels: [
    { id: 1, title: 'Playtime', lender_id: 1, created_at: MOMENT, release_date: '1967-12-16' },
    { id: 2, title: 'Ä%_\\', created_at: MOMENT },
  ],
  utensils: [
    { id: 1, name: 'Lamp', description: '', category: 'a', price: 1, created_at: MOMENT },
    {
      id: 2,
      name: 'Sofa',
      description: '',
      category: 'a',
      price: 2.5,
      sku: 'a',
      created_at: MOMENT,
      is_deleted: true,
    },
  ],
  seats: [
    { hall: 1, place: '1', label: 'front' },
    { hall: 1, place: 'a', label: 'back' },
  ],
  countries: [{ code: 'a', name: 'A' }],
  tickets: [{ id: UUID, title: 'one' }],
  samples: [{ id: 1, name: 'one', created_at: MOMENT }],
  token_guarded: [{ id: 1, name: 'one' }],
  crud_notes: [
    { id: 1, owner: 'nobody', title: SECRET },
    { id: 2, owner: '1', title: SECRET },
  ],
  inc_labels: [{ id: 1, code: 'a', name: 'A', secret: SECRET }],
  inc_albums: [{ id: 1, title: 'one', label_code: 'a', next_id: 1 }],
  inc_songs: [
    { album_id: 1, position: 1, id: 1, title: 'one', is_public: true },
    { album_id: 1, position: 2, id: 2, title: SECRET, is_public: false },
  ],
  member_accounts: [{ id: 1, email: 'a@example.org', hashed_password: SECRET }],
  shelves: [{ id: 1, code: 'a' }],
  volumes: [{ id: 1, title: 'one', shelf_id: 1 }],
  form_makers: [{ id: 1, name: 'one' }],
  form_machines: [{ id: 1, name: 'one', created_at: MOMENT }],
  bulk_berths: [{ deck: 1, place: 'a', guest: 'one' }],
  mount_racks: [{ id: 1, label: 'one', secret: SECRET }],
}

/** Tables of the requested models. */
export const TABLES: readonly string[] = Object.keys(ROWS)

/** Requested models of the site, in addition to its own. */
export const VIEWS: readonly string[] = [
  ...['Lender', 'Reel', 'Utensil', 'Machine', 'Berth', 'Rack', 'RackToView', 'RackToUpdate'],
  ...['AdminUser', 'AdminAccessToken', 'AdminSession', 'AdminTokenBlacklist'],
]

/* Excludes tables that the site writes on requests which change nothing: counts, views, last
 * uses */
const WATCHED = [...TABLES, 'admin_users', 'admin_access_tokens', 'idempotency_keys']

/*
 * Reading all rows after each request would take longer than the request. Prepared statements are
 * not observed, but run in transactions only.
 */
const WRITING = new RegExp(
  `^\\s*(?:begin|start|(?!select\\b).*\\b(?:${WATCHED.join('|')})\\b)`,
  'is'
)

/** Headers of all callers by name. */
export type Callers = Record<string, Record<string, string>>

export class FuzzState {
  callers: Callers = { nobody: {} }
  #snapshot = ''
  /** True if a query may have changed a row */
  #mayHaveChanged = false
  #stored: Array<[table: string, rows: Array<Record<string, unknown>>]> = []

  /**
   * Creates users, sessions and tokens, once.
   *
   * @returns a function that stops watching the tables
   */
  async begin(): Promise<() => void> {
    await emptyAdminTables()
    const password = SECRET
    const jo = await makeUser('jo', { password })
    const al = await makeUser('al', { isSuperuser: false, password })
    const [all, few] = [await issueToken(jo), await issueToken(al, ['Guarded:read', '*:create'])]
    this.callers = {
      nobody: {},
      superuser: { cookie: await cookiesOf(jo) },
      user: { cookie: await cookiesOf(al) },
      stranger: { cookie: 'access_token=a.b.c; session_id=x' },
      token: all.headers,
      weakToken: few.headers,
      noToken: { authorization: 'Bearer atr_MQ.x' },
    }
    const own = ['admin_users', 'admin_sessions', 'admin_access_tokens']
    this.#stored = await Promise.all(own.map(async (table) => [table, await storable(table)]))
    await this.reset()

    const writeClient = db.connection().getWriteClient()
    const note = ({ sql }: { sql: string }) => {
      if (WRITING.test(sql)) this.#mayHaveChanged = true
    }
    writeClient.on('query', note)
    return () => void writeClient.removeListener('query', note)
  }

  /** Restores all rows. */
  async reset(): Promise<void> {
    const { accessTokens } = await adminSite()
    await accessTokens.settle()
    await emptyEventTables()
    const tables = [...Object.entries(ROWS), ...this.#stored]
    for (const table of ['admin_rate_limits', 'admin_token_blacklist', 'idempotency_keys']) {
      await db.from(table).delete()
    }
    for (const [table] of tables.toReversed()) await db.from(table).delete()
    for (const [table, rows] of tables) for (const row of rows) await db.table(table).insert(row)
    this.#snapshot = await snapshot()
    this.#mayHaveChanged = false
  }

  /** Resets failed logins, so that later ones are not throttled. */
  async forgetFailures(): Promise<void> {
    await db.from('admin_rate_limits').delete()
  }

  /**
   * @throws Error  if a row has changed
   */
  async ensureUnchanged(): Promise<void> {
    if (!this.#mayHaveChanged) return
    this.#mayHaveChanged = false
    const now = await snapshot()
    if (now !== this.#snapshot)
      throw new Error(`a row has changed: ${difference(this.#snapshot, now)}`)
  }
}

/** Rows without generated columns. */
async function storable(table: string): Promise<Array<Record<string, unknown>>> {
  const rows: Array<Record<string, unknown>> = await db.from(table)
  return rows.map(({ username_key: _generated, ...row }) => row)
}

async function snapshot(): Promise<string> {
  const tables = await Promise.all(
    WATCHED.map(async (table) => {
      const rows: Array<Record<string, unknown>> = await db.from(table)
      return rows.map((row) => `${table} ${JSON.stringify({ ...row, last_used_at: null })}`).sort()
    })
  )
  return tables.flat().join('\n')
}

function difference(before: string, now: string): string {
  const [old, young] = [before.split('\n'), now.split('\n')]
  return [
    ...old.filter((row) => !young.includes(row)).map((row) => `- ${row}`),
    ...young.filter((row) => !old.includes(row)).map((row) => `+ ${row}`),
  ].join('\n')
}
