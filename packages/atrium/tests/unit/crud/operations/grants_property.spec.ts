/*
 * Random grants on a small random table, against a slow judge in memory that takes each rule by its words: a
 * grant reaches a record or not, shows a field or not, lets an operation happen or not.
 */
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LucidCrud, Problem, type Actor } from '#crud'
import { UnknownKey } from '#base/errors'
import { crudOptionsOf } from '#crud/decorator'
import { usePermissions, type Scope } from '#crud/resource/permissions'
import { Resource } from '#crud/resource/resource'
import {
  cheap,
  type GivenGrant,
  GivenPermissions,
  own,
  Paper,
  shared,
} from '#tests/fixtures/granted'
import { strange } from '#tests/helpers/actors'
import { someOf } from '#tests/helpers/random_runs'

type Row = Record<string, any>

const ANNA: Actor = strange({ kind: 'token', user: 'anna' })
const FIELDS = ['id', 'title', 'owner', 'secret', 'pay', 'folder_id', 'is_deleted']
const MASKED = ['title', 'owner', 'secret', 'pay']
const OPERATIONS = ['create', 'read', 'read_multi', 'update', 'delete', 'restore'] as const

/** The condition of each scope, in plain JavaScript. */
const REACHES = new Map([
  [own, (row: Row) => row.owner === 'anna'],
  [shared, (row: Row) => row.owner === 'everyone'],
  [cheap, (row: Row) => row.pay === null || row.pay < 100],
])

/** Scopes of the model, which apply in addition to the grants, each with its condition in plain JavaScript */
const MODEL_SCOPES: Array<[scope: Scope | undefined, includes: (row: Row) => boolean]> = [
  [undefined, () => true],
  [
    (query) => query.where('owner', 'anna').orWhere('title', 'a'),
    ({ owner, title }) => owner === 'anna' || title === 'a',
  ],
  [
    (query) =>
      query
        .leftJoin('granted_folders', 'granted_folders.id', 'granted_papers.folder_id')
        .where('granted_papers.owner', 'anna')
        .orWhere('granted_papers.title', 'a')
        .select('granted_papers.*'),
    ({ owner, title }) => owner === 'anna' || title === 'a',
  ],
]

/** Numbers that come again for the same seed (mulberry32). */
function randomOf(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296
  }
}

class Case {
  readonly #random: () => number
  readonly grants: GivenGrant[]
  readonly rows: Row[]

  constructor(seed: number) {
    this.#random = randomOf(seed)
    this.grants = Array.from({ length: 1 + this.below(3) }, () => ({
      on: this.chance(0.3) ? ('all' as const) : this.some(OPERATIONS, 0.7),
      hidden: this.some(MASKED, 0.25),
      readonly: this.some(MASKED, 0.2),
      scopes: this.chance(0.4) ? null : this.some([...REACHES.keys()], 0.45),
    }))
    this.rows = Array.from({ length: 3 + this.below(5) }, (_, index) => ({
      id: index + 1,
      title: this.one(['a', 'b', 'c']),
      owner: this.one(['anna', 'everyone', 'bob']),
      secret: this.chance(0.3) ? null : `s${index}`,
      pay: this.chance(0.3) ? null : this.one([50, 100, 150]),
      folder_id: null,
      is_deleted: this.chance(0.2),
    }))
  }

  below(most: number) {
    return Math.floor(this.#random() * most)
  }

  chance(share: number) {
    return this.#random() < share
  }

  one<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)]
  }

  some<Value>(values: readonly Value[], share: number): Value[] {
    return values.filter(() => this.chance(share))
  }
}

const allows = ({ on = 'all' }: GivenGrant, operation: any) =>
  on === 'all' || on.includes(operation)
const reaches = ({ scopes }: GivenGrant, row: Row) =>
  !scopes || scopes.some((scope) => REACHES.get(scope)!(row))

class Judge {
  constructor(readonly grants: readonly GivenGrant[]) {}

  may(operation: string) {
    return this.grants.some((grant) => allows(grant, operation))
  }

  reaches(operation: string, row: Row) {
    return this.grants.some((grant) => allows(grant, operation) && reaches(grant, row))
  }

  shows(field: string, row: Row) {
    return this.grants.some(
      (grant) => allows(grant, 'read') && reaches(grant, row) && !grant.hidden!.includes(field)
    )
  }

  /** True if any record could show it. */
  knows(field: string) {
    return this.grants.some((grant) => allows(grant, 'read') && !grant.hidden!.includes(field))
  }

  writes(operation: string, field: string, row: Row) {
    return this.grants.some(
      (grant) =>
        allows(grant, operation) &&
        reaches(grant, row) &&
        !grant.hidden!.includes(field) &&
        !grant.readonly!.includes(field)
    )
  }

  seen(row: Row): Row {
    const known = FIELDS.filter((field) => this.knows(field))
    return Object.fromEntries(
      known.map((field) => [field, this.shows(field, row) ? row[field] : null])
    )
  }
}

function compare(one: any, other: any) {
  if (one === other) return 0
  if (one === null) return -1
  if (other === null) return 1
  return one < other ? -1 : 1
}

async function statusOf(work: Promise<unknown>): Promise<number> {
  try {
    await work
    return 200
  } catch (error) {
    if (error instanceof Problem) return error.status
    if (error instanceof UnknownKey) return 404
    throw error
  }
}

test.group('LucidCrud | random grants', (group) => {
  group.tap((one) => one.tags(['@database']).timeout(120_000))
  const given = new GivenPermissions()
  const papers = new LucidCrud(Paper)
  const scoped = MODEL_SCOPES.map(([scope]) =>
    new LucidCrud(Paper).bind(new Resource({ ...crudOptionsOf(Paper), model: Paper, scope }))
  )
  const options = { actor: ANNA }

  group.setup(() => {
    const before = usePermissions(given)
    return () => void usePermissions(before)
  })
  group.each.teardown(async () => {
    await db.from('granted_papers').delete()
  })

  const fill = async (rows: Row[]) => {
    await db.from('granted_papers').delete()
    if (rows.length > 0)
      await db.table('granted_papers').multiInsert(rows.map((row) => ({ ...row })))
  }
  const stored = async (): Promise<Row[]> => {
    const rows = await db.from('granted_papers').orderBy('id')
    return rows.map((row) => ({ ...row, is_deleted: Boolean(row.is_deleted) }))
  }

  /** Read cursor by cursor. */
  const inParts = async (crud: LucidCrud<any>, sort: string): Promise<Row[]> => {
    const items: Row[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const part = await crud.getMulti({ sort, cursor, limit: 2 }, options)
      items.push(...part.data)
      cursor = part.next_cursor ?? null
    }
    return items
  }

  test('[U2, U3] lists, counts, filters and sorts match a reference implementation of the grants', async ({
    assert,
  }) => {
    const seeds = Array.from({ length: 120 }, (_, index) => index + 1)
    for (const seed of someOf(seeds, 3)) {
      const which = Math.floor(seed / 3) % MODEL_SCOPES.length
      const crud = scoped[which]
      const [, includes] = MODEL_SCOPES[which]
      const one = new Case(seed)
      const judge = new Judge(one.grants)
      const about = JSON.stringify({ seed, ...one, grants: one.grants })
      given.clear()
      given.give('anna', Paper, ...one.grants)
      await fill(one.rows)
      if (!judge.may('read_multi')) {
        assert.equal(await statusOf(crud.getMulti({}, options)), 403, about)
        continue
      }
      const seen = one.rows
        .filter((row) => !row.is_deleted && judge.reaches('read', row) && includes(row))
        .map((row) => ({ ...judge.seen(row), id: row.id as number }) as Row)

      for (const field of ['id', ...MASKED].filter((name) => name === 'id' || judge.knows(name))) {
        for (const descending of [false, true]) {
          const { data } = await crud.getMulti(
            { sort: (descending ? '-' : '') + field, limit: 100 },
            options
          )
          const sorted = seen.toSorted(
            (a, b) => (descending ? -1 : 1) * compare(a[field], b[field]) || a.id - b.id
          )
          if (judge.may('read')) assert.deepEqual(data, sorted, `${field} ${about}`)
          else assert.lengthOf(data, 0, about)
          const sort = (descending ? '-' : '') + field
          assert.deepEqual(await inParts(crud, sort), data, `${field} in parts ${about}`)
        }
        const value = one.one(one.rows)[field]
        const filters = { [field]: value }
        const count = await crud.count(filters, options)
        assert.equal(count, seen.filter((row) => row[field] === value).length, `${field} ${about}`)
      }
      for (const field of MASKED.filter((name) => judge.may('read') && !judge.knows(name))) {
        assert.equal(await statusOf(crud.getMulti({ sort: field }, options)), 422, about)
        await assert.rejects(() => crud.count({ [field]: 'x' }, options), /not found/)
      }
      for (const row of one.rows.filter(({ is_deleted: isDeleted }) => !isDeleted)) {
        const isRead = judge.may('read')
        if (!isRead) {
          assert.equal(await statusOf(crud.get(row.id, options)), 403, about)
          continue
        }
        const item = await crud.get(row.id, options)
        assert.deepEqual(
          item,
          judge.reaches('read', row) && includes(row) ? judge.seen(row) : null,
          about
        )
      }
    }
  })

  test('[U2, U3] random updates succeed exactly if the reference implementation allows them', async ({
    assert,
  }) => {
    for (let seed = 1001; seed <= 1150; seed++) {
      const one = new Case(seed)
      const judge = new Judge(one.grants)
      given.clear()
      given.give('anna', Paper, ...one.grants)
      await fill(one.rows)
      const row = one.one(one.rows)
      const values = Object.fromEntries(
        one
          .some(MASKED, 0.5)
          .map((field) => [
            field,
            field === 'pay'
              ? one.one([50, 100, 150])
              : field === 'owner'
                ? one.one(['anna', 'bob'])
                : 'x',
          ])
      )
      const about = JSON.stringify({ seed, grants: one.grants.map(String), row, values, one })
      const expected = expectUpdate(judge, row, values)
      const status = await statusOf(papers.update(row.id, values, options))
      assert.equal(status, expected.status, about)
      const after = one.rows.map((other) => (other === row ? expected.row : other))
      assert.deepEqual(await stored(), after, about)
    }
  })

  test('[U2, U3] random creates succeed exactly if the reference implementation allows them', async ({
    assert,
  }) => {
    for (let seed = 2001; seed <= 2120; seed++) {
      const one = new Case(seed)
      const judge = new Judge(one.grants)
      given.clear()
      given.give('anna', Paper, ...one.grants)
      await fill([])
      const values: Row = { title: 'x', owner: one.one(['anna', 'bob']), pay: one.one([50, 150]) }
      const about = JSON.stringify({ seed, values, one })
      const status = await statusOf(papers.create({ ...values }, options))
      const expected = expectCreate(judge, values)
      assert.equal(status, expected, about)
      assert.lengthOf(await stored(), expected === 200 ? 1 : 0, about)
    }
  })

  test('[U2] several records are deleted or restored together, or none of them', async ({
    assert,
  }) => {
    for (let seed = 3001; seed <= 3120; seed++) {
      const one = new Case(seed)
      const judge = new Judge(one.grants)
      given.clear()
      given.give('anna', Paper, ...one.grants)
      await fill(one.rows)
      const operation = one.one(['delete', 'restore'] as const)
      const isRestored = operation === 'restore'
      const wanted = one.some(one.rows, 0.4)
      const keys = wanted.map(({ id }) => id)
      const about = JSON.stringify({ seed, operation, keys, one })
      const work = isRestored ? papers.restoreMany(keys, options) : papers.deleteMany(keys, options)
      const isMissing = (row: Row) => row.is_deleted !== isRestored || !judge.reaches('read', row)
      const isRefused = (row: Row) => !judge.reaches(operation, row)
      const expected = wanted.some(isMissing) ? 404 : wanted.some(isRefused) ? 403 : 200
      assert.equal(await statusOf(work), expected, about)
      const isDone = expected === 200
      const after = one.rows.map((row) =>
        isDone && wanted.includes(row) ? { ...row, is_deleted: !isRestored } : row
      )
      assert.deepEqual(await stored(), after, about)

      const requested = one.rows.filter((row) => judge.reaches('read', row)).map(({ id }) => [id])
      const reached = await papers.reached(operation, requested, options)
      const reaching = await stored()
      assert.deepEqual(
        reached,
        requested.filter(([id]) =>
          judge.reaches(
            operation,
            reaching.find((row) => row.id === id)!
          )
        ),
        about
      )
    }
  })
})

function expectUpdate(judge: Judge, row: Row, values: Row): { status: number; row: Row } {
  const refused = (status: number) => ({ status, row })
  if (row.is_deleted || !judge.reaches('read', row)) return refused(404)
  if (!judge.reaches('update', row)) return refused(403)
  const changed = { ...row }
  for (const [field, value] of Object.entries(values)) {
    if (!judge.shows(field, row)) continue
    if (judge.writes('update', field, row)) changed[field] = value
    else if (row[field] !== value) return refused(403)
  }
  const isWritten = Object.keys(values).some(
    (field) => judge.shows(field, row) && judge.writes('update', field, row)
  )
  return isWritten && !judge.reaches('update', changed)
    ? refused(403)
    : { status: 200, row: changed }
}

function expectCreate(judge: Judge, values: Row): number {
  if (!judge.may('create')) return 403
  const fields = Object.keys(values)
  const known = judge.may('read') ? (field: string) => judge.knows(field) : shownBySome
  function shownBySome(field: string) {
    return judge.grants.some((grant) => !grant.hidden!.includes(field))
  }
  const isWritable = (field: string) =>
    judge.grants.some(
      (grant) =>
        allows(grant, 'create') &&
        !grant.hidden!.includes(field) &&
        !grant.readonly!.includes(field)
    )
  const left = fields.filter((field) => known(field))
  if (left.some((field) => !isWritable(field))) return 403
  const row = Object.fromEntries(left.map((field) => [field, values[field]]))
  const full = { secret: null, pay: null, ...row }
  if (!('title' in row) || !('owner' in row)) return 422
  if (!judge.reaches('create', full)) return 403
  return left.every((field) => judge.writes('create', field, full)) ? 200 : 403
}
