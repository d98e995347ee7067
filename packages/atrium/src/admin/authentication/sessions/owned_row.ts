import type { LucidModel, ModelAttributes } from '@adonisjs/lucid/types/model'
import { recordFromRow, withQuickMoments } from '#base/lucid/lucid_moments'
import AdminUser from '../../models/admin_user.js'
import { notePerson } from '../../identity/person.js'

const OF_USER = 'user__'

/**
 * Returns the SQL that selects records with their users, one row each, for the query of every request. Columns of the
 * user have the prefix `user__`.
 *
 * @param model  a model with a `user_id` column
 * @param where  condition on the records, with question marks for values
 */
export function ownedQuery(model: LucidModel, where: string): string {
  const { table } = model
  const columns = [
    ...columnsOf(model).map((name) => `${table}.${name}`),
    ...columnsOf(AdminUser).map((name) => `admin_users.${name} as ${OF_USER}${name}`),
  ]
  return `select ${columns.join(', ')} from ${table} join admin_users on admin_users.id = ${table}.user_id where ${where}`
}

/** The user that a record belongs to, with the properties that most requests need. */
export class Owner {
  readonly id: number
  readonly username: string
  readonly permissionsVersion: number
  readonly #isSuperuser: boolean
  #viewedRole: number | undefined
  readonly #row: Record<string, unknown>
  #user: AdminUser | undefined

  constructor(row: Record<string, unknown>) {
    this.#row = row
    this.id = row[`${OF_USER}id`] as number
    this.username = row[`${OF_USER}username`] as string
    this.#isSuperuser = Boolean(row[`${OF_USER}is_superuser`])
    this.permissionsVersion = row[`${OF_USER}permissions_version`] as number
  }

  /** @param row  row of the users' table, by column name */
  static ofRow(row: Record<string, unknown>): Owner {
    const named = Object.entries(row).map(([name, value]) => [OF_USER + name, value])
    return new Owner(Object.fromEntries(named))
  }

  /** False for a superuser who currently views the site as a role. */
  get isSuperuser(): boolean {
    return this.#isSuperuser && this.#viewedRole === undefined
  }

  /** Id of the role whose permissions replace those of the user. */
  get viewedRole(): number | undefined {
    return this.#viewedRole
  }

  /**
   * Replaces the permissions of the request by those of a role. Changes nothing for users who are not superusers,
   * because the role could allow more than they are allowed to do.
   */
  viewAs(roleId: number): void {
    if (this.#isSuperuser) this.#viewedRole = roleId
  }

  /** The user as a model instance, created on first use, because creating it takes as long as finding the record. */
  get user(): AdminUser {
    return (this.#user ??= this.#made())
  }

  #made(): AdminUser {
    const ofUser: Record<string, unknown> = {}
    for (const { columnName } of AdminUser.$columnsDefinitions.values()) {
      ofUser[columnName] = this.#row[OF_USER + columnName]
    }
    /*
     * The model instance has the same value, because policies of the application can read it there.
     */
    if (this.#viewedRole !== undefined) ofUser.is_superuser = false
    const user = recordFromRow(AdminUser, ofUser) as AdminUser
    notePerson(user, this)
    return user
  }
}

/**
 * Splits a row of `ownedQuery` into record and owner. The record consists of plain attributes, because creating a model
 * instance would take longer than finding the record.
 */
export function partOwned<Model extends LucidModel>(
  model: Model,
  row: Record<string, unknown>
): { record: ModelAttributes<InstanceType<Model>>; owner: Owner } {
  return { record: consumed(model, withQuickMoments(model, row)), owner: new Owner(row) }
}

/** Returns the attributes, converted by the model's `consume` functions. */
function consumed<Model extends LucidModel>(
  model: Model,
  row: Record<string, unknown>
): ModelAttributes<InstanceType<Model>> {
  const attributes: Record<string, unknown> = {}
  for (const [name, { columnName, consume }] of model.$columnsDefinitions) {
    const value = row[columnName]
    attributes[name] = consume ? consume(value, name, model.prototype) : value
  }
  return attributes as ModelAttributes<InstanceType<Model>>
}

function columnsOf(model: LucidModel): string[] {
  return [...model.$columnsDefinitions.values()].map(({ columnName }) => columnName)
}
