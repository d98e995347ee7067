import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { hashQuickly, onlyNotes } from '#tests/helpers/notes_project'
import { ProjectCopy } from '#tests/helpers/project_copy'

const PASSWORD = 'correct horse'

const ROLES = {
  roles: [
    {
      name: 'Keeper',
      permissions: { Note: { actions: ['view'] }, pages: ['tide-table'], cards: ['notes_written'] },
    },
    { name: 'Reader', permissions: { Note: { actions: ['view'] } } },
  ],
}

const ace = (copy: ProjectCopy, ...args: string[]) =>
  copy.run(process.execPath, ['ace.js', ...args])

test.group('Admin | pages and cards of an application', (group) => {
  let copy: ProjectCopy

  group.each.setup(async () => {
    copy = await ProjectCopy.create()
    await onlyNotes(copy)
    await hashQuickly(copy)
    return () => copy.remove()
  })

  async function cookieOf(username: string, role: string) {
    const command = `printf '%s' '${PASSWORD}' | ${process.execPath} ace.js admin:create --password-stdin --username=${username} --role=${role}`
    const { status, output } = await copy.run('sh', ['-c', command])
    if (status !== 0) throw new Error(output)
    const login = await fetch(`${copy.url}/admin/login`, {
      method: 'POST',
      body: new URLSearchParams({ username, password: PASSWORD }),
      redirect: 'manual',
    })
    const lines = login.headers.getSetCookie().map((line) => line.split(';')[0])
    return lines.join('; ')
  }

  test('[G1, G2] pages and cards written by make:admin-page and make:admin-card are shown to roles that list them', async ({
    assert,
  }) => {
    const page = await ace(copy, 'make:admin-page', 'tideTable')
    assert.equal(page.status, 0, page.output)
    assert.include(page.output, '"pages": ["tide-table"]')
    const card = await ace(copy, 'make:admin-card', 'notesWritten', '--model=Note')
    assert.equal(card.status, 0, card.output)
    assert.include(card.output, '"cards": ["notes_written"]')
    mkdirSync(join(copy.folder, 'tmp'), { recursive: true })
    writeFileSync(join(copy.folder, 'tmp/roles.json'), JSON.stringify(ROLES))
    const stop = await copy.start()
    const roles = await ace(copy, 'admin:roles', '--import=tmp/roles.json')
    assert.equal(roles.status, 0, roles.output)

    const get = async (path: string, cookie: string) => {
      const response = await fetch(copy.url + path, { headers: { cookie } })
      return { status: response.status, text: await response.text() }
    }
    const keeper = await cookieOf('kim', 'Keeper')
    const shown = await get('/admin/tide-table', keeper)
    assert.equal(shown.status, 200)
    assert.include(shown.text, '<h1')
    assert.include(shown.text, 'Tide table')
    const dashboard = await get('/admin', keeper)
    assert.include(dashboard.text, 'href="/admin/tide-table"')
    assert.include(dashboard.text, 'Notes written')

    const reader = await cookieOf('ray', 'Reader')
    const refused = await get('/admin/tide-table', reader)
    assert.equal(refused.status, 404)
    const other = await get('/admin', reader)
    assert.notInclude(other.text, 'tide-table')
    assert.notInclude(other.text, 'Notes written')
    assert.equal(await stop(), 0)
  }).timeout(120_000)
})
