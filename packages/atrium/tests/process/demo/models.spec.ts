import { test } from '@japa/runner'
import { ProjectCopy } from '#tests/helpers/project_copy'

test.group('Models of the demo', () => {
  test("[K12.2] the demo's models match the tables that its migrations create", async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    const environment = {
      NODE_ENV: 'development',
      APP_URL: copy.url,
      APP_KEY: 'm'.repeat(32),
      LOG_LEVEL: 'warn',
      DB_CONNECTION: 'sqlite',
    }
    for (const args of [['migrate'], ['make:crud', '--check']]) {
      const { output, status } = await copy.run(process.execPath, ['ace.js', ...args], environment)
      assert.equal(status, 0, output)
      if (args.includes('--check')) assert.equal(output.trim(), 'Models and tables agree')
    }
  }).timeout(60_000)
})
