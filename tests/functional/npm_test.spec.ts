import { test } from '@japa/runner'
import { ProjectCopy } from '#tests/helpers/project_copy'

/** A test of the functional suite and one of the browser's */
const TESTS = ['scripts/test.js', '--files=home,no_javascript']

test.group('npm test', () => {
  test('without a Chromium, the browser suite is left out, and said to be', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    const { status, output } = await copy.run(process.execPath, TESTS, {
      CHROMIUM_PATH: '/nowhere',
    })
    assert.equal(status, 0, output)
    assert.deepEqual(output.trimEnd().split('\n').slice(-2), [
      'skipped: browser (no Chromium)',
      '1 passed, 0 failed',
    ])
  })

  test('where a machine checks the project, a missing Chromium is a failure', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    const { status, output } = await copy.run(process.execPath, TESTS, {
      CHROMIUM_PATH: '/nowhere',
      CI: 'true',
    })
    assert.equal(status, 1, output)
    assert.include(output, 'Chromium was not found')
    assert.notInclude(output, 'skipped:')
    assert.match(output, /\n1 passed, 1 failed\n$/)
  })
})
