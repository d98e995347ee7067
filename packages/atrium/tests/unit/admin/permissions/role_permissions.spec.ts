import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { AdminRole, AdminSession, AdminUser, userActor, type PermissionsDocument } from '#admin'
import { notePerson } from '#admin/identity/person'
import { RolePermissions, CompiledPermissions } from '#admin/permissions/role_permissions'
import { resources, systemActor, type Actor, type Scope } from '#crud'
import { permissions } from '#crud/resource/permissions'
import { Resource, type Grant } from '#crud/internals'
import { adminSite, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { strange } from '#tests/helpers/actors'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'
import { RoleJudge, type Reaches } from '#tests/helpers/role_judge'

const CLERK = {
  Reel: { actions: ['view', 'update', 'approve'], hidden: ['notes'] },
  AdminUser: { actions: ['*'] },
}

/** As the next request of the user has them */
async function actorOf({ id }: AdminUser): Promise<Actor> {
  return userActor(await AdminUser.findOrFail(id))
}

async function versionOf({ id }: AdminUser): Promise<number> {
  const { permissionsVersion } = await AdminUser.findOrFail(id)
  return permissionsVersion
}

test.group('Admin | permissions by roles', (group) => {
  let here: RolePermissions
  /** As another process has it */
  let elsewhere: RolePermissions
  let clerk: AdminRole
  let jo: AdminUser
  let ann: AdminUser

  group.each.setup(async () => {
    const restoreHashes = await fakeHashes()
    await emptyAdminTables()
    await restoreRoles()
    const site = await adminSite()
    here = new RolePermissions(site)
    elsewhere = new RolePermissions(site)
    clerk = await makeRole('Clerk', CLERK)
    jo = await makeUser('jo', { isSuperuser: false, roles: ['Clerk'] })
    ann = await makeUser('ann', { isSuperuser: false, roles: ['Read only'] })
    return async () => {
      restoreHashes()
      await emptyAdminTables()
      await restoreRoles()
    }
  })

  async function may(action: string, user: AdminUser = jo, model = 'Reel'): Promise<boolean[]> {
    const actor = await actorOf(user)
    return [await here.mayDo(actor, model, action), await elsewhere.mayDo(actor, model, action)]
  }

  test('[U1] a user without a role has no permissions', async ({ assert }) => {
    const anonymous = await makeUser('nobody', { isSuperuser: false, roles: [] })
    const actor = await actorOf(anonymous)
    assert.isFalse(await here.mayDo(actor, 'Reel', 'view'))
    assert.deepEqual(await here.grantsOf(actor, resources.all()[0]), [])
    assert.deepEqual(await here.reachOf(actor, 'Reel', 'view'), [])
    assert.isFalse(await here.reachesAll(actor, 'Reel', 'view'))
  })

  test('[U1] superusers, application code and actors outside the site are not restricted', async ({
    assert,
  }) => {
    const root = await makeUser('root', { roles: [] })
    const [resource] = resources.all()
    const free = [
      await actorOf(root),
      systemActor('a job'),
      { kind: 'none' } as const,
      strange({ kind: 'token', user: 'anna' }),
      strange({ kind: 'token' }),
    ]
    for (const actor of free) {
      assert.isNull(await here.grantsOf(actor, resource))
      assert.isTrue(await here.mayDo(actor, 'Reel', 'purge'))
      assert.isTrue(await here.reachesAll(actor, 'Reel', 'purge'))
    }
  })

  test("[U2] no role allows access to the admin site's own models, whatever it contains", async ({
    assert,
  }) => {
    await giveRoles(jo, ['Clerk', 'Everything'])
    const actor = await actorOf(jo)
    assert.isTrue(await here.mayDo(actor, 'Reel', 'purge'))
    assert.isFalse(await here.mayDo(actor, 'AdminUser', 'view'))
    for (const model of [AdminUser, AdminRole, AdminSession]) {
      assert.deepEqual(await here.grantsOf(actor, new Resource({ model })), [])
    }
  })

  test('[U4] a changed role applies immediately, in another process too', async ({ assert }) => {
    assert.deepEqual(await may('delete'), [false, false])
    const before = [await versionOf(jo), await versionOf(ann)]
    clerk.permissions = { Reel: { actions: ['delete'] } }
    await clerk.save()
    assert.deepEqual(await may('delete'), [true, true])
    assert.deepEqual(await may('update'), [false, false])
    assert.deepEqual([await versionOf(jo), await versionOf(ann)], [before[0] + 1, before[1]])
  })

  test('[U4] a role that is assigned to or removed from a user applies immediately', async ({
    assert,
  }) => {
    assert.deepEqual(await may('purge'), [false, false])
    await giveRoles(jo, ['Clerk', 'Everything'])
    assert.deepEqual(await may('purge'), [true, true])
    await giveRoles(jo, [])
    assert.deepEqual(await may('view'), [false, false])
  })

  test('[U4] a deleted role no longer allows anything', async ({ assert }) => {
    assert.deepEqual(await may('update'), [true, true])
    const before = await versionOf(jo)
    await clerk.delete()
    assert.equal(await versionOf(jo), before + 1)
    assert.deepEqual(await may('update'), [false, false])
    assert.isEmpty(await db.from('admin_user_roles').where('user_id', jo.id))
  })

  test('[U4] changing attributes or superuser status raises the permissions version', async ({
    assert,
  }) => {
    const user = await AdminUser.findOrFail(jo.id)
    const before = user.permissionsVersion
    user.attributes = { branch_id: 4 } as any
    await user.save()
    assert.equal(await versionOf(jo), before + 1)
    await user.merge({ isSuperuser: true }).save()
    assert.equal(await versionOf(jo), before + 2)
    assert.deepEqual(await may('purge'), [true, true])
    await user.merge({ isSuperuser: false }).save()
    assert.deepEqual(await may('purge'), [false, false])
    await user.merge({ username: 'joe' }).save()
    assert.equal(await versionOf(jo), before + 3)
    const { attributes } = await AdminUser.findOrFail(jo.id)
    assert.deepEqual(attributes as object, { branch_id: 4 })
  })

  test('[U4] a change of permissions that is rolled back does not raise the permissions version', async ({
    assert,
  }) => {
    const before = await versionOf(jo)
    await assert.rejects(() =>
      AdminRole.transaction(async (client) => {
        const role = await AdminRole.findOrFail(clerk.id, { client })
        await role.merge({ permissions: {} }).save()
        throw new Error('undone')
      })
    )
    assert.equal(await versionOf(jo), before)
    assert.deepEqual(await may('update'), [true, true])
  })

  test('[U4] permissions of a user are read once, and then cached', async ({ assert }) => {
    const actor = await actorOf(jo)
    const first = await queriesOf(() => here.mayDo(actor, 'Reel', 'view'))
    assert.isAtMost(first.length, 1)
    const again = await queriesOf(async () => {
      await here.mayDo(actor, 'Reel', 'update')
      await here.grantsOf(actor, resources.all()[0])
      await here.reachOf(actor, 'Shot', 'view')
    })
    assert.isEmpty(again)
  })

  test('[U2] users with the same roles share one object of grants', async ({ assert }) => {
    const other = await makeUser('other', { isSuperuser: false, roles: ['Clerk'] })
    const reel = resources.all().find(({ name }) => name === 'Reel')!
    const grants = await here.grantsOf(await actorOf(jo), reel)
    assert.strictEqual(grants, await here.grantsOf(await actorOf(other), reel))
    assert.lengthOf(grants!, 1)
    assert.deepEqual([...grants![0].hidden], ['notes'])
    assert.deepEqual([...(grants![0].operations as Set<string>)], ['read', 'read_multi', 'update'])
  })

  test('[U2] a role allows a bulk action by its name', async ({ assert }) => {
    assert.deepEqual(await may('approve'), [true, true])
    assert.deepEqual(await may('reject'), [false, false])
    assert.deepEqual(await may('approve', ann), [false, false])
  })

  test('a role whose permissions in the database are invalid allows nothing', async ({
    assert,
  }) => {
    await db.from('admin_roles').where('id', clerk.id).update({ permissions: '{"Reel": 4}' })
    assert.deepEqual(await may('view'), [false, false])
  })

  test('[U6] a superuser who views the site as a role has only the current permissions of that role', async ({
    assert,
  }) => {
    const viewing = (viewedRole: number): Actor => {
      const actor: Actor = { kind: 'admin', user: ann }
      notePerson(actor, { id: ann.id, isSuperuser: false, permissionsVersion: 1, viewedRole })
      return actor
    }
    const actor = viewing(clerk.id)
    assert.isTrue(await here.mayDo(actor, 'Reel', 'update'))
    assert.isFalse(await here.mayDo(actor, 'Reel', 'delete'))
    assert.isFalse(await here.mayDo(actor, 'AdminRole', 'view'))
    await clerk.merge({ permissions: {} }).save()
    assert.isFalse(await here.mayDo(actor, 'Reel', 'update'))
    assert.isFalse(await here.mayDo(viewing(999_999), 'Reel', 'view'))
  })

  test('[U4] the permissions of the site are registered with the engine', async ({ assert }) => {
    const site = await adminSite()
    assert.strictEqual(permissions(), site.permissions)
  })
})

const FIELDS = ['title', 'gross', 'branch']
const ACTIONS = ['view', 'create', 'update', 'delete', 'restore', 'purge', 'export', 'approve']
const OPERATIONS = {
  view: 'read',
  create: 'create',
  update: 'update',
  delete: 'delete',
  purge: 'db_delete',
  restore: 'restore',
} as const

/** Each scope of the model as a predicate, and as a function that only stands for it */
const REACHES: Record<string, Reaches> = {
  own: ({ branch }) => branch === 1,
  even: ({ branch }) => branch % 2 === 0,
  none: () => false,
}
const SCOPES: Record<string, Scope> = Object.fromEntries(
  Object.keys(REACHES).map((name): [string, Scope] => [name, () => {}])
)
const PREDICATES = new Map(Object.entries(SCOPES).map(([name, scope]) => [scope, REACHES[name]]))

const scopesOf = (model: string) => (model === 'Film' ? SCOPES : undefined)

const entry = fc.record(
  {
    actions: fc.subarray([...ACTIONS, '*']),
    hidden: fc.subarray(FIELDS),
    readonly: fc.subarray(FIELDS),
    scopes: fc.subarray(['own', 'even', 'none', 'unknown', 'constructor']),
  },
  { requiredKeys: ['actions'] }
)
const document: fc.Arbitrary<PermissionsDocument> = fc.dictionary(
  fc.constantFrom('Film', 'Actor', '*'),
  entry
)
const roles = fc.array(document, { maxLength: 4 })
const records = [0, 1, 2, 3].map((branch) => ({ branch }))

function reaches(scopes: readonly Scope[] | null, record: object): boolean {
  return scopes === null || scopes.some((scope) => PREDICATES.get(scope)!(record))
}

function has({ operations }: Grant, operation: any): boolean {
  return operations === 'all' || operations.has(operation)
}

test.group('Admin | compiled permissions', () => {
  test('[U2] [U3] for random roles, the compiled permissions match the rules on each record', ({
    assert,
  }) => {
    fc.assert(
      fc.property(roles, fc.constantFrom('Film', 'Actor', 'Later'), (documents, model) => {
        const judge = new RoleJudge(documents, model, model === 'Film' ? REACHES : {})
        const on = new CompiledPermissions(documents, scopesOf).on(model)
        const { grants, actions } = on
        for (const action of ACTIONS) {
          assert.equal(actions === 'all' || actions.has(action), judge.mayDo(action), action)
          for (const record of records) {
            assert.equal(
              reaches(on.scopesFor(action), record),
              judge.may(action, record),
              `${action} by scopesFor`
            )
          }
        }
        for (const record of records) {
          const reaching = grants.filter(({ scopes }) => reaches(scopes, record))
          for (const [action, operation] of Object.entries(OPERATIONS)) {
            const allowing = reaching.filter((grant) => has(grant, operation))
            assert.equal(allowing.length > 0, judge.may(action, record), action)
            for (const field of FIELDS) {
              const isWritable = allowing.some(
                ({ hidden, readonly }) => !hidden.has(field) && !readonly.has(field)
              )
              assert.equal(isWritable, judge.mayWrite(action, field, record), `${action} ${field}`)
              if (action !== 'view') continue
              const isShown = allowing.some(({ hidden }) => !hidden.has(field))
              assert.equal(isShown, judge.shows(field, record), field)
            }
          }
        }
      }),
      { numRuns: runs(500) }
    )
  })

  test('[U3] a scope that the model does not have matches no records', ({ assert }) => {
    const documents = [{ Film: { actions: ['view', 'update'], scopes: ['gone', 'constructor'] } }]
    const [grant] = new CompiledPermissions(documents, scopesOf).on('Film').grants
    assert.deepEqual(grant.scopes, [])
  })

  test('[U2] grants of unknown operations are ignored', ({ assert }) => {
    const on = new CompiledPermissions([{ Film: { actions: ['export', 'approve'] } }], scopesOf).on(
      'Film'
    )
    assert.deepEqual(on.grants, [])
    assert.deepEqual([...(on.actions as Set<string>)], ['export', 'approve'])
    assert.isNull(on.scopesFor('approve'))
    assert.deepEqual(on.scopesFor('view'), [])
  })

  test('[U3] a role whose permissions another role contains adds no grant', ({ assert }) => {
    const grantsOf = (...documents: PermissionsDocument[]) =>
      new CompiledPermissions(documents, scopesOf).on('Film').grants
    const everything = { '*': { actions: ['*'] } }
    const clerk = { Film: { actions: ['view', 'update'], hidden: ['gross'], scopes: ['own'] } }
    assert.lengthOf(grantsOf(everything, clerk), 1)
    assert.lengthOf(grantsOf(clerk, everything, clerk), 1)
    assert.equal(grantsOf(clerk, everything)[0].operations, 'all')
    assert.lengthOf(grantsOf(clerk, { Film: { actions: ['view'] } }), 2)
  })
})
