/*
 * Only the application writes log lines: input of a client stays within one line, in JSON and in
 * the readable format for development.
 */
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import pretty from 'pino-pretty'
import {
  callRaw,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
} from '#tests/helpers/admin'
import { captureLog } from '#tests/helpers/captured_log'
import { refuseInserts } from '#tests/helpers/databases'
import { call } from '#tests/helpers/http'

const FORGED = '[00:00:00.000] INFO (1): Logged in as root'

/** Line breaks and terminal control sequences. */
const TRICKS = [
  `x\n${FORGED}`,
  `x\r\n${FORGED}`,
  `x\r${FORGED}`,
  `x\x1b[2K\x1b[1A${FORGED}`,
  `x\x1b]0;title\x07`,
  `x\x9b31m`,
  `x\u2028${FORGED}`,
  `x\u202e${FORGED}`,
  `x\x7f\x85${FORGED}`,
  `x\x08\x08\x08`,
  `x\0${FORGED}`,
  `","level":30,"msg":"${FORGED}`,
]

/** Terminal control characters without line breaks, and direction marks */
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]/

test.group('Attacks | log lines', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('attacked_patrons').delete()
    await makeUser('jo')
  })

  /** Output of a terminal; indented lines belong to the one above. */
  function shown(line: object): string {
    return pretty.prettyFactory({ colorize: false })(JSON.stringify(line))
  }

  function assertOneLineEach(assert: any, lines: object[], least: number) {
    assert.isAtLeast(lines.length, least)
    for (const line of lines) {
      const text = shown(line)
      assert.notMatch(text, UNSEEN, JSON.stringify(text))
      const [first, ...rest] = text.trimEnd().split('\n')
      assert.notInclude(first.slice(10), '[00:00:00', JSON.stringify(text))
      for (const one of rest) assert.match(one, /^ {4}/, JSON.stringify(text))
    }
  }

  test('[B3, B8] user names of logins are logged on one line', async ({ assert, cleanup }) => {
    const lines = captureLog(cleanup)
    for (const name of TRICKS) await login(name, 'wrong')
    const told = lines().filter(({ msg }) => msg === 'Login failed')
    assertOneLineEach(assert, told, TRICKS.length)
  })

  test('[A26] paths, queries, ids and other parts of a request are logged on one line', async ({
    assert,
    cleanup,
  }) => {
    const lines = captureLog(cleanup)
    const cookie = await cookiesOf(await makeUser('al'))
    for (const trick of TRICKS) {
      const path = encodeURIComponent(trick)
      for (const base of ['/', '/api/', '/admin/', '/docs/', '/health/', '/admin/Patron/update/']) {
        await callRaw('GET', `${base}${path}?${path}=${path}`, {
          cookie,
          'x-request-id': path,
          'user-agent': path,
          'referer': path,
        })
      }
      await call('POST', '/api/attacked-patrons', { json: { name: trick, [trick]: trick } })
    }
    assertOneLineEach(assert, lines(), TRICKS.length)
  })

  test('[A29] a database error with its statement is logged on one line', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await refuseInserts('admin_audit_log'))
    const lines = captureLog(cleanup)
    for (const trick of TRICKS) {
      const json = { name: 'Ann', note: trick.slice(0, 40) }
      await call('POST', '/api/attacked-patrons', { json })
    }
    /* A NUL is refused earlier. */
    assertOneLineEach(assert, lines(), TRICKS.length - 1)
  })
})
