import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { call } from '#tests/helpers/http'
import { csv, run, tried } from '#tests/helpers/imports'
import { withJobs } from '#tests/helpers/job_group'
import { untilJob, work } from '#tests/helpers/jobs'
import { mostListeners } from '#tests/helpers/transaction_listeners'

const TABLES = ['admin_imports', 'import_articles', 'bulk_gadgets', 'batch_crates']
const FEW = 3
const MANY = 30

test.group('Admin | listeners of transactions', (group) => {
  group.tap((one) => one.tags(['@database']))
  const own = withJobs(group, TABLES)

  const headers = () => ({ cookie: own.cookie })

  async function gadgets(count: number, values: Record<string, unknown> = {}) {
    await db.from('bulk_gadgets').delete()
    const rows = Array.from({ length: count }, (_, index) => ({ name: `Lamp ${index}`, ...values }))
    await db.table('bulk_gadgets').multiInsert(rows)
    const ids = await db.from('bulk_gadgets').select('id')
    return ids.map(({ id }) => String(id))
  }

  async function send(path: string, json: object, method = 'POST') {
    const { status, text } = await call(method, path, { json, headers: headers() })
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`)
  }

  async function undo() {
    const [{ id }] = await db.from('admin_event_log').orderBy('id', 'desc').limit(1)
    await send(`/admin/management/events/${id}/undo`, {})
  }

  /** Imports rows, of which those that are there already are changed. */
  async function importRows(count: number, title: string) {
    const lines = Array.from({ length: count }, (_, index) => `s${index},${title}`)
    const one = await tried(own.jo, 'ImportArticle', csv('sku,title', ...lines))
    const { id } = await run(own.jo, one)
    const { error } = await untilJob(id)
    if (error !== null) throw new Error(error)
  }

  const deleteAll = (ids: readonly string[]) =>
    send('/admin/Gadget/bulk-delete', { ids: ids.map(Number) }, 'DELETE')

  const OPERATIONS: Record<string, (count: number) => Promise<() => Promise<unknown>>> = {
    'an import of new rows': async (count) => {
      await db.from('import_articles').delete()
      return () => importRows(count, 'Lamp')
    },
    'an import of changed rows': async (count) => {
      await db.from('import_articles').delete()
      await importRows(count, 'Lamp')
      return () => importRows(count, 'Chair')
    },
    'the undo of an import': async (count) => {
      await db.from('import_articles').delete()
      await importRows(count, 'Lamp')
      await importRows(count, 'Chair')
      return undo
    },
    'a bulk deletion': async (count) => {
      const ids = await gadgets(count)
      return () => deleteAll(ids)
    },
    'the undo of a bulk deletion': async (count) => {
      await deleteAll(await gadgets(count))
      return undo
    },
    'a bulk restoration': async (count) => {
      const ids = await gadgets(count, { is_deleted: true })
      return () => send('/admin/Gadget/bulk-restore?deleted=only', { ids: ids.map(Number) })
    },
    'a bulk edit': async (count) => {
      const ids = await gadgets(count)
      const json = { ids: ids.map(Number), values: { name: 'Chair' } }
      return () => send('/admin/Gadget/bulk-edit', json)
    },
    'a batch': async (count) => {
      const create = Array.from({ length: count }, (_, index) => ({ label: `c${count} ${index}` }))
      return () => send('/admin/Crate/crud/batch', { create })
    },
  }

  test(
    'the operation {$self} registers no more transaction listeners for many records than for few'
  )
    .with(Object.keys(OPERATIONS))
    .run(async ({ assert, cleanup }, name) => {
      cleanup(await work())
      const few = await mostListeners(await OPERATIONS[name](FEW))
      const many = await mostListeners(await OPERATIONS[name](MANY))
      assert.isAbove(few, 0)
      assert.equal(many, few)
    })
})
