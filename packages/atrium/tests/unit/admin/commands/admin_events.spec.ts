import ace from '@adonisjs/core/services/ace'
import { test } from '@japa/runner'
import { AdminEventLog } from '#admin'
import AdminEvents from '#admin/commands/admin_events'
import { ago, emptyEventTables, logEvent, withIntegration } from '#tests/helpers/events'

async function run(args: string[]) {
  const command = await ace.create(AdminEvents, args)
  await command.exec()
  return { command, logs: command.logger.getLogs() }
}

test.group('admin:events', (group) => {
  group.each.setup(async () => {
    ace.ui.switchMode('raw')
    await emptyEventTables()
    return () => {
      ace.ui.switchMode('normal')
      ace.ui.logger.flushLogs()
    }
  })

  test('[P12] admin:events --prune removes events past the retention', async ({ assert }) => {
    await logEvent({ timestamp: ago({ days: 366 }) })
    const stored = await logEvent({ timestamp: ago({ days: 364 }) })
    const { command, logs } = await run(['--prune'])
    assert.equal(command.exitCode, 0)
    assert.include(logs[0].message, 'Events removed: 1')
    const events = await AdminEventLog.all()
    assert.deepEqual(
      events.map(({ id }) => id),
      [stored]
    )
  })

  test('[P12] admin:events --json prints only JSON', async ({ assert }) => {
    const { logs } = await run(['--prune', '--json'])
    assert.lengthOf(logs, 1)
    assert.deepEqual(JSON.parse(logs[0].message), { removed: 0 })
  })

  test('[P12] admin:events without a flag, or without an event log, fails with the reason', async ({
    assert,
    cleanup,
  }) => {
    const idle = await run([])
    assert.equal(idle.command.exitCode, 1)
    assert.include(idle.logs[0].message, '--prune')
    ace.ui.logger.flushLogs()

    cleanup(await withIntegration({ log: async () => {} }))
    const { command, logs } = await run(['--prune'])
    assert.equal(command.exitCode, 1)
    assert.include(logs[0].message, 'no event log')
  })
})
