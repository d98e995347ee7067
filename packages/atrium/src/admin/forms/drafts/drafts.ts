import { randomBytes } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { dialectOf } from '#base/database/dialects'
import { digest } from '#base/values/digest'
import { inUtc } from '#base/values/datetime'

/**
 * The texts that were typed into a form that is not saved yet.
 */
interface Draft {
  /** Address of the form's page: path and query */
  address: string
  /** Texts by the names of the inputs, without secrets and files */
  texts: Record<string, string[]>
  /** The reference that a record is being made for [R5] */
  asked?: RequestedReference
  /** Title of the record that was made for it */
  made?: string
  /** Why it was stored, as a key of the catalogue below `form.restored` */
  reason: 'unsent' | 'unproved' | 'beside'
}

/**
 * A reference of a form that a new record is wanted for. [R5]
 */
export interface RequestedReference {
  /** Name of the input, which may be that of a row: `items.0.product_id` */
  input: string
  /** Name of the model that has the reference */
  model: string
  /** API name of the reference's column */
  field: string
}

const TABLE = 'admin_kept_forms'
const PURPOSE = 'kept form'

/** Maximum characters of a draft, as JSON */
export const LONGEST_DRAFT = 64 * 1024

/** Maximum drafts of a person; the oldest is removed */
export const MOST_DRAFTS = 10

const HOURS = 24

const ID = /^[\w-]{32}$/

/**
 * Forms whose texts are stored on the server for a day, each for the one person who typed them: while another
 * record is made, or until that person is signed in again. Nothing of them is written to a record. [R5, R10]
 */
export class Drafts {
  /**
   * @param client  returns the query client of the admin's own tables
   */
  constructor(private readonly client: () => QueryClientContract) {}

  /**
   * @returns the id for addresses, which is random; null for a form that is too long
   */
  async keep(userId: number, form: Draft): Promise<string | null> {
    const text = JSON.stringify(form)
    if (text.length > LONGEST_DRAFT) return null
    const id = randomBytes(24).toString('base64url')
    await this.client().transaction(async (client) => {
      await client.from(TABLE).where('created_at', '<', oldest()).delete()
      const content = encryption.encrypt(text, { purpose: PURPOSE })
      const row = { id: digest(id), user_id: userId, content, created_at: inUtc() }
      await client.table(TABLE).insert(row)
      const stored = await client
        .from(TABLE)
        .where('user_id', userId)
        .whereNot('id', row.id)
        .orderBy('created_at', 'desc')
        .select('id')
      const surplus = stored.slice(MOST_DRAFTS - 1).map((one) => one.id)
      if (surplus.length > 0) await client.from(TABLE).whereIn('id', surplus).delete()
    })
    return id
  }

  /**
   * @returns null if there is none, it is too old, or another person typed it
   */
  async find(userId: number, id: string): Promise<Draft | null> {
    if (!ID.test(id)) return null
    const client = this.client()
    const sql = `select content from ${TABLE} where id = ? and user_id = ? and created_at >= ?`
    const values = [digest(id), userId, oldest()]
    const [row] = await dialectOf(client).selectRows(client, sql, values)
    const text = row && encryption.decrypt<string>(String(row.content), PURPOSE)
    return text ? (JSON.parse(text) as Draft) : null
  }

  /**
   * Replaces a draft; the new one has the same limit.
   */
  async replace(userId: number, id: string, form: Draft): Promise<void> {
    const content = encryption.encrypt(JSON.stringify(form), { purpose: PURPOSE })
    await this.#row(userId, id).update({ content })
  }

  async drop(userId: number, id: string): Promise<void> {
    if (ID.test(id)) await this.#row(userId, id).delete()
  }

  #row(userId: number, id: string) {
    return this.client()
      .from(TABLE)
      .where({ id: digest(id), user_id: userId })
  }
}

/** Drafts are not older. */
function oldest(): string {
  return inUtc(DateTime.utc().minus({ hours: HOURS }))
}
