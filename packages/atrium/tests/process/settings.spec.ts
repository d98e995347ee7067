import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from '@japa/runner'
import BetterSqlite3 from 'better-sqlite3'
import { hashQuickly, onlyNotes } from '#tests/helpers/notes_project'
import { ProjectCopy } from '#tests/helpers/project_copy'

const PASSWORD = 'correct horse'

/** Edits a file of the copy; the replaced text must exist. */
function edit(copy: ProjectCopy, file: string, changes: Record<string, string>) {
  const path = join(copy.folder, file)
  let text = readFileSync(path, 'utf8')
  for (const [before, after] of Object.entries(changes)) {
    if (!text.includes(before)) throw new Error(`${file} does not hold ${before}`)
    text = text.replace(before, after)
  }
  writeFileSync(path, text)
}

function signIn(
  copy: ProjectCopy,
  password: string,
  headers: Record<string, string> = {},
  { path = '/login', username = 'jo', next = '' } = {}
) {
  return fetch(copy.url + path, {
    method: 'POST',
    body: new URLSearchParams({ username, password, next }),
    headers,
    redirect: 'manual',
  })
}

/** `Cookie` header that a browser would send. */
function cookieOf({ headers }: Response): string {
  const cookies = headers.getSetCookie()
  return cookies.map((line) => line.split(';')[0]).join('; ')
}

function tablesOf(file: string): string[] {
  return namesIn(file, "select name from sqlite_master where type = 'table'")
}

function namesIn(file: string, sql: string): string[] {
  const connection = new BetterSqlite3(file, { readonly: true })
  try {
    return connection
      .prepare<[], { name: string }>(sql)
      .all()
      .map((row) => row.name)
  } finally {
    connection.close()
  }
}

test.group('Admin | settings of config/admin.ts', () => {
  test('[B1, S16] the site is served at the root path behind a proxy, with custom templates', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    await onlyNotes(copy)
    await hashQuickly(copy)
    edit(copy, 'config/admin.ts', {
      "mountPath: '/admin'": "mountPath: '/'",
      "title: 'Atrium'": "title: 'Backstage'",
      "theme: 'light-theme'": "theme: 'dark-theme'",
      'secureCookies: app.inProduction': 'secureCookies: true',
      'templatesDirectory: undefined': "templatesDirectory: app.makePath('templates')",
    })
    mkdirSync(join(copy.folder, 'templates/partials'), { recursive: true })
    writeFileSync(join(copy.folder, 'templates/partials/mark.edge'), '<i>{{ site.title }} mark</i>')

    const stop = await copy.start({ TRUST_PROXY: 'loopback' })
    const create = `printf '%s' '${PASSWORD}' | ${process.execPath} ace.js admin:create --username=jo --password-stdin`
    const { status, output } = await copy.run('sh', ['-c', create])
    assert.equal(status, 0, output)

    /* Anonymous requests are redirected to the login, except outside the site. */
    const requested = await fetch(copy.url, { redirect: 'manual' })
    assert.equal(requested.headers.get('location'), '/login?error=required&next=%2F')
    const missing = await fetch(`${copy.url}/nothing`, { redirect: 'manual' })
    assert.equal(missing.headers.get('location'), '/login?error=required&next=%2Fnothing')
    for (const [path, expected] of [
      ['/api/notes', 200],
      ['/api/nothing', 404],
      ['/docs/nothing', 404],
      ['/health/nothing', 404],
      ['/Note/crud', 401],
      ['/Note/crud/1/2/3', 401],
      ['/Nothing/crud', 401],
    ] as const) {
      const response = await fetch(copy.url + path, { redirect: 'manual' })
      assert.equal(response.status, expected, path)
    }

    const form = await fetch(`${copy.url}/login`)
    const page = await form.text()
    assert.include(page, '<title>Log in · Backstage</title>')
    assert.include(page, 'class="dark-theme dark"')
    assert.include(page, '<i>Backstage mark</i>')
    assert.include(page, 'action="/login"')
    assert.notMatch(page, /"\/admin/)
    const [, stylesheet] = /rel="stylesheet" href="(\/assets\/[^"]+)"/.exec(page)!
    const style = await fetch(copy.url + stylesheet)
    assert.equal(style.status, 200)

    /* The forwarded address of a trusted proxy counts. */
    for (let i = 0; i < 7; i++) {
      const wrong = await signIn(copy, 'wrong', { 'x-forwarded-for': `192.0.2.${i}` })
      assert.equal(wrong.status, 401)
    }

    const right = await signIn(copy, PASSWORD)
    assert.equal(right.status, 303)
    assert.equal(right.headers.get('location'), '/')
    const cookies = right.headers.getSetCookie()
    assert.lengthOf(cookies, 3)
    for (const cookie of cookies)
      assert.match(
        cookie,
        /; Path=\/; (Max-Age=\d+; )?(Expires=[^;]+; )?HttpOnly; Secure; SameSite=Lax$/
      )
    const cookie = cookieOf(right)
    const dashboard = await fetch(copy.url, { headers: { cookie } })
    const text = await dashboard.text()
    for (const [path, expected] of [
      ['/Note/crud?limit=1', 200],
      ['/Note/crud/1/2/3', 404],
      ['/api/nothing', 404],
    ] as const) {
      const response = await fetch(copy.url + path, { headers: { cookie } })
      assert.equal(response.status, expected, path)
      assert.match(response.headers.get('content-type')!, /^application\/(problem\+)?json/, path)
    }
    assert.include(text, '<a href="/Note/" id="count-Note">')
    assert.include(text, 'href="/logout"')
    assert.include(text, 'hx-get="/dashboard-content?poll=1"')
    assert.notMatch(text, /(?:href|src|action|hx-get)="(\/\/|\/admin)/)

    const outside = await signIn(copy, PASSWORD, {}, { next: '/api/notes' })
    assert.equal(outside.headers.get('location'), '/')
    assert.equal(await stop(), 0)
  }).timeout(60_000)

  test('[B1, S18] the admin site’s tables can be in a separate database that one command migrates', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    await onlyNotes(copy)
    await hashQuickly(copy)
    edit(copy, 'config/database.ts', {
      'connections: {':
        "connections: { ...sqliteConnections('admin', app.makePath('tmp/admin.sqlite3')),",
    })
    edit(copy, 'config/admin.ts', { 'adminConnection: undefined': "adminConnection: 'admin'" })
    cpSync(join(copy.folder, '.env.test'), join(copy.folder, '.env'))

    const migrated = await copy.run(process.execPath, ['ace.js', 'migrate'])
    assert.equal(migrated.status, 0, migrated.output)
    assert.include(migrated.output, 'create_admin_users_table')
    assert.include(migrated.output, 'create_notes_table')
    const users = 'select username as name from admin_users'
    assert.isEmpty(namesIn(join(copy.folder, 'tmp/admin.sqlite3'), users))

    const create = `printf '%s' '${PASSWORD}' | ${process.execPath} ace.js admin:create --username=jo --password-stdin`
    const { status, output } = await copy.run('sh', ['-c', create])
    assert.equal(status, 0, output)
    const stop = await copy.start()
    const signedIn = await signIn(copy, PASSWORD, {}, { path: '/admin/login' })
    assert.equal(signedIn.status, 303)
    assert.equal(signedIn.headers.get('location'), '/admin')

    /* The admin's own models use its connection, all others the application's. */
    const cookie = cookieOf(signedIn)
    const send = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${copy.url}/admin${path}`, {
        method,
        headers: { cookie, ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body),
      })
      return { status: response.status, text: await response.text() }
    }
    const al = { username: 'al-bert', password: PASSWORD }
    const made = await send('POST', '/AdminUser/crud', al)
    assert.equal(made.status, 201, made.text)
    const { id } = JSON.parse(made.text)
    const entered = await signIn(copy, PASSWORD, {}, { path: '/admin/login', username: 'al-bert' })
    assert.equal(entered.status, 303)
    const sessions = await send('GET', '/AdminSession/')
    assert.include(sessions.text, 'al-bert')
    const note = await send('POST', '/Note/crud', { text: 'one' })
    assert.equal(note.status, 201, note.text)
    const notes = await send('GET', '/Note/crud?limit=1')
    assert.equal(notes.status, 200)
    assert.equal(JSON.parse(notes.text).total_count, 1)
    const removed = await send('DELETE', '/AdminUser/bulk-delete', { ids: [id] })
    assert.equal(removed.status, 200, removed.text)
    const shutOut = await fetch(`${copy.url}/admin/Note/crud`, {
      headers: { cookie: cookieOf(entered) },
    })
    assert.equal(shutOut.status, 401)
    const tokens = await send('GET', '/AdminTokenBlacklist/crud')
    assert.equal(JSON.parse(tokens.text).total_count, 1)
    await stop()

    assert.includeMembers(tablesOf(join(copy.folder, 'tmp/admin.sqlite3')), [
      'admin_users',
      'admin_sessions',
      'admin_rate_limits',
    ])
    const own = tablesOf(join(copy.folder, 'tmp/db.sqlite3'))
    assert.include(own, 'notes')
    assert.notInclude(own, 'admin_users')
  }).timeout(60_000)
})
