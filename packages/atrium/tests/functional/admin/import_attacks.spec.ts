import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import { withStoredFile } from '#admin/import/import_files'
import type AdminImport from '#admin/models/admin_import'
import { ImportArticle } from '#tests/fixtures/imports'
import { adminSite, makeUser } from '#tests/helpers/admin'
import { begin, contextFor, csv, imports, run, tried } from '#tests/helpers/imports'
import { withImports } from '#tests/helpers/job_group'
import { findJob } from '#tests/helpers/jobs'
import { makeRole } from '#tests/helpers/roles'

const MODEL = 'ImportArticle'

test.group('Admin | attacks on imports', (group) => {
  group.tap((one) => one.tags(['@database']))
  const own = withImports(group)

  group.each.setup(() => void (ImportArticle.saved = []))

  async function found({ id }: AdminImport): Promise<AdminImport> {
    const service = await imports()
    const one = await service.find(id)
    return one!
  }

  async function total(): Promise<number> {
    const [{ count }] = await db.from('import_articles').count('* as count')
    return Number(count)
  }

  async function perform(id: number) {
    const { jobs } = await adminSite()
    jobs.resume()
    await jobs.run(id, false)
    return await findJob(id)
  }

  /** A person with roles, of branch 4. */
  async function member(name: string, roles: string[]): Promise<AdminUser> {
    const user = await makeUser(name, { isSuperuser: false, roles })
    return await user.merge({ attributes: { branch: 4 } } as never).save()
  }

  test('[D3, P14] an import shows and changes no record that the policy refuses to read', async ({
    assert,
  }) => {
    const hushed = { sku: 'a', title: 'Hushed', price: 4711, active: true }
    await db.table('import_articles').insert(hushed)
    for (const row of ['a,,4711', 'a,Lamp,5', 'a,Hushed,5']) {
      const one = await tried(own.jo, MODEL, csv('sku,title,price', row, 'b,Chair,7'))
      const { faults: errors, preview, ...counts } = one.dryRun!
      assert.deepEqual(counts, { new: 1, changed: 0, unchanged: 0, faulty: 1, notes: [] })
      assert.deepEqual(
        errors.map(({ field, message }) => [field, message]),
        [[null, 'You do not have permission to write this record']]
      )
      assert.lengthOf(preview, 1)
      assert.notInclude(JSON.stringify(preview), '4711')
      const { id } = await run(own.jo, one, { skipInvalid: true })
      const job = await perform(id)
      assert.containSubset(job.result, { created: 1, changed: 0, skipped: 1 })
      const { title } = await db.from('import_articles').where('sku', 'a').first()
      assert.equal(title, 'Hushed')
      await db.from('import_articles').where('sku', 'b').delete()
    }
  })

  test('[D3, D1] a cancelled run can’t be repeated after another run of the same import', async ({
    assert,
  }) => {
    const all = await tried(own.jo, MODEL, csv('sku,title', 'a,Lamp', 'b,Chair'), { key: null })
    const { jobs } = await adminSite()
    const first = await run(own.jo, all)
    await jobs.store.cancel(await findJob(first.id))
    const second = await run(own.jo, await found(all))
    const done = await perform(second.id)
    assert.equal(done.state, 'done')
    /* The same rows could be written once more. */
    for (const { id } of await db.from('import_articles')) {
      await db
        .from('import_articles')
        .where('id', id)
        .update({ sku: `written-${id}` })
    }
    const again = await jobs.again(await contextFor(own.jo), await findJob(first.id))
    assert.equal(again!.id, first.id)
    const job = await perform(first.id)

    assert.equal(await total(), 2)
    assert.equal(job.state, 'failed')
    const present = await found(all)
    assert.equal(present.state, 'done')
  })

  test('[D3, D1] a cancelled run can’t be repeated after the columns of its import were changed', async ({
    assert,
  }) => {
    const one = await tried(own.jo, MODEL, csv('sku,title', 'a,Lamp'), { key: null })
    const { jobs } = await adminSite()
    const first = await run(own.jo, one)
    await jobs.store.cancel(await findJob(first.id))
    const ctx = await contextFor(own.jo)
    const service = await imports()
    await service.setColumns(ctx, await found(one), {
      columns: { 0: 'title', 1: 'sku' },
      key: null,
    })
    const again = await jobs.again(ctx, await findJob(first.id))
    assert.equal(again!.id, first.id)

    const job = await perform(first.id)
    assert.equal(job.state, 'failed')
    assert.match(job.error ?? '', /was changed or run by another job/)
    assert.equal(await total(), 0)
  })

  test('[D3] requests that overlap the start of a run do not change the import', async ({
    assert,
  }) => {
    const one = await tried(own.jo, MODEL, csv('sku,title', 'a,Lamp'), { key: null })
    const [late, later, last] = [await found(one), await found(one), await found(one)]
    const { id } = await run(own.jo, await found(one))
    const ctx = await contextFor(own.jo)
    const service = await imports()
    const columns = { columns: { 0: 'sku', 1: 'title' }, key: null }
    await assert.rejects(() => service.setColumns(ctx, late, columns), 'import.refused.busy')
    await assert.rejects(() => service.startDryRun(ctx, later), 'import.refused.busy')
    await assert.rejects(() => service.reread(ctx, last, {}), 'import.refused.busy')

    const present = await found(one)
    assert.equal(present.state, 'running')
    const job = await perform(id)
    assert.equal(job.state, 'done')
    assert.equal(await total(), 1)
  })

  test('[D3, U2] no message about a unique index of several columns reveals a value of a hidden column', async ({
    assert,
  }) => {
    await db.table('import_articles').multiInsert([
      { sku: 'a', title: 'Lamp', shelf: 'SECRET', place: 1 },
      { sku: 'b', title: 'Chair', shelf: 'SECRET', place: 2 },
    ])
    const actions = ['view', 'create', 'update', 'import']
    await makeRole('Some', { [MODEL]: { actions, hidden: ['shelf'] } })
    const ada = await member('ada', ['Some'])
    const one = await tried(ada, MODEL, csv('sku,place', 'a,2', 'b,2', 'b,3'))
    assert.notInclude(JSON.stringify(one.dryRun), 'SECRET')
    const two = await tried(ada, MODEL, csv('sku,place', 'a,7', 'b,7'))
    assert.notInclude(JSON.stringify(two.dryRun), 'SECRET')
    assert.equal(two.dryRun!.faulty, 1)
  })

  test('[D3, U3] the preview does not reveal a field that is hidden on a record', async ({
    assert,
  }) => {
    const actions = ['view', 'create', 'update', 'import']
    await makeRole('Branch', { [MODEL]: { actions, scopes: ['ownBranch'] } })
    await makeRole('All', { [MODEL]: { actions, hidden: ['note'] } })
    const ada = await member('ada', ['Branch', 'All'])
    await db.table('import_articles').multiInsert([
      { sku: 'a', title: 'Lamp', branch: 4, note: 'mine' },
      { sku: 'z', title: 'Chair', branch: 5, note: 'SECRET' },
    ])
    const right = await tried(ada, MODEL, csv('sku,note', 'a,mine', 'z,SECRET'))
    const wrong = await tried(ada, MODEL, csv('sku,note', 'a,mine', 'z,guess'))
    assert.deepEqual(maskGuess(right), maskGuess(wrong))
    assert.equal(right.dryRun!.changed, 1)
    assert.equal(right.dryRun!.preview[0].changes[0].before, null)
  })

  /** The dry run without the value that the row itself has. */
  function maskGuess({ dryRun }: AdminImport) {
    return JSON.parse(JSON.stringify(dryRun).replaceAll(/SECRET|guess/g, '?'))
  }

  test('[D3, U3] a value that is hidden on a record does not match it, and is in no message', async ({
    assert,
  }) => {
    const actions = ['view', 'create', 'update', 'import']
    await makeRole('Branch', { [MODEL]: { actions, scopes: ['ownBranch'] } })
    await makeRole('All', { [MODEL]: { actions, hidden: ['sku', 'shelf'] } })
    const ada = await member('ada', ['Branch', 'All'])
    await db.table('import_articles').multiInsert([
      { id: 901, sku: 'a', title: 'Lamp', branch: 4, shelf: 'mine', place: 1 },
      { id: 902, sku: 'z', title: 'Chair', branch: 5, shelf: 'SECRET', place: 2 },
      { id: 903, sku: 'y', title: 'Bed', branch: 5, shelf: 'SECRET', place: 3 },
    ])
    const one = await tried(ada, MODEL, csv('sku,title', 'a,Other', 'z,Other'), { key: 'sku' })
    assert.deepInclude(one.dryRun, { changed: 1, faulty: 1 })
    assert.equal(one.dryRun!.faults[0].field, 'sku')

    const two = await tried(ada, MODEL, csv('id,place', '902,3', '903,9', '901,2'), { key: 'id' })
    assert.notInclude(JSON.stringify(two.dryRun), 'SECRET')
  })

  test('[D3, U3] a reference to a record out of scope has the same error as a missing one', async ({
    assert,
  }) => {
    await db.table('import_makers').multiInsert([
      { id: 1, name: 'Mine', branch: 4 },
      { id: 2, name: 'Theirs', branch: 5 },
    ])
    const actions = ['view', 'create', 'update', 'import']
    await makeRole('Branch', {
      [MODEL]: { actions },
      ImportMaker: { actions: ['view'], scopes: ['ownBranch'] },
    })
    const ada = await member('ada', ['Branch'])
    const content = csv('sku,title,maker_id', 'a,Lamp,1', 'b,Lamp,2', 'c,Lamp,99')
    const one = await tried(ada, MODEL, content)
    const [theirs, none] = one.dryRun!.faults
    assert.equal(one.dryRun!.faulty, 2)
    assert.deepEqual({ ...theirs, line: 0, cell: '' }, { ...none, line: 0, cell: '' })

    const titled = await tried(ada, MODEL, csv('sku,title,maker', 'a,Lamp,Theirs', 'b,L,Nobody'), {
      columns: { 0: 'sku', 1: 'title', 2: 'maker_id' },
      by: { 2: 'title' },
    })
    assert.deepEqual(
      titled.dryRun!.faults.map(({ message }) => message.replace(/Theirs|Nobody/, '')),
      Array(2).fill(titled.dryRun!.faults[0].message.replace(/Theirs|Nobody/, ''))
    )
  })

  test('[D3] only the ten newest files of a user, and those that a job processes, remain stored', async ({
    assert,
  }) => {
    const ada = await makeUser('ada')
    const others = await begin(ada, MODEL, csv('sku', 'a'))
    const first = await tried(own.jo, MODEL, csv('sku,title', 'a,Lamp'))
    await run(own.jo, first)
    const second = await begin(own.jo, MODEL, csv('sku', 'b'))
    for (let i = 0; i < 10; i++) await begin(own.jo, MODEL, csv('sku', 'c'))
    const left = await db.from('admin_imports').select('id', 'file_key')
    const ids = left.map(({ id }) => Number(id))
    assert.lengthOf(ids, 12)
    assert.includeMembers(ids, [others.id, first.id])
    assert.notInclude(ids, second.id)
    const file = await withStoredFile(second.fileKey, (pathOf) => pathOf('file'))
    assert.isNull(file)
  })

  test('[D3] long values are not stored in the table of imports', async ({ assert }) => {
    const long = 'x'.repeat(500_000)
    const one = await tried(
      own.jo,
      MODEL,
      csv('sku,title,note', `a,Lamp,${long}`, `b${long},Lamp,`, `c,Lamp,`, `c,"${long}",`)
    )
    const [row] = await db.from('admin_imports').where('id', one.id)
    assert.isBelow(JSON.stringify(row).length, 50_000)
  })
})
