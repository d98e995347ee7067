import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { ProjectCopy } from '#tests/helpers/project_copy'

interface Block {
  language: string
  path: string | undefined
  text: string
}

/** The fenced blocks of the README, in order; those that are files name their path. */
function blocks(): Block[] {
  const readme = readFileSync(app.makePath('README.md'), 'utf8')
  return [...readme.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map((match) => ({
    language: match[1],
    path: match[2],
    text: match[3],
  }))
}

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test.group('README', () => {
  test('the five-minute tour works as it is written', async ({ assert, cleanup }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    let stop: (() => Promise<number | null>) | undefined
    const outputs = new Map<string, string>()

    for (const { language, path, text } of blocks()) {
      if (path) {
        assert.equal((await stop?.()) ?? 0, 0)
        stop = undefined
        mkdirSync(dirname(join(copy.folder, path)), { recursive: true })
        writeFileSync(join(copy.folder, path), text)
      } else if (language === 'sh') {
        stop ??= await copy.start()
        for (const command of text.trim().split('\n')) {
          const line = command
            .replace('curl ', 'curl -s ')
            .replaceAll('localhost:3333', `localhost:${copy.port}`)
          const { status, output } = await copy.run('sh', ['-c', line])
          assert.equal(status, 0, command)
          outputs.set(command, output)
        }
      }
    }
    assert.equal(await stop?.(), 0)

    const answers = [...outputs.values()]
    assert.lengthOf(answers, 10)
    const [films, product, patched, deleted, shown, purged, book, one, list, refused] = answers
    assert.isAbove(JSON.parse(films).total_count, 2)
    assert.equal(JSON.parse(product).name, 'Desk lamp')
    assert.deepEqual([patched, deleted, purged], ['null', 'null', 'null'])
    assert.include(shown, '"is_deleted":true')
    assert.match(book, /^HTTP\/1.1 201 Created/)
    assert.match(book, /location: \/api\/books\/1\r\n/)
    assert.equal(JSON.parse(one).title, 'Dune')
    assert.equal(JSON.parse(list).total_count, 1)
    assert.sameMembers(
      JSON.parse(refused).errors.map((error: { field: string }) => error.field),
      ['title', 'pages']
    )
  })
    .timeout(60_000)
    .skip(!hasCurl() && !process.env.CI, 'curl is not installed')
})
