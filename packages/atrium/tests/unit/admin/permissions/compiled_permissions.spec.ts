import { test } from '@japa/runner'
import fc from 'fast-check'
import type { PermissionsDocument } from '#admin'
import { CompiledPermissions } from '#admin/permissions/compiled_permissions'
import type { Grant } from '#crud/internals'
import type { Scope } from '#crud'
import { runs } from '#tests/helpers/random_runs'
import { RoleJudge, type Reaches } from '#tests/helpers/role_judge'

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
  test('[U2] [U3] whatever the roles, they allow on each record what the rules say', ({
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

  test('[U3] a scope that the model has not reaches nothing', ({ assert }) => {
    const documents = [{ Film: { actions: ['view', 'update'], scopes: ['gone', 'constructor'] } }]
    const [grant] = new CompiledPermissions(documents, scopesOf).on('Film').grants
    assert.deepEqual(grant.scopes, [])
  })

  test('[U2] ignores grants of unknown operations', ({ assert }) => {
    const on = new CompiledPermissions([{ Film: { actions: ['export', 'approve'] } }], scopesOf).on(
      'Film'
    )
    assert.deepEqual(on.grants, [])
    assert.deepEqual([...(on.actions as Set<string>)], ['export', 'approve'])
    assert.isNull(on.scopesFor('approve'))
    assert.deepEqual(on.scopesFor('view'), [])
  })

  test('[U3] a role that another one covers adds no grant', ({ assert }) => {
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
