import { test } from '@japa/runner'
import { cellsOf, cutText, ownCell, textCell, valueCell, type ShownCell } from '#admin/list/cell'
import { isInvisible } from '#admin/text/plain_text'
import type { Column } from '#base/columns/column'
import { adminSite } from '#tests/helpers/admin'

test.group('Cells of a list', (group) => {
  let columns: Record<string, Column>
  let text: (key: string, data?: Record<string, unknown>) => string

  group.setup(async () => {
    const site = await adminSite()
    text = site.text.bind(site)
    const { fields } = site.models.get('Artefact')!.resource
    columns = Object.fromEntries(fields.map((column) => [column.apiName, column]))
  })

  const cells = (name: string, values: unknown[], isGrouped = true): ShownCell[] =>
    cellsOf(columns[name], values, { isGrouped, text })
  const cell = (name: string, value: unknown) => cells(name, [value])[0]

  test('large numbers are grouped, with the exact value in the tooltip', ({ assert }) => {
    assert.deepEqual(cell('visitors', 1234567), {
      kind: 'number',
      text: '1,234,567',
      title: '1234567',
    })
    assert.deepEqual(cell('visitors', 12), { kind: 'number', text: '12' })
    assert.deepEqual(cell('visitors', -0), { kind: 'number', text: '-0', title: '0' })
  })

  test('numbers that are identifiers are not grouped', ({ assert }) => {
    assert.deepEqual(cells('visitors', [1234567], false), [{ kind: 'number', text: '1234567' }])
  })

  test('an integer beyond 2^53 shows all digits', ({ assert }) => {
    assert.deepEqual(cell('visitors', '9007199254740993'), {
      kind: 'number',
      text: '9,007,199,254,740,993',
      title: '9007199254740993',
    })
  })

  test('all numbers of a column have the same number of decimals', ({ assert }) => {
    const shown = cells('weight', [9.9, 48.55, 1200, null, 0.123456789])
    assert.deepEqual(
      shown.map((one) => one.text),
      ['9.900000', '48.550000', '1,200.000000', 'Empty', '0.123457']
    )
    assert.equal(shown[4].title, '0.123456789')
    assert.deepEqual(
      cells('weight', [9.9, 48.55]).map((one) => one.text),
      ['9.90', '48.55']
    )
  })

  test('datetimes are formatted, with the exact value in the tooltip', ({ assert }) => {
    assert.deepEqual(cell('shown_at', '2026-01-02 03:04:05'), {
      kind: 'moment',
      text: '2 Jan 2026, 03:04',
      title: '2026-01-02 03:04:05 UTC',
    })
    assert.deepEqual(cell('found_on', '1922-11-04'), {
      kind: 'moment',
      text: '4 Nov 1922',
      title: '1922-11-04',
    })
    assert.deepEqual(cell('opens_at', '09:30:00'), { kind: 'text', text: '09:30:00' })
  })

  test('an invalid datetime is shown as it is stored', ({ assert }) => {
    for (const other of ['yesterday', '2026-02-30 03:04:05', '2026-01-02 24:00:00', '2026-13-01']) {
      assert.deepEqual(cell('shown_at', other), { kind: 'text', text: other })
    }
    assert.equal(cell('found_on', '2024-02-29').text, '29 Feb 2024')
    assert.equal(cell('found_on', '0004-02-29').text, '29 Feb 0004')
  })

  test('a boolean is shown as Yes or No, and null as Empty', ({ assert }) => {
    assert.deepEqual(cell('on_loan', true), { kind: 'yes', text: 'Yes' })
    assert.deepEqual(cell('on_loan', false), { kind: 'no', text: 'No' })
    for (const name of Object.keys(columns)) {
      assert.deepEqual(cell(name, null), { kind: 'null', text: 'Empty' }, name)
    }
    assert.deepEqual(cell('name', undefined), { kind: 'null', text: 'Empty' })
  })

  test('JSON is shown compactly, and binary data as its size', ({ assert }) => {
    assert.deepEqual(cell('details', { a: [1, null] }), { kind: 'json', text: '{"a":[1,null]}' })
    assert.equal(cell('details', 'text').text, 'text')
    assert.equal(cell('details', [1, { a: 2 }]).kind, 'json')
    const base64 = Buffer.alloc(2048).toString('base64')
    assert.deepEqual(cell('picture', base64), { kind: 'number', text: '2,048 bytes' })
  })

  test('a column with a custom serialize is shown as serialized', ({ assert }) => {
    assert.deepEqual(cell('grade', '** 1234567 **'), { kind: 'text', text: '** 1234567 **' })
    assert.deepEqual(cell('grade', { a: 1 }), { kind: 'json', text: '{"a":1}' })
    assert.deepEqual(valueCell(5, text), { kind: 'number', text: '5' })
    assert.deepEqual(valueCell(true, text), { kind: 'yes', text: 'Yes' })
    assert.deepEqual(valueCell(undefined, text), { kind: 'null', text: 'Empty' })
  })

  test('a long text is cut to 80 characters, with the whole text in the tooltip', ({ assert }) => {
    const exact = 'x'.repeat(80)
    assert.deepEqual(textCell(exact), { kind: 'text', text: exact, title: exact })
    const long = `${exact}y`
    assert.deepEqual(textCell(long), { kind: 'text', text: `${'x'.repeat(79)}…`, title: long })
  })

  test('[S34] a text that can be too wide for its column has a tooltip with the whole text', ({
    assert,
  }) => {
    for (const fitting of ['x'.repeat(40), 'ä'.repeat(40), '電'.repeat(20)]) {
      assert.notProperty(textCell(fitting), 'title', fitting)
    }
    for (const wide of ['x'.repeat(41), '電'.repeat(21)]) assert.equal(textCell(wide).title, wide)
  })

  test('[S34] JSON that is longer than its column can be expanded, with indentation', ({
    assert,
  }) => {
    const value = { browser: 'Firefox', versions: [1, 2, 3], mobile: false, more: null }
    assert.deepEqual(cell('details', value), {
      kind: 'json',
      text: JSON.stringify(value),
      whole: JSON.stringify(value, null, 2),
    })
  })

  test('[S34.2] a list of texts, numbers or booleans is shown as three badges, with the rest in the tooltip', ({
    assert,
  }) => {
    assert.deepEqual(cell('details', ['a', 7, true]), {
      kind: 'tags',
      text: 'a, 7, true',
      markup:
        '<span class="value-tags"><span class="value-badge" dir="auto">a</span> <span class="value-badge" dir="auto">7</span> <span class="value-badge" dir="auto">true</span></span>',
    })
    assert.deepEqual(cell('details', []), { kind: 'null', text: 'Empty' })
    const list = Array.from({ length: 500 }, (_, index) => `<${index}>`)
    const { markup, title } = cell('details', list)
    assert.include(markup, '&lt;2&gt;</span> +497</span>')
    assert.notInclude(markup, '&lt;3&gt;')
    assert.include(title, '<0>, <1>, <2>, <3>')
  })

  test('[S34] only values that are complete web or mail addresses become links', ({ assert }) => {
    for (const address of [
      'https://example.com/a?b=1#c',
      'HTTPS://example.com'.toLowerCase(),
      'http://localhost:3333/',
    ]) {
      assert.equal(cell('name', address).href, address)
    }
    assert.equal(cell('name', 'jo.doe+x@mail.example.com').href, 'mailto:jo.doe+x@mail.example.com')
    for (const other of [
      'javascript:alert(1)',
      'see https://example.com',
      'https://example.com is it',
      'https://',
      'http://[',
      'ftp://example.com',
      'https://example.com/\u202egnp',
      'https://example.com/"onclick',
      'jo@example.com?bcc=eve@evil.test',
      'jo@example.com,eve@evil.test',
      'jo@localhost',
      'mailto:jo@example.com',
      '//example.com',
    ]) {
      assert.notProperty(cell('name', other), 'href', other)
    }
  })

  test('[S34] invisible characters, and characters that change the text direction, are shown as code points', ({
    assert,
  }) => {
    const shown = (value: string) => cell('name', value).text
    assert.equal(shown('invoice\u202egnp.exe'), 'invoice⟨U+202E⟩gnp.exe')
    assert.equal(
      shown('a\u2066b\u200bc\ufeffd\u0007e\u00adf'),
      'a⟨U+2066⟩b⟨U+200B⟩c⟨U+FEFF⟩d⟨U+0007⟩e⟨U+00AD⟩f'
    )
    for (const plain of ['a\tb\nc', '👩‍👩‍👧', 'نمی‌خواهم', 'Ärger', 'e\u0301'])
      assert.equal(shown(plain), plain)
    assert.equal(cell('details', { a: '\u202e' }).text, '{"a":"⟨U+202E⟩"}')
    assert.equal(ownCell('\u202eb', false).text, '⟨U+202E⟩b')
  })

  test('[S34] values of a column with choices are marked as choices', ({ assert }) => {
    const options = { isGrouped: false, isChoice: true, text }
    assert.deepEqual(cellsOf(columns.name, ['drama', null, ''], options), [
      { kind: 'choice', text: 'drama' },
      { kind: 'null', text: 'Empty' },
      { kind: 'text', text: '' },
    ])
  })

  test('[S34] decimals have the number of digits of their column', ({ assert }) => {
    const shownOf = (sqlType: string, values: unknown[]) => {
      const column = Object.create(columns.weight, {
        kind: { value: 'number' },
        sqlType: { value: sqlType },
        isDecimal: { value: /decimal|numeric/.test(sqlType) },
      })
      const shown = cellsOf(column, values, { isGrouped: true, text })
      return shown.map((one) => one.text)
    }
    assert.deepEqual(shownOf('decimal(10,2)', [1200, 9.9]), ['1,200.00', '9.90'])
    assert.deepEqual(shownOf('numeric(8, 3)', [5]), ['5.000'])
    assert.deepEqual(shownOf('decimal(12,0)', [5]), ['5'])
    assert.deepEqual(shownOf('decimal(10,2)', [1.005, 2]), ['1.01', '2.00'])
    assert.deepEqual(shownOf('double precision', [5, 9.9]), ['5.0', '9.9'])
  })

  test('a shortened text is never cut inside a character', ({ assert }) => {
    const emoji = '🦊'.repeat(100)
    assert.equal(cutText(emoji), `${'🦊'.repeat(79)}…`)
    assert.equal(cutText('🦊'.repeat(80)), '🦊'.repeat(80))
    assert.isTrue(cutText(`x${emoji}`).isWellFormed())
    assert.isTrue(cutText('x'.repeat(161) + emoji).isWellFormed())
  })

  test('a tooltip has at most 10,000 characters', ({ assert }) => {
    const long = 'x'.repeat(10_000)
    assert.equal(textCell(long).title, long)
    assert.lengthOf(textCell('x'.repeat(1_000_000)).title!, 10_000)
  })

  test('a text without a visible character is recognized as invisible', ({ assert }) => {
    for (const one of ['', ' ', '\u200f\u202e', '\u00a0\n', '\u2028'])
      assert.isTrue(isInvisible(one))
    for (const one of ['a', '.', '🦊', '\u202ea']) assert.isFalse(isInvisible(one))
  })

  test('very deeply nested JSON is shown', ({ assert }) => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
    const { text: shown, title: whole } = textCell('['.repeat(20_000))
    assert.deepEqual(cell('details', deep), { kind: 'json', text: shown, whole })
    assert.deepEqual(valueCell(deep, text), { kind: 'json', text: shown, whole })
  })

  test('a custom cell can only link to pages and mail addresses', ({ assert }) => {
    const hrefOf = (href: string) => {
      const own = ownCell({ text: 'x', title: 'y', href }, false)
      assert.deepInclude(own, { kind: 'text', text: 'x', title: 'y' })
      return own.href
    }
    for (const href of [
      '/elsewhere/1',
      '/',
      '/a//b',
      'http://a.test',
      'HTTPS://a.test/x',
      'mailto:a@b.test',
    ]) {
      assert.equal(hrefOf(href), href)
    }
    for (const href of [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      '//evil.test',
      '/\\evil.test',
      '/\t/evil.test',
      '/\n\\evil.test',
      'https:evil.test',
      'elsewhere',
      '?x=1',
      '#x',
      '',
    ]) {
      assert.isUndefined(hrefOf(href), href)
      assert.notProperty(ownCell({ text: 'x', href }, false), 'href')
    }
  })
})
