import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ace from '@adonisjs/core/services/ace'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import CrudExport from '#admin/commands/crud_export'
import { ClosedFile } from '#tests/fixtures/list_views'
import { emptyEventTables } from '#tests/helpers/logged_events'

test.group('crud:export', (group) => {
  let folder: string

  group.each.setup(async () => {
    ace.ui.switchMode('raw')
    await emptyEventTables()
    await db.from('list_closed_files').delete()
    await db.table('list_closed_files').multiInsert([{ title: '=1+1' }, { title: 'b' }])
    folder = await mkdtemp(join(tmpdir(), 'export-'))
    return async () => {
      ace.ui.switchMode('normal')
      await rm(folder, { recursive: true, force: true })
    }
  })

  async function run(...args: string[]) {
    const command = await ace.create(CrudExport, args)
    await command.exec()
    const logs = command.ui.logger.getLogs().map(({ message }) => message)
    return { command, logs }
  }

  test('[D2, P14] crud:export writes all records to a file regardless of the policy, and its event names the command', async ({
    assert,
    cleanup,
  }) => {
    const { allows } = ClosedFile
    ClosedFile.allows = () => false
    cleanup(() => void (ClosedFile.allows = allows))
    const path = join(folder, 'files.csv')
    const { command, logs } = await run(
      'ClosedFile',
      '--query=columns=title&sort_by=title&sort_order=asc',
      `--output=${path}`,
      '--json'
    )
    command.assertSucceeded()
    assert.equal(await readFile(path, 'utf8'), "title\r\n'=1+1\r\nb\r\n")
    const { mode, size } = await stat(path)
    assert.equal(mode & 0o777, 0o600)
    assert.deepEqual(JSON.parse(logs.at(-1)!), {
      model: 'ClosedFile',
      format: 'csv',
      records: 2,
      bytes: size,
      file: path,
    })
    const [event] = await db.from('admin_event_log').where('event_type', 'EXPORT')
    assert.equal(event.username, 'system: crud:export')
    assert.containSubset(JSON.parse(event.details), { format: 'csv', count: 2 })
  })

  test(
    '[D2, P12] crud:export reports in one line why it is not possible, and leaves no file: {args}'
  )
    .with([
      { args: ['Fim'], line: /Unknown model Fim; models on the admin site are .*ClosedFile/ },
      {
        args: ['ClosedFile', '--format=xls'],
        line: /format must be one of csv, ndjson, json, xlsx/,
      },
      { args: ['ClosedFile', '--query=filter.tite=x'], line: /Nothing was exported.*tite/ },
      { args: ['ClosedFile', '--query=columns=tite'], line: /Unknown column tite/ },
    ])
    .run(async ({ assert }, { args, line }) => {
      const { command, logs } = await run(...args, `--output=${join(folder, 'x.csv')}`)
      command.assertFailed()
      assert.lengthOf(logs, 1)
      assert.match(logs[0], line)
      assert.isEmpty(await readdir(folder))
    })

  test('[D2, P12] crud:export to a folder is refused', async ({ assert }) => {
    const { command, logs } = await run('ClosedFile', `--output=${folder}`)
    command.assertFailed()
    assert.match(logs[0], /exists and is not a file/)
  })
})
