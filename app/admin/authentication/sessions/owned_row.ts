import type { LucidModel, ModelAttributes } from '@adonisjs/lucid/types/model'
import { withQuickMoments } from '#crud/lucid/lucid_moments'
import AdminUser from '../../models/admin_user.js'

const OF_USER = 'user__'

/**
 * The select of records with the users whom they belong to, in one row each, for what every request
 * asks; what is the user's has `user__` before it.
 *
 * @param model  with a column `user_id`
 * @param where  which records, with question marks
 */
export function ownedQuery(model: LucidModel, where: string): string {
  const { table } = model
  const columns = [
    ...columnsOf(model).map((name) => `${table}.${name}`),
    ...columnsOf(AdminUser).map((name) => `admin_users.${name} as ${OF_USER}${name}`),
  ]
  return `select ${columns.join(', ')} from ${table} join admin_users on admin_users.id = ${table}.user_id where ${where}`
}

/**
 * The user whom a record belongs to, as far as most requests want to know.
 */
export class Owner {
  readonly id: number
  readonly username: string
  readonly isSuperuser: boolean
  readonly #row: Record<string, unknown>
  #user: AdminUser | undefined

  constructor(row: Record<string, unknown>) {
    this.#row = row
    this.id = row[`${OF_USER}id`] as number
    this.username = row[`${OF_USER}username`] as string
    this.isSuperuser = Boolean(row[`${OF_USER}is_superuser`])
  }

  /** The user as a model instance, made for who asks: it takes as long as to find the record. */
  get user(): AdminUser {
    return (this.#user ??= this.#made())
  }

  #made(): AdminUser {
    const ofUser: Record<string, unknown> = {}
    for (const { columnName } of AdminUser.$columnsDefinitions.values()) {
      ofUser[columnName] = this.#row[OF_USER + columnName]
    }
    return AdminUser.$createFromAdapterResult(withQuickMoments(AdminUser, ofUser)) as AdminUser
  }
}

/**
 * Makes record and owner of such a row. The record is what is stored of it, without what a model
 * instance can do, which would take longer to make than all else about finding it.
 */
export function partOwned<Model extends LucidModel>(
  model: Model,
  row: Record<string, unknown>
): { record: ModelAttributes<InstanceType<Model>>; owner: Owner } {
  return { record: consumed(model, withQuickMoments(model, row)), owner: new Owner(row) }
}

/** What the model makes of what the database holds. */
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
