/*
 * A search text of a client never becomes a regular expression, and is never matched in superlinear
 * time. No time is measured: the expressions and statements are inspected.
 */
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { get } from '#tests/helpers/http'

/** Patterns with catastrophic backtracking, or with special characters. */
const EVIL = [
  ...['(a+)+$', '(a|a)*b', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$', '(?:a?){30}a{30}'],
  ...['[', '(', '*', '\\', '\\\\', '.*', '$&', '(?<x>', '[[:alpha:]]', '{1,99999}', 'ſK'],
]

const NOW = '2020-02-02 00:00:00'

test.group('Attacks | patterns', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('jo'))
    await db.from('samples').delete()
    await db.from('attacked_patrons').delete()
  })

  /** Sources of all regular expressions that are created during the work. */
  async function madeDuring(work: () => Promise<void>): Promise<string[]> {
    const original = globalThis.RegExp
    const sources: string[] = []
    const note = (source: unknown) => {
      if (typeof source === 'string') sources.push(source)
    }
    globalThis.RegExp = new Proxy(original, {
      construct(target, given, self) {
        note(given[0])
        return Reflect.construct(target, given, self)
      },
      apply(target, self, given) {
        note(given[0])
        return Reflect.apply(target, self, given)
      },
    })
    try {
      await work()
    } finally {
      globalThis.RegExp = original
    }
    return sources
  }

  /** Sends the text to every search, character by character. */
  async function look(text: string) {
    const encoded = encodeURIComponent(text)
    const found: string[] = []
    for (const operator of ['eq', 'like', 'ilike', 'contains', 'startswith', 'endswith', 'in']) {
      const { status, body } = await get(`/api/samples?name__${operator}=${encoded}`)
      if (status === 200 && body.total_count === 1) found.push(operator)
      else if (status >= 500) throw new Error(`${operator} ${text}: ${status}`)
    }
    const own = { headers: { cookie } }
    await get(`/admin/Patron/?column-to-search=name&search-input=${encoded}`, own)
    await get(`/admin/Patron/?q=${encoded}&filter.club_id__title=${encoded}`, own)
    await get(`/admin/Patron/?filter.name__ilike=${encoded}`, own)
    await get(`/admin/Patron/choices/club_id?q=${encoded}`, own)
    await get(`/admin/management/events?username=${encoded}`, own)
    return found
  }

  test('[A18, S30, B17] a search text is never interpreted as a regular expression', async ({
    assert,
  }) => {
    await insertRow('samples', { name: 'aaaaaaaaaaaaaaaaaaa!', created_at: NOW })
    await look('a')
    const sources = await madeDuring(async () => {
      for (const text of EVIL) await look(text)
    })
    /* Only single letters, to find their other cases. */
    for (const source of sources) assert.match(source, /^\^\p{L}\$$/u)
  })

  test('[A18] each character of a search text is literal and matches only itself', async ({
    assert,
  }) => {
    for (const text of EVIL.filter((one) => one.length <= 20 && !one.includes('\\'))) {
      await db.from('samples').delete()
      await insertRow('samples', { name: 'aaaaaaaaaaaaaaaaaaa!', created_at: NOW })
      await insertRow('samples', { name: text, created_at: NOW })
      const found = await look(text)
      assert.includeMembers(found, ['eq', 'like', 'ilike', 'contains', 'startswith', 'endswith'])
    }
  })

  test('[A18] texts that end with or contain a long search text are found, and no others', async ({
    assert,
  }) => {
    const long = 'aB%_|\\é'.repeat(40)
    const notes = {
      same: long,
      end: `x${long}`,
      within: `x${long}y`,
      small: `x${long.toLowerCase()}`,
      other: `x${long.slice(0, -1)}e`,
      short: 'é',
    }
    for (const [name, note] of Object.entries({ ...notes, nothing: null })) {
      await db.table('attacked_patrons').insert({ name, note, created_at: NOW })
    }
    const literal = long.replace(/[\\%_]/g, '\\$&')
    for (const [query, wanted] of [
      [{ note__endswith: long }, ['same', 'end']],
      [{ note__contains: long }, ['same', 'end', 'within']],
      [{ note__like: `%${literal}` }, ['same', 'end']],
      [{ note__like: `%%${literal}` }, ['same', 'end']],
      [{ note__like: `%_${literal}` }, ['end']],
      [{ note__like: `%${literal}%` }, ['same', 'end', 'within']],
      [{ note__ilike: `%${literal}` }, ['same', 'end', 'small']],
      [{ note__ilike: `%${literal}%` }, ['same', 'end', 'within', 'small']],
      [{ note__ilike: `%${literal.toUpperCase()}` }, ['same', 'end', 'small']],
      [{ note__not_like: `%${literal}` }, ['within', 'small', 'other', 'short']],
      [{ note__like: `%${'_'.repeat(280)}` }, ['same', 'end', 'within', 'small', 'other']],
    ] as Array<[Record<string, string>, string[]]>) {
      const { status, body } = await get(`/api/attacked-patrons?${new URLSearchParams(query)}`)
      assert.equal(status, 200)
      const names = body.data.map(({ name }: { name: string }) => name)
      assert.deepEqual(names, wanted, Object.keys(query).join())
    }
  })

  test('[A18] a pattern that would have to be compared at many positions is refused by every search', async ({
    assert,
  }) => {
    const many = `%${'a%'.repeat(200)}b`
    for (const query of [
      `name__like=${encodeURIComponent(`%${'ab_'.repeat(100)}%c`)}`,
      `name__ilike=${encodeURIComponent(`%${'_'.repeat(200)}x%`)}`,
      `name__not_like=${encodeURIComponent(`a%${'_'.repeat(101)}`)}`,
      `name__or=${encodeURIComponent(`like:%${'_'.repeat(60)}x%y,like:%${'_'.repeat(60)}x%z`)}`,
      `name__like=${'a'.repeat(1001)}`,
    ]) {
      const { status } = await get(`/api/samples?${query}`)
      assert.equal(status, 422, query.slice(0, 40))
    }
    /* Runs of its letters are searched one after the other, without backtracking. */
    await insertRow('samples', { name: 'a'.repeat(20), created_at: NOW })
    const { status, body } = await get(`/api/samples?name__like=${encodeURIComponent(many)}`)
    assert.equal(status, 200)
    assert.equal(body.total_count, 0)
  })
})
