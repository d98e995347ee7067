import { randomInt } from 'node:crypto'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { markOwnHook } from '#base/lucid/own_hooks'
import { chunks, VALUES_PER_STATEMENT } from '#base/chunks'

const USERS = 'admin_users'
const PIVOT = 'admin_user_roles'

/* Maximum start value, which leaves enough room for increments */
const HIGHEST_START = 2 ** 30

const CONCERNED = new WeakMap<LucidRow, number[]>()
const RAISED = new WeakSet<LucidRow>()
/* Views that were shared before the change */
const READ_BY_ALL = new WeakSet<LucidRow>()

/**
 * Returns the `permissions_version` of a new user. It is random, because the id of the user may have been used before a
 * rollback or a restored backup, and processes can still have cached permissions of that user.
 */
function firstVersion(): number {
  return randomInt(1, HIGHEST_START)
}

/**
 * Increments the versions of users, so that all processes read permissions and settings of these users again. Every
 * request reads the version, which is part of the keys of caches.
 */
export async function raiseVersions(
  client: QueryClientContract,
  userIds: readonly number[]
): Promise<void> {
  for (const some of chunks(userIds, VALUES_PER_STATEMENT)) {
    await client.from(USERS).whereIn('id', some).increment('permissions_version', 1)
  }
}

/** Increments the versions of all users. */
export async function raiseAllVersions(client: QueryClientContract): Promise<void> {
  await client.from(USERS).increment('permissions_version', 1)
}

/**
 * Adds hooks so that each change of a saved view increments the versions of the users who can use the view: the owner,
 * or all users if the view is or was shared. This takes place in the transaction of the change.
 */
export function raiseVersionsOfReaders(savedView: LucidModel): void {
  const raise = markOwnHook(async (record: LucidRow) => {
    const { shared, ownerId } = record as unknown as { shared?: boolean; ownerId: number | null }
    const client = clientOf(record)
    if (READ_BY_ALL.delete(record) || shared) await raiseAllVersions(client)
    else if (ownerId) await raiseVersions(client, [ownerId])
  })
  savedView.before(
    'update',
    markOwnHook((record: LucidRow) => {
      if ((record.$original as { shared?: boolean }).shared) READ_BY_ALL.add(record)
    })
  )
  savedView.after('create', raise)
  savedView.after('update', raise)
  savedView.after('delete', raise)
}

/**
 * Adds hooks so that each change of a role increments the versions of the users who have it, in the transaction of the
 * change.
 */
export function raiseVersionsOfHolders(role: LucidModel): void {
  role.after(
    'update',
    markOwnHook(async (record: LucidRow) => {
      const client = clientOf(record)
      await raiseVersions(client, await holdersOf(record, client))
    })
  )
  /* The users are read before the role is deleted, because the pivot rows no longer exist afterwards. */
  role.before(
    'delete',
    markOwnHook(async (record: LucidRow) => {
      CONCERNED.set(record, await holdersOf(record, clientOf(record)))
    })
  )
  role.after(
    'delete',
    markOwnHook(async (record: LucidRow) => {
      await raiseVersions(clientOf(record), CONCERNED.get(record) ?? [])
    })
  )
}

/**
 * Adds hooks so that each change of a user that affects permissions increments the user's version, in the transaction
 * of the change.
 *
 * @param attributes  attributes that affect permissions
 */
export function raiseOwnVersion(user: LucidModel, attributes: readonly string[]): void {
  user.before(
    'create',
    markOwnHook((record: LucidRow) => {
      const values = record as unknown as { permissionsVersion?: number }
      values.permissionsVersion ??= firstVersion()
    })
  )
  user.before(
    'update',
    markOwnHook((record: LucidRow) => {
      const { $dirty } = record
      if (attributes.some((name) => name in $dirty)) RAISED.add(record)
    })
  )
  user.after(
    'update',
    markOwnHook(async (record: LucidRow) => {
      if (!RAISED.delete(record)) return
      await raiseVersions(clientOf(record), [record.$primaryKeyValue as number])
    })
  )
}

/**
 * Reads the ids of the users who have a role. In a transaction, the rows are locked, as a read without a lock could
 * return an older snapshot.
 */
async function holdersOf(role: LucidRow, client: QueryClientContract): Promise<number[]> {
  const query = client.from(PIVOT).where('role_id', role.$primaryKeyValue!).select('user_id')
  const rows = await (client.isTransaction ? query.forUpdate() : query)
  return rows.map(({ user_id: id }) => id)
}

function clientOf(record: LucidRow): QueryClientContract {
  return (record.constructor as LucidModel).$adapter.modelClient(record)
}
