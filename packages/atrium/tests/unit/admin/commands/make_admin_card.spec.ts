import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ace from '@adonisjs/core/services/ace'
import { test } from '@japa/runner'
import MakeAdminCard from '#admin/commands/make_admin_card'
import { appIn } from '#tests/helpers/other_root'

test.group('make:admin-card', (group) => {
  let root: string

  group.each.setup(async () => {
    ace.ui.switchMode('raw')
    root = await mkdtemp(join(tmpdir(), 'admin-card-'))
    return async () => {
      ace.ui.switchMode('normal')
      await rm(root, { recursive: true })
    }
  })

  /** @returns the error, or undefined */
  async function run(...given: string[]): Promise<string | undefined> {
    const command = await ace.create(MakeAdminCard, given)
    Object.defineProperty(command, 'app', { value: appIn(root) })
    await command.exec()
    return command.error?.message
  }

  test('[G2] make:admin-card writes a card of each kind')
    .with([
      {
        kind: 'number',
        lines: ["extends NumberCard {\n  label = 'Unpaid orders'\n", "select = 'count'"],
      },
      { kind: 'chart', lines: ['extends ChartCard {', "groupBy = 'created_at'\n"] },
      { kind: 'list', lines: ['extends ListCard {', 'rows = 5\n'] },
      { kind: 'text', lines: ["import { TextCard } from 'adonis-atrium/admin'", 'text = '] },
    ])
    .run(async ({ assert }, { kind, lines }) => {
      assert.isUndefined(await run('unpaidOrders', `--kind=${kind}`, '--model=Invoice'))
      const card = await readFile(join(root, 'app/admin_cards/unpaid_orders.ts'), 'utf8')
      assert.include(card, 'export default class UnpaidOrders extends')
      for (const line of lines) assert.include(card, line)
      if (kind !== 'text') assert.include(card, "model = 'Invoice'\n")
    })

  test('[G2] make:admin-card refuses unknown kinds and a missing model, and overwrites no file', async ({
    assert,
  }) => {
    assert.include(await run('Debt', '--kind=pie'), "no kind 'pie' of cards")
    assert.include(await run('Debt', "--model=x'y"), "can't be the class name")
    assert.include(await run('Debt'), 'add its class name, as in --model=Order')
    assert.isUndefined(await run('Debt', '--kind=text'))
    assert.include(await run('debt', '--kind=text'), 'app/admin_cards/debt.ts exists already')
  })
})
