import { randomBytes } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { dialectOf } from '#base/database/dialects'
import { digest } from '#base/values/digest'
import { inUtc } from '#base/values/datetime'
import type { HttpContext } from '@adonisjs/core/http'
import { parameterIn } from '../../http/list_query.js'

/** The input of a form that is not saved yet. */
interface Draft {
  /** URL of the form's page: path and query */
  address: string
  /** Texts by input name, without secrets and files */
  texts: Record<string, string[]>
  /** Reference of the form for which a new record is being created */
  asked?: RequestedReference
  /** Title of the record that was created for the reference */
  made?: string
  /** Reason for storing the draft, as a catalogue key below `form.restored` */
  reason: 'unsent' | 'unproved' | 'beside'
}

/** A reference of a form for which a new record is being created. */
export interface RequestedReference {
  /** Name of the input, which may be in a row: `items.0.product_id` */
  input: string
  /** Name of the model that contains the reference */
  model: string
  /** API name of the reference's column */
  field: string
}

const TABLE = 'admin_kept_forms'
const PURPOSE = 'kept form'

/** Maximum length of a draft as JSON, in characters */
const LONGEST_DRAFT = 64 * 1024

/** Maximum number of drafts per user; the oldest is removed */
const MOST_DRAFTS = 10

const HOURS = 24

const ID = /^[\w-]{32}$/

/**
 * Stores drafts on the server for a day, each only for the user who entered it: while another record is created for the
 * form, or until the user has logged in again. Drafts are never written to records.
 */
export class Drafts {
  /** @param client  returns the query client for the internal tables of the admin site */
  constructor(private readonly client: () => QueryClientContract) {}

  /**
   * Stores a draft.
   *
   * @returns random id for URLs; null if the draft is too long
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
   * @returns null if the draft does not exist, is too old, or belongs to another user
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

  /** Replaces a draft. The time at which it expires does not change. */
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

/** Returns the minimum creation time of a valid draft. */
function oldest(): string {
  return inUtc(DateTime.utc().minus({ hours: HOURS }))
}

export interface WithDrafts {
  readonly drafts: Drafts
}

/*
 * Parameters of a form page's URL that refer to drafts. The page adds them to the URL to which the form is submitted.
 */

/** Id of the draft whose texts the page shows */
export const DRAFT = '_kept'

/** Id of the draft of another form that needs the new record; that form is shown again after the creation */
export const FOR = '_for'

/** The reference, such as `Film.distributor_id`, from whose field the dialog with this form was opened */
export const IN_DIALOG = '_beside'

/** Parameter of the login page, set if the browser has stored the form's input */
export const DRAFT_IN_BROWSER = 'kept'

const LONGEST = 300

/** Returns a parameter of the URL, or null if it is absent or longer than 300 characters. */
export function draftParameter(ctx: HttpContext, name: string): string | null {
  const text = parameterIn(ctx, name)
  return text === null || text.length > LONGEST ? null : text
}

/**
 * Sets, replaces or removes a parameter of a URL.
 *
 * @param value  null to remove the parameter
 */
export function withDraftParameter(address: string, name: string, value: string | null): string {
  const [path, query = ''] = address.split('?', 2)
  const others = query.split('&').filter((one) => one !== '' && !one.startsWith(`${name}=`))
  if (value !== null) others.push(`${name}=${encodeURIComponent(value)}`)
  return others.length > 0 ? `${path}?${others.join('&')}` : path
}

/** Returns the URL that a page's form is submitted to, with the draft parameters of the page's URL. */
export function withDraftParameters(ctx: HttpContext, address: string): string {
  return [DRAFT, FOR, IN_DIALOG].reduce(
    (made, name) => withDraftParameter(made, name, draftParameter(ctx, name)),
    address
  )
}

/** Returns true if the form is shown in a dialog of a reference field. */
export function isInDialog(ctx: HttpContext): boolean {
  return draftParameter(ctx, IN_DIALOG) !== null
}
