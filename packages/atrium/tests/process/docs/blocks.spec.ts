import { test } from '@japa/runner'
import { DocsProject, hasCurl } from '#tests/helpers/docs/docs_project'
import { blocksOf, pages } from '#tests/helpers/docs/markdown'

/** User that a page of the docs creates. */
const EDITOR = ['editor', 'correct horse'] as const

test.group('Code blocks of docs/', (group) => {
  let project: DocsProject

  group.each.timeout(600_000)
  group.each.setup(async () => {
    project = await DocsProject.create()
    return () => project.remove()
  })

  test('the code on the pages of docs/ runs and prints the output shown', async ({ assert }) => {
    const readme = blocksOf('README.md')
    const blocks = pages()
      .filter((page) => page !== 'README.md')
      .flatMap(blocksOf)
    const generated = readme.filter(({ text }) => text.startsWith('node ace make:crud'))
    await project.follow(generated)
    project.prepare([...readme.filter(({ language }) => language === 'ts'), ...blocks])

    assert.deepEqual(await project.follow(blocks), [])
    assert.isAbove(project.commands, 20)

    await project.start()
    const see = (path: string) => project.adminPage(path, ...EDITOR)
    const list = await see('/admin/Subscriber/')
    for (const text of ['Ask before you write to them.', '>example.com<', 'Deactivate']) {
      assert.include(list, text)
    }
    const form = await see('/admin/Subscriber/update/1')
    assert.match(form, /<input class="input" type="number" id="[^"]+" name="amount" value="1250"/)
    assert.include(form, 'Issues sent to ann@example.com: 0')
    const story = await see('/admin/Story/update/1')
    assert.match(story, /<textarea[^>]*name="tag_ids"[^>]*>\s*<\/textarea>/)
    assert.match(await see('/admin/report'), /Drafts: \d/)
    await project.stop()
  }).skip(!hasCurl() && !process.env.CI, 'curl is not installed')
})
