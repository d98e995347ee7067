import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ace from '@adonisjs/core/services/ace'
import edge from 'edge.js'
import { test } from '@japa/runner'
import MakeAdminPage from '#admin/commands/make_admin_page'
import { appIn } from '#tests/helpers/other_root'

test.group('make:admin-page', (group) => {
  let root: string

  group.each.setup(async () => {
    ace.ui.switchMode('raw')
    root = await mkdtemp(join(tmpdir(), 'admin-page-'))
    return async () => {
      ace.ui.switchMode('normal')
      await rm(root, { recursive: true })
    }
  })

  /** @returns the error, or undefined */
  async function run(name: string): Promise<string | undefined> {
    const command = await ace.create(MakeAdminPage, [name])
    Object.defineProperty(command, 'app', { value: appIn(root) })
    await command.exec()
    return command.error?.message
  }

  test('[G1] make:admin-page writes a page and its template, which can be rendered', async ({
    assert,
  }) => {
    assert.isUndefined(await run('reports/tideTable'))
    const page = await readFile(join(root, 'app/admin_pages/reports/tide_table.ts'), 'utf8')
    assert.match(page, /^import type \{ HttpContext \}/)
    assert.include(page, 'export default class TideTable extends AdminPage {')
    assert.include(page, "path = 'reports/tide-table'\n  label = 'Tide table'")
    assert.include(page, "template = 'admin/reports/tide_table'")
    const file = join(root, 'resources/views/admin/reports/tide_table.edge')
    const text = await edge.renderRaw(await readFile(file, 'utf8'), { page: { label: '<b>' } })
    assert.include(text, '<p>&lt;b&gt;</p>')
  })

  test('[G1] make:admin-page overwrites no file, and refuses an invalid name', async ({
    assert,
  }) => {
    await run('today')
    assert.include(await run('Today'), 'app/admin_pages/today.ts exists already')
    for (const name of ['../today', 'a//b', '5', "x'y"]) {
      assert.include(await run(name), "can't be a name")
    }
  })
})
