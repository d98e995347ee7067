import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { getList, tagsOf, textOf, unescape } from '#tests/helpers/list_page'
import { WIDE_COLUMNS } from '#tests/fixtures/list_views'

const TABLES = [
  'list_artefacts',
  'list_alcoves',
  'list_wide_sheets',
  'list_cabins',
  'reels',
  'lenders',
]

/* Values that try to become markup. */
const BREAKOUTS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '{{ 7919*7919 }}{{{ 7919*7919 }}}@if(true)',
  '${7919*7919}`',
  'hx-get="/admin/logout" hx-trigger="load"',
  'javascript:alert(1)',
  '\u202egnp.exe\u200f',
  '🦊👩‍👩‍👧‍👦',
  '&lt;b&gt;&amp;',
  `<b>${'x'.repeat(9990)}</b>`,
]

test.group('Admin | list | values', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('ada'))
    for (const table of TABLES) await db.from(table).delete()
  })

  test('every type of column has its own format', async ({ assert }) => {
    await db.table('list_artefacts').insert({
      id: 1234,
      name: 'Vase',
      notes: 'x'.repeat(100),
      visitors: 1234567,
      weight: 12.5,
      on_loan: true,
      found_on: '1922-11-04',
      shown_at: '2026-01-02 03:04:05',
      opens_at: '09:30:00',
      mark: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
      details: '{"a": [1, null]}',
      picture: Buffer.alloc(2048),
      grade: 'A',
      insured_for: 424242,
    })
    const { rows, text } = await getList(cookie, '/admin/Artefact/')
    assert.deepEqual(rows, [
      [
        '1234',
        'Vase',
        `${'x'.repeat(79)}…`,
        '1,234,567',
        /* SQLite has no decimals with a number of digits. */
        db.connection().dialect.name.includes('sqlite') ? '12.5' : '12.500',
        'Yes',
        '4 Nov 1922',
        '2 Jan 2026, 03:04',
        '09:30:00',
        '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
        '{"a":[1,null]}',
        '2,048 bytes',
        '–',
        '** A **',
        'Vase!',
        '12.5/m³',
      ],
    ])
    assert.include(text, `title="${'x'.repeat(100)}"`)
    assert.include(text, 'title="2026-01-02 03:04:05 UTC"')
    assert.include(text, 'title="1234567"')
    assert.notInclude(text, '424242')
  }).tags(['@database'])

  test('a custom column can have a sort column and a link', async ({ assert }) => {
    await db.table('list_artefacts').insert({ name: 'Vase', weight: 3 })
    const { text, headings } = await getList(cookie, '/admin/Artefact/?sort_by=weight')
    assert.equal(headings.at(-1), 'Density')
    assert.match(text, /<th[^>]*aria-sort="ascending"[^>]*>\s*<a id="sort-density"/)
    assert.match(
      text,
      /<td class="number number"\s+title="of Vase"\s*>\s*<a href="\/elsewhere\/\d+">3\/m³<\/a>/
    )
  })

  test('a record with an empty or invisible title is linked by its key', async ({ assert }) => {
    await db.table('list_artefacts').multiInsert([
      { id: 1, name: 'Vase' },
      { id: 2, name: null },
      { id: 3, name: ' \u200f ' },
    ])
    const { text } = await getList(cookie, '/admin/Artefact/')
    for (const [id, name] of [
      [1, 'Vase'],
      [2, 'Artefact 2'],
      [3, 'Artefact 3'],
    ]) {
      assert.include(text, `<a href="/admin/Artefact/update/${id}">${name}</a>`)
    }
  })

  test('[A9] keys are encoded in every URL and in the form', async ({ assert }) => {
    await db.table('list_alcoves').insert({ code: 'a/b? 50%&"#', name: 'Odd' })
    await db.table('list_cabins').insert({ deck: 7, letter: 'a/b', guest: 'Ada' })
    const { text } = await getList(cookie, '/admin/Alcove/')
    assert.include(text, 'href="/admin/Alcove/update/a%2Fb%3F%2050%25%26%22%23"')
    assert.include(text, 'name="ids" value="a%2Fb%3F%2050%25%26%22%23"')
    const cabin = await getList(cookie, '/admin/Cabin/')
    assert.include(cabin.text, 'href="/admin/Cabin/update/7/a%2Fb"')
    assert.include(cabin.text, 'name="ids" value="7/a%2Fb"')
  })

  test('relations are shown by their titles with a link', async ({ assert }) => {
    await db.table('list_alcoves').insert({ code: 'a/b', name: 'North <wall>' })
    await db.table('list_artefacts').multiInsert([
      { name: 'Vase', alcove_code: 'a/b' },
      { name: 'Cup', alcove_code: 'gone' },
    ])
    const { text, rows } = await getList(cookie, '/admin/Artefact/')
    assert.deepEqual(
      rows.map((row) => row[12]),
      ['gone', 'North <wall>']
    )
    assert.include(text, '<a href="/admin/Alcove/update/a%2Fb">North &lt;wall&gt;</a>')
    assert.notInclude(text, 'Alcove/update/gone')
  })

  test('a null reference is shown differently from a reference to the record with the key “null”', async ({
    assert,
  }) => {
    await db.table('list_alcoves').insert({ code: 'null', name: 'Zero' })
    await db.table('list_artefacts').multiInsert([
      { name: 'Vase', alcove_code: 'null' },
      { name: 'Cup', alcove_code: null },
    ])
    const { rows } = await getList(cookie, '/admin/Artefact/')
    assert.deepEqual(
      rows.map((row) => row[12]),
      ['–', 'Zero']
    )
  })

  test('a table of forty columns scrolls in its own area', async ({ assert }) => {
    const row = Object.fromEntries(WIDE_COLUMNS.map((name) => [name, name]))
    await db.table('list_wide_sheets').insert(row)
    const { headings, rows, text } = await getList(cookie, '/admin/WideSheet/')
    assert.lengthOf(headings, 40)
    assert.deepEqual(rows[0].slice(1), WIDE_COLUMNS)
    assert.match(text, /<div class="table-container list-scroll" tabindex="0" role="region"/)
  })

  test('markup in values of records is shown as text everywhere').run(async ({ assert }) => {
    await db
      .table('list_alcoves')
      .multiInsert(
        BREAKOUTS.map((text, index) => ({ code: text.slice(0, 80), name: text + index }))
      )
    await db.table('list_artefacts').multiInsert(
      BREAKOUTS.map((text, index) => ({
        id: index + 1,
        name: text,
        notes: text,
        grade: text,
        details: JSON.stringify({ [text]: text }),
        alcove_code: text.slice(0, 80),
      }))
    )
    const query = '?rows-per-page-select=100&sort_by=id'
    const plain = await getList(cookie, '/admin/Artefact/?column-to-search=id&search-input=1')
    const { text, rows } = await getList(cookie, `/admin/Artefact/${query}`)
    for (const [index, breakout] of BREAKOUTS.entries()) {
      const visible = breakout.replace(/[\u202e\u200f]/g, (sign) =>
        sign === '\u202e' ? '⟨U+202E⟩' : '⟨U+200F⟩'
      )
      const shown = visible.length > 80 ? `${visible.slice(0, 79)}…` : visible
      const whole = [...breakout].length > 80 ? breakout : undefined
      assert.equal(rows[index][1], textOf(`<b>${escaped(shown)}</b>`))
      if (whole) assert.include(text, `title="${escaped(whole)}"`)
    }
    assert.isNull(/<(script|img|b)\b(?! src="\/admin)/i.exec(withoutFrame(text)))
    assert.notInclude(text, '62710561')
    const names = (markup: string) => new Set(tagsOf(withoutFrame(markup)).flatMap(attributesOf))
    assert.deepEqual(
      [...names(text)].filter((name) => /^(on|hx-|style)/.test(name)).sort(),
      [...names(plain.text)].filter((name) => /^(on|hx-|style)/.test(name)).sort()
    )
    const labels = [...text.matchAll(/name="ids"[^>]*aria-label="([^"]*)"/g)].map(
      ([, label]) => label
    )
    assert.equal(unescape(labels[0]), `Select ${BREAKOUTS[0]}`)
    assert.isTrue(labels.every((label) => [...unescape(label)].length <= 87))
    const fixed = ['true', 'false', 'load', 'outerHTML', 'innerHTML']
    const targets = ['#list-content', '#list-panel', '#filter-panel', '#facets', '#facets:replace']
    for (const [, hx] of text.matchAll(/ hx-\w+="([^"]*)"/g)) {
      if ([...fixed, ...targets].includes(hx)) continue
      assert.match(
        hx,
        /^\/admin\/Artefact\/(views\/new|columns|explain|filter|facets|export\/dialog)?(\?[\w.&;=%+-]*)?$/
      )
    }
  })

  test('markup in the search text is escaped, too')
    .with(BREAKOUTS.map((breakout) => ({ breakout })))
    .run(async ({ assert }, { breakout }) => {
      await db.table('list_alcoves').insert({ code: 'x', name: breakout })
      const search = new URLSearchParams({ 'column-to-search': 'name', 'search-input': breakout })
      for (const path of ['Alcove', 'Artefact']) {
        const { text, status } = await getList(cookie, `/admin/${path}/?${search}`)
        assert.equal(status, 200)
        assert.isNull(/<(script|img|b)\b(?! src="\/admin)/i.exec(withoutFrame(text)))
        const [, value] = /id="search-input"[^>]*? value="([^"]*)"/.exec(text) ?? []
        assert.equal(unescape(value), breakout.trim())
      }
    })
})

/** Escapes like the site's templates. */
function escaped(text: string): string {
  const signs: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#x27;',
    '`': '&#x60;',
  }
  return text.replace(/[&<>"'`]/g, (sign) => signs[sign])
}

function withoutFrame(text: string): string {
  return text.slice(text.indexOf('<div id="list-content"'))
}

/** Names of the attributes of a tag. */
function attributesOf(tag: string): string[] {
  return [...tag.replace(/="[^"]*"/g, '=').matchAll(/\s([\w:-]+)/g)].map(([, name]) => name)
}
