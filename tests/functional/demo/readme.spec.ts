import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { ProjectCopy } from '#tests/helpers/project_copy'

const PASSWORD = 'correct horse'

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

/** A page of the copy's admin site, as a new user of it sees it. */
async function adminPage(copy: ProjectCopy, path: string): Promise<string> {
  const create = `printf '%s' '${PASSWORD}' | ${process.execPath} ace.js admin:create --username=jo --password-stdin`
  await copy.run('sh', ['-c', create])
  const signedIn = await fetch(`${copy.url}/admin/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'jo', password: PASSWORD }),
    redirect: 'manual',
  })
  const cookies = signedIn.headers.getSetCookie().map((line) => line.split(';')[0])
  const page = await fetch(copy.url + path, { headers: { cookie: cookies.join('; ') } })
  return await page.text()
}

test.group('README', () => {
  test('[P12] the five-minute tour works as it is written', async ({ assert, cleanup }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    let stop: (() => Promise<number | null>) | undefined
    const outputs = new Map<string, string>()

    const end = async () => {
      assert.equal((await stop?.()) ?? 0, 0)
      stop = undefined
    }

    for (const { language, path, text } of blocks()) {
      if (path) {
        await end()
        mkdirSync(dirname(join(copy.folder, path)), { recursive: true })
        writeFileSync(join(copy.folder, path), text)
      } else if (language === 'sh') {
        for (const command of text.trim().split('\n')) {
          const isCall = command.startsWith('curl ')
          if (isCall) stop ??= await copy.start()
          else await end()
          const line = command
            .replace(/^curl /, 'curl -s ')
            .replace(/^node /, `${process.execPath} `)
            .replaceAll('localhost:3333', `localhost:${copy.port}`)
          const { status, output } = await copy.run('sh', ['-c', line])
          assert.equal(status, 0, `${command}: ${output}`)
          if (isCall) outputs.set(command, output)
        }
      }
    }
    const page = await adminPage(copy, '/admin/Invoice/')
    assert.equal(await stop?.(), 0)

    const answers = [...outputs.values()]
    assert.lengthOf(answers, 13)
    const [films, product, patched, deleted, shown, purged, ...own] = answers
    const [book, one, list, refused, customer, invoice, invoices] = own
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
    assert.containsSubset(JSON.parse(customer), { id: 1, email: 'ann@example.com' })
    assert.containsSubset(JSON.parse(invoice), { number: '2026-1', customer_id: 1, paid_at: null })
    assert.equal(JSON.parse(invoices).data[0].customer.name, 'Ann')
    assert.include(page, '2026-1')
  })
    .timeout(120_000)
    .skip(!hasCurl() && !process.env.CI, 'curl is not installed')
})
