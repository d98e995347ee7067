import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { AdminUser, userActor } from '#admin'
import { guardOf } from '#admin/identity/admin_guard'
import { operatorContext } from '#admin/identity/admin_actor'
import { dependsOnRecord, may, mayEach, offersOf, personal } from '#admin/permissions/may'
import { Shift } from '#tests/fixtures/wards'
import { adminSite, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'

const ALL = ['view', 'create', 'update', 'delete', 'purge', 'restore', 'export']

interface Given {
  /** What roles allow */
  offers?: string[]
  isWithheld?: boolean
  isAdmitted?: boolean
  hasPolicy?: boolean
  /** Whether the policy checks each record */
  authorizesRecords?: boolean
  projection?: { coversReadableRecords: (operation: string) => boolean }
  allows?: (operation: string, options: object, record?: object) => boolean
  reached?: (operation: string, keys: unknown[][]) => unknown[][]
}

test.group('Admin | permissions that decide which actions are offered', () => {
  const record = {} as any
  const refused = async () => {
    throw new Error('not known')
  }

  function signedIn(): HttpContext {
    const ctx = new HttpContextFactory().create()
    guardOf(ctx).signedIn = {} as any
    return ctx
  }

  /** A view that records how often its policy is checked. */
  function viewOf({ offers = ALL, isAdmitted = true, ...given }: Given = {}) {
    const checked: string[] = []
    const view: any = {
      name: 'Shift',
      isWithheld: given.isWithheld ?? false,
      resource: {
        policy: given.hasPolicy ? () => true : undefined,
        projection: given.projection,
        authorizesRecords: given.authorizesRecords ?? false,
        key: { toPath: (key: unknown[]) => `/${key.join('/')}` },
      },
      crud: {
        allows: async (operation: string, options: object, one?: object) => {
          checked.push(operation)
          return given.allows ? given.allows(operation, options, one) : true
        },
        reached: async (operation: string, keys: unknown[][]) => {
          checked.push(`reached ${operation}`)
          return given.reached ? given.reached(operation, keys) : keys
        },
      },
      may: (offer: string) => offers.includes(offer),
      admits: () => isAdmitted,
      callOptions: () => ({ isOfCaller: true }),
      for: async () => view,
    }
    return { view, checked }
  }

  test('[P14, U2] an action that the roles, the view or its access forbid is refused without calling the policy', async ({
    assert,
  }) => {
    const ctx = signedIn()
    const { view, checked } = viewOf()
    assert.isTrue(await may(ctx, view, 'update'))
    assert.isTrue(await may(ctx, view, 'update', record))
    assert.deepEqual(checked, [])
    for (const given of [{ offers: ['view'] }, { isWithheld: true }, { isAdmitted: false }]) {
      const limited = viewOf({ ...given, hasPolicy: true })
      assert.isFalse(await may(ctx, limited.view, 'update'))
      assert.isFalse(await may(ctx, limited.view, 'update', record))
      assert.deepEqual(limited.checked, [])
    }
  })

  test('[P14] the policy is called with the operation of the offered action: {offer}')
    .with([
      { offer: 'view', operation: 'read_multi', ofRecord: 'read' },
      { offer: 'create', operation: 'create' },
      { offer: 'update', operation: 'update' },
      { offer: 'delete', operation: 'delete' },
      { offer: 'purge', operation: 'db_delete' },
      { offer: 'restore', operation: 'restore' },
      { offer: 'export', operation: 'read_multi' },
    ] as const)
    .run(async ({ assert }, { offer, operation, ...given }) => {
      const { view, checked } = viewOf({ hasPolicy: true })
      assert.isTrue(await may(signedIn(), view, offer))
      assert.isTrue(await may(signedIn(), view, offer, record))
      assert.deepEqual(checked, [operation, 'ofRecord' in given ? given.ofRecord : operation])
    })

  test('[P14] the policy is called with isOfCaller, with or without a record, and its refusal hides the action', async ({
    assert,
  }) => {
    const seen: unknown[] = []
    const { view } = viewOf({
      hasPolicy: true,
      allows: (_operation, options, one) => {
        seen.push(options, one)
        return false
      },
    })
    assert.isFalse(await may(signedIn(), view, 'delete'))
    assert.isFalse(await may(signedIn(), view, 'delete', record))
    assert.deepEqual(seen, [{ isOfCaller: true }, undefined, { isOfCaller: true }, record])
    assert.strictEqual(seen[3], record)
  })

  test('[U3] if roles show only some records, an action is checked with the record even without a policy', async ({
    assert,
  }) => {
    const { view, checked } = viewOf({ projection: { coversReadableRecords: () => false } })
    assert.isTrue(await may(signedIn(), view, 'update'))
    assert.deepEqual(checked, [])
    assert.isTrue(await may(signedIn(), view, 'update', record))
    assert.deepEqual(checked, ['update'])
  })

  test('[P14] the policy is called once per request and action, and once more for each record', async ({
    assert,
  }) => {
    const ctx = signedIn()
    const { view, checked } = viewOf({ hasPolicy: true })
    for (const offer of ['update', 'update', 'delete'] as const) await may(ctx, view, offer)
    assert.deepEqual(checked, ['update', 'delete'])
    for (const one of [record, record]) await may(ctx, view, 'update', one)
    assert.deepEqual(checked.splice(0), ['update', 'delete', 'update', 'update'])
    await may(signedIn(), view, 'update')
    assert.deepEqual(checked, ['update'])
  })

  test('[P14] without a signed-in user the policy allows nothing; a command is allowed everything', async ({
    assert,
  }) => {
    const { view, checked } = viewOf({ hasPolicy: true, allows: () => false })
    assert.isFalse(await may(new HttpContextFactory().create(), view, 'view'))
    const free = viewOf({ hasPolicy: true })
    assert.isFalse(await may(new HttpContextFactory().create(), free.view, 'view'))
    assert.isTrue(await may(await operatorContext('crud:export'), view, 'view'))
    assert.deepEqual(checked, [])
    const { view: limited } = viewOf({ offers: [] })
    assert.isFalse(await may(await operatorContext('crud:export'), limited, 'view'))
  })

  test('[P14] an error of the policy hides an action, unless the policy needs a record that is not known yet', async ({
    assert,
  }) => {
    const fails = () => {
      throw new Error('no record')
    }
    const { view } = viewOf({ hasPolicy: true, allows: fails })
    assert.isFalse(await may(signedIn(), view, 'update'))
    const { view: byRecord } = viewOf({ hasPolicy: true, authorizesRecords: true, allows: fails })
    assert.isTrue(await may(signedIn(), byRecord, 'update'))
    assert.isFalse(await may(signedIn(), byRecord, 'update', record))
    assert.isTrue(dependsOnRecord(byRecord))
    assert.isFalse(dependsOnRecord(view))
    const unknown = { ...view, for: refused }
    assert.isNull(await personal(signedIn(), unknown))
    assert.isFalse(await may(signedIn(), unknown, 'view'))
    assert.isFalse((await mayEach(signedIn(), unknown, 'view', [[1]]))([1]))
    assert.strictEqual(await personal(signedIn(), view), view)
    assert.isNull(await personal(signedIn(), viewOf({ isWithheld: true }).view))
  })

  test('[P14] the offered actions of a view are those that both roles and policy allow', async ({
    assert,
  }) => {
    const { view } = viewOf({
      offers: ['view', 'read', 'update', 'delete', 'export'],
      hasPolicy: true,
      allows: (operation) => operation !== 'delete',
    })
    assert.deepEqual([...(await offersOf(signedIn(), view))], ['view', 'update', 'export'])
  })

  test('[P14, U2] for several records an action is checked once, if roles and policy do not depend on the record', async ({
    assert,
  }) => {
    for (const allows of [() => true, () => false]) {
      const { view, checked } = viewOf({ hasPolicy: true, allows })
      const isAllowed = await mayEach(signedIn(), view, 'update', [[1], [2], [null]])
      assert.deepEqual([[1], [2], [null]].map(isAllowed), [allows(), allows(), false])
      assert.deepEqual(checked, ['update'])
    }
    const { view, checked } = viewOf({ hasPolicy: true })
    assert.isFalse((await mayEach(signedIn(), view, 'update', []))([1]))
    assert.isFalse((await mayEach(signedIn(), view, 'update', [[null, 1]]))([null, 1]))
    assert.deepEqual(checked, [])
  })

  test("[U2, U3] of several records, an action is offered for those in the scopes of the user's grants", async ({
    assert,
  }) => {
    const scoped = {
      projection: { coversReadableRecords: (operation: string) => operation === 'read_multi' },
      reached: (_operation: string, keys: unknown[][]) => keys.filter(([id]) => id !== 2),
    }
    const keys = [[1], [2], [3]]
    const resultOf = async (given: Given, offer: 'update' | 'view' = 'update') => {
      const { view, checked } = viewOf({ ...scoped, ...given })
      const isAllowed = await mayEach(signedIn(), view, offer, keys)
      return [keys.map(isAllowed), checked]
    }
    assert.deepEqual(await resultOf({}), [[true, false, true], ['reached update']])
    assert.deepEqual(await resultOf({}, 'view'), [[true, true, true], []])
    const nothing = [false, false, false]
    assert.deepEqual(await resultOf({ offers: ['view'] }), [nothing, []])
    assert.deepEqual(await resultOf({ isAdmitted: false }), [nothing, []])
    assert.deepEqual(await resultOf({ hasPolicy: true, allows: () => false }), [
      nothing,
      ['reached update', 'update'],
    ])
    const failing = () => {
      throw new Error('the database is away')
    }
    assert.deepEqual(await resultOf({ reached: failing }), [nothing, ['reached update']])
  })
})

test.group('Admin | permissions on several records', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('ward_shifts').delete()
  })

  test('[P14] a policy that needs the record is called with each record, and a missing record is refused', async ({
    assert,
  }) => {
    const { id } = await makeUser('kim')
    const user = await AdminUser.findOrFail(id)
    const ctx = new HttpContextFactory().create()
    const { permissionsVersion } = user
    const owner = { id, isSuperuser: true, permissionsVersion, user }
    guardOf(ctx).signedIn = { owner, session: {} } as any
    assert.equal(userActor(user).kind, 'admin')
    const [own, other] = await Shift.createMany([{ name: 'kim' }, { name: 'jo' }])
    const site = await adminSite()
    const view = site.models.get('Shift')!
    const keys = [[own.id], [other.id], [other.id + 1], [null]]
    for (const [offer, expected] of [
      ['update', [true, false, false, false]],
      ['view', [true, true, false, false]],
    ] as const) {
      const isAllowed = await mayEach(ctx, view, offer, keys)
      assert.deepEqual(keys.map(isAllowed), [...expected], offer)
    }
  })
})
