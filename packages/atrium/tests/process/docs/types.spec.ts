import { test } from '@japa/runner'
import { DocsProject } from '#tests/helpers/docs/docs_project'
import { blocksOf, pages } from '#tests/helpers/docs/markdown'

test.group('Types of the code blocks', (group) => {
  let project: DocsProject

  group.each.timeout(600_000)
  group.each.setup(async () => {
    project = await DocsProject.create()
    return () => project.remove()
  })

  test('the code of the README and of docs/ compiles', async ({ assert }) => {
    const blocks = ['README.md', ...pages().filter((page) => page !== 'README.md')].flatMap(
      blocksOf
    )
    const generating = (command: RegExp) => blocks.filter(({ text }) => command.test(text))
    assert.deepEqual(await project.follow(generating(/^node ace make:crud/)), [])
    project.prepare(blocks)
    assert.deepEqual(await project.follow(generating(/^npx openapi-typescript .*\n$/)), [])
    await project.stop()

    const paths = project.write(blocks.filter(({ isAppended }) => !isAppended))
    assert.equal(await project.errorsOf(paths.filter((path) => path.endsWith('.ts'))), '')
  })
})
