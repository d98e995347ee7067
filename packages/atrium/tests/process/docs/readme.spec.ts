import { test } from '@japa/runner'
import { DocsProject, hasCurl } from '#tests/helpers/docs/docs_project'
import { blocksOf } from '#tests/helpers/docs/markdown'

test.group('Code blocks of the README', (group) => {
  let project: DocsProject

  group.each.timeout(600_000)
  group.each.setup(async () => {
    project = await DocsProject.create()
    return () => project.remove()
  })

  test('[P12] every step of the five-minute tutorial of the README runs and has the result that it shows', async ({
    assert,
  }) => {
    const errors = await project.follow(blocksOf('README.md'))
    assert.deepEqual(errors, [])
    await project.start()
    const page = await project.adminPage('/admin/Invoice/create_page', 'jo', 'correct horse')
    assert.include(page, 'Without tax')
    await project.stop()
    /* The model that the README shows fits the files that its command wrote. */
    for (const file of ['clients', 'invoices']) {
      const { status, output } = await project.test(`tests/functional/${file}.spec.ts`)
      assert.equal(status, 0, output)
      assert.notInclude(output, 'NO TESTS')
    }
  }).skip(!hasCurl() && !process.env.CI, 'curl is not installed')
})
