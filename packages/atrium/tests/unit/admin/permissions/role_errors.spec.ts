import { test } from '@japa/runner'
import logger from '@adonisjs/core/services/logger'
import { AdminRole } from '#admin'
import { DefaultRole } from '#admin/permissions/user_roles'
import { reportRoleErrors } from '#admin/roles/role_errors'
import { adminSite } from '#tests/helpers/admin'
import { captureWarnings } from '#tests/helpers/captured_log'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

test.group('Admin | role errors at boot', (group) => {
  group.each.setup(async () => {
    await restoreRoles()
    return () => restoreRoles()
  })

  const report = async (defaultRole: string | null) => {
    const { models } = await adminSite()
    const adminUserService = { defaultRole: new DefaultRole(defaultRole) }
    await reportRoleErrors({ models, adminUserService } as any)
  }

  test('[U5, U6] unknown names in roles are reported in one line per role', async ({
    assert,
    cleanup,
  }) => {
    const warnings = captureWarnings(cleanup)
    await report('Everything')
    assert.isEmpty(warnings)
    await makeRole('Clerk', {
      Play: { actions: ['view', 'juggle'], hidden: ['gone'], scopes: ['east', 'north'] },
      Nothing: { actions: ['view'] },
      AdminUser: { actions: ['view'] },
    })
    await report(null)
    assert.lengthOf(warnings, 1)
    assert.match(warnings[0], /^The role Clerk names what there is not, which allows nothing: /)
    for (const name of [
      'the action juggle of Play',
      'the field gone of Play',
      'the scope north of Play',
      'the model Nothing',
      'the model AdminUser',
    ]) {
      assert.include(warnings[0], name)
    }
    assert.notInclude(warnings[0], 'east')
  })

  test('[U5] a missing default role is logged as an error, and boot continues', async ({
    assert,
    cleanup,
  }) => {
    const errors: unknown[] = []
    logger.error = ((...given: unknown[]) => void errors.push(given.at(-1))) as never
    cleanup(() => void delete (logger as Partial<typeof logger>).error)
    await report('Gone')
    assert.lengthOf(errors, 1)
    assert.match(String(errors[0]), /defaultRole is "Gone", and no role is called so/)
    await AdminRole.query().delete()
    await report(null)
    assert.lengthOf(errors, 1)
  })
})
