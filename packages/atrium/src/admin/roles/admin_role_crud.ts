import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import vine from '@vinejs/vine'
import {
  type CallOptions,
  type HookOptions,
  type Item,
  LucidCrud,
  type UpdateOptions,
  type WriteOptions,
} from '#crud'
import { inTransaction } from '#base/database/transaction'
import { noteChanges } from '#crud/internals'
import type { Site } from '../views/site.js'
import type { WithUsers } from '../authentication/admin_user_service.js'
import AdminRole from '../models/admin_role.js'
import AdminUser, { ROLES } from '../models/admin_user.js'
import { requireProofOf } from '../identity/proof.js'
import { takeFromAll } from '../permissions/user_roles.js'
import { raiseVersions } from '../models/versions.js'
import { InvalidPermissions, readPermissions } from '../models/permissions_document.js'

type RoleSite = Pick<Site, 'models'> & WithUsers
type Values = Record<string, unknown>

/**
 * Writes roles. A write also changes the users who have the role, so it takes the same lock as writes to users, which
 * prevents deadlocks. Requires a recent reauthentication.
 */
export class AdminRoleCrud extends LucidCrud<typeof AdminRole> {
  readonly #site: RoleSite

  constructor(site: RoleSite) {
    super(AdminRole)
    this.#site = site
  }

  async update(key: unknown, values: Values, options: UpdateOptions = {}): Promise<Item | null> {
    return await this.#inTurn(options, (own) => super.update(key, values, own))
  }

  async delete(key: unknown, options: WriteOptions = {}): Promise<void> {
    await this.#inTurn(options, (own) => super.delete(key, own))
  }

  async dbDelete(key: unknown, options: WriteOptions = {}): Promise<void> {
    await this.#inTurn(options, (own) => super.dbDelete(key, own))
  }

  async deleteMany(
    keys: readonly unknown[],
    options: CallOptions & { hard?: boolean } = {}
  ): Promise<LucidRow[]> {
    return await this.#inTurn(options, (own) => super.deleteMany(keys, own))
  }

  async prepareCreate(values: Values, options: HookOptions): Promise<Values> {
    requireProofOf(options.actor)
    return await super.prepareCreate(values, options)
  }

  async prepareUpdate(values: Values, record: LucidRow, options: HookOptions): Promise<Values> {
    requireProofOf(options.actor)
    return await super.prepareUpdate(values, record, options)
  }

  /** Logs the loss of the role for each of its users, and raises their permissions version. */
  async prepareDelete({ id }: AdminRole, { actor, client }: HookOptions): Promise<void> {
    requireProofOf(actor)
    const holders = await takeFromAll(id, client)
    const ids = [...holders.keys()]
    await raiseVersions(client, ids)
    const view = this.#site.models.get(AdminUser.name)
    if (!view) return
    for (const user of await AdminUser.query({ client }).whereIn('id', ids)) {
      const { old, now } = holders.get(user.id)!
      noteChanges(view.resource, user, { [ROLES]: { old, new: now } }, client)
    }
  }

  async #inTurn<Options extends CallOptions, Result>(
    options: Options,
    work: (options: Options & { client: TransactionClientContract }) => Promise<Result>
  ): Promise<Result> {
    return await inTransaction(options.client ?? this.resource.client(), async (client) => {
      await this.#site.adminUserService.lockSuperusers(client)
      return await work({ ...options, client })
    })
  }
}

const LONGEST_ROLE_NAME = 64
export const LONGEST_DESCRIPTION = 255

/** Value of `--role` for a user without roles */
const NO_ROLE = 'none'

/**
 * Validates the name of a role.
 *
 * @returns the error, or null for a valid name
 */
export function roleNameError(name: string): string | null {
  if (name.trim() === '' || name !== name.trim()) {
    return 'The name of a role cannot be empty, or begin or end with a space'
  }
  if ([...name].length > LONGEST_ROLE_NAME) {
    return `The name of a role has ${LONGEST_ROLE_NAME} characters at most`
  }
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'The name of a role has one line only'
  return name.toLowerCase() === NO_ROLE
    ? `No role is called ${NO_ROLE}: it stands for none at the command line`
    : null
}

const name = vine.createRule((value, _options, field) => {
  const error = typeof value === 'string' ? roleNameError(value) : null
  if (error) field.report(error, 'roleName', field)
})

const permissions = vine.createRule((value, _options, field) => {
  try {
    field.mutate(readPermissions(value), field)
  } catch (error) {
    if (!(error instanceof InvalidPermissions)) throw error
    field.report(`The permissions field: ${error.message}`, 'permissions', field)
  }
})

/** Returns the validation schemas for creating and updating a role. */
export function adminRoleSchemas() {
  const create = vine.object({
    name: vine.string().maxLength(LONGEST_ROLE_NAME).use(name()),
    description: vine.string().maxLength(LONGEST_DESCRIPTION).optional(),
    permissions: vine.any().use(permissions()),
  })
  return { create, update: create.partial() }
}
