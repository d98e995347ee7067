import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { formOf } from '#tests/helpers/forms'
import { hashQuickly, onlyNotes } from '#tests/helpers/notes_project'
import { ProjectCopy } from '#tests/helpers/project_copy'

const PASSWORD = 'correct horse'

const DECLARED = `userAttributes: {
    note_id: { type: 'number', label: 'Note', references: 'Note', help: 'Where they write' },
    level: { type: 'number' },
    grade: { type: 'number', choices: [1, 2.5] },
    night: { type: 'boolean' },
    motto: { type: 'text' },
    team: { type: 'text', choices: ['a', 'b'] },
  },`

const FILLED = {
  'attributes.note_id': '1',
  'attributes.level': '2.5',
  'attributes.grade': '2.5',
  'attributes.night': 'false',
  'attributes.motto': 'Ad astra',
  'attributes.team': 'b',
}

const STORED = { note_id: 1, level: 2.5, grade: 2.5, night: false, motto: 'Ad astra', team: 'b' }

async function declare(copy: ProjectCopy, declared: string) {
  const path = join(copy.folder, 'config/admin.ts')
  const text = readFileSync(path, 'utf8')
  if (!text.includes('userAttributes: {},')) throw new Error('config/admin.ts has other attributes')
  writeFileSync(path, text.replace('userAttributes: {},', declared))
}

const create = (copy: ProjectCopy, ...flags: string[]) =>
  copy.run('sh', [
    '-c',
    `printf '%s' '${PASSWORD}' | ${process.execPath} ace.js admin:create --password-stdin ${flags.join(' ')}`,
  ])

test.group('Admin | user attributes in an application', (group) => {
  let copy: ProjectCopy

  group.each.setup(async () => {
    copy = await ProjectCopy.create()
    await onlyNotes(copy)
    await hashQuickly(copy)
    return () => copy.remove()
  })

  test('[U3] the form creates and updates a user with attributes of every type', async ({
    assert,
  }) => {
    await declare(copy, DECLARED)
    const stop = await copy.start()
    for (const text of ['Rome', 'Oslo']) {
      const body = JSON.stringify({ text })
      const headers = { 'content-type': 'application/json' }
      await fetch(`${copy.url}/api/notes`, { method: 'POST', body, headers })
    }
    const made = await create(copy, '--username=jo', '--attribute=note_id=2', '--attribute=night=1')
    assert.equal(made.status, 0, made.output)
    const missing = await create(copy, '--username=al', '--attribute=note_id=9')
    assert.equal(missing.status, 1)
    assert.include(missing.output, 'The attribute note_id has 9, which no Note has as its id')

    const login = await fetch(`${copy.url}/admin/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: 'jo', password: PASSWORD }),
      redirect: 'manual',
    })
    const cookie = login.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const page = async (path: string) => {
      const response = await fetch(copy.url + path, { headers: { cookie } })
      return await response.text()
    }
    const send = async (path: string, fields: Record<string, string>) => {
      const form = formOf(await page(path))
      const body = new URLSearchParams({ ...form.values, ...fields })
      const options = { method: 'POST', body, headers: { cookie }, redirect: 'manual' } as const
      const response = await fetch(copy.url + form.action, options)
      return { status: response.status, text: await response.text() }
    }
    const users = async () => {
      const { data } = JSON.parse(await page('/admin/AdminUser/crud?sort=id&limit=9'))
      return data as Array<{ id: number; username: string; attributes: object }>
    }

    const [jo] = await users()
    assert.deepEqual(jo.attributes, { note_id: 2, night: true })
    const shown = formOf(await page(`/admin/AdminUser/update/${jo.id}`))
    assert.equal(shown.values['attributes.note_id'], '2')
    assert.equal(shown.values['attributes.night'], 'true')
    assert.match(shown.tags['attributes.note_id'], /^<select/)

    const person = { username: 'kim', password: PASSWORD }
    const created = await send('/admin/AdminUser/create_page', { ...person, ...FILLED })
    assert.equal(created.status, 303, created.text)
    const [, kim] = await users()
    assert.deepEqual(kim.attributes, STORED)

    const path = `/admin/AdminUser/update/${kim.id}`
    const form = formOf(await page(path))
    for (const [name, value] of Object.entries(FILLED)) assert.equal(form.values[name], value, name)
    assert.include(await page(path), '<option value="1" selected>Rome</option>')
    const unchanged = await send(path, {})
    assert.equal(unchanged.status, 303)
    const edits = { 'attributes.note_id': '2', 'attributes.motto': '', 'attributes.night': 'true' }
    const edited = await send(path, edits)
    assert.equal(edited.status, 303, edited.text)
    const { motto, ...rest } = STORED
    const [, after] = await users()
    assert.deepEqual(after.attributes, { ...rest, note_id: 2, night: true })

    for (const [name, value] of [
      ['note_id', '9'],
      ['level', 'high'],
      ['grade', '3'],
      ['night', 'perhaps'],
      ['team', 'c'],
    ]) {
      const refused = await send(path, { [`attributes.${name}`]: value })
      assert.equal(refused.status, 400, name)
      assert.include(formOf(refused.text).errors.attributes, name)
    }
    const patched = await fetch(`${copy.url}/admin/AdminUser/crud/${kim.id}`, {
      method: 'PATCH',
      body: JSON.stringify({ attributes: { note_id: 9 } }),
      headers: { cookie, 'content-type': 'application/json' },
    })
    assert.equal(patched.status, 422)
    const { errors } = (await patched.json()) as { errors: Array<{ field: string; rule: string }> }
    assert.deepEqual(
      errors.map(({ field, rule }) => [field, rule]),
      [['attributes.note_id', 'foreign_key']]
    )
    const choices = await fetch(`${copy.url}/admin/AdminUser/choices/note_id?q=2`, {
      headers: { cookie, accept: 'application/json' },
    })
    assert.equal(choices.status, 200)
    assert.equal(await stop(), 0)
  }).timeout(60_000)

  test('[U3, P9] a reference to a model that is not on the site prevents the start', async ({
    assert,
  }) => {
    await declare(copy, `userAttributes: { note_id: { type: 'number', references: 'Notes' } },`)
    const output = await copy.start().then(
      () => '',
      (error: Error) => error.message
    )
    assert.include(output, "userAttributes.note_id.references is 'Notes'")
  }).timeout(60_000)
})
