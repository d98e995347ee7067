import type { Group } from '@japa/runner/core'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { emptyJobTables } from '#tests/helpers/jobs'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { restoreRoles } from '#tests/helpers/roles'

/** What the tests of a group have in common. */
export interface JobGroup {
  /** A superuser, another one for each test */
  jo: AdminUser
  /** Of jo's session */
  cookie: string
}

/**
 * Sets a group of tests up that start jobs: without people, roles, events and jobs of earlier tests, and with a
 * superuser.
 *
 * @param tables  of the group's own, which are emptied before each test, in this order
 */
export function withJobs(group: Group, tables: readonly string[]): JobGroup {
  const own = {} as JobGroup
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    await emptyJobTables()
    for (const table of tables) await db.from(table).delete()
    own.jo = await makeUser('jo')
    own.cookie = await cookiesOf(own.jo)
    await emptyEventTables()
    return async () => {
      await emptyAdminTables()
      await restoreRoles()
    }
  })
  return own
}

/** The same for imports of `#tests/fixtures/imports`. */
export function withImports(group: Group): JobGroup {
  return withJobs(group, ['admin_imports', 'import_articles', 'import_makers'])
}
