import { test } from '@japa/runner'
import { filledTitle, isTitleTemplate, namesInTitle } from '#admin/views/title_template'

test.group('Templates of titles', () => {
  test('[G4] an empty part of a title is left out together with the punctuation around it')
    .with([
      ['{a} ({b})', { a: 'Name', b: '' }, 'Name'],
      ['{a} ({b})', { a: 'Name', b: '1942' }, 'Name (1942)'],
      ['{a} ({b})', { a: '', b: '1942' }, '(1942)'],
      ['{a}, {b}', { a: 'Lyon', b: '' }, 'Lyon'],
      ['{a}, {b}', { a: '', b: 'France' }, 'France'],
      ['{a}, {b}, {c}', { a: 'A', b: '', c: 'C' }, 'A, C'],
      ['{a}, {b}, {c}', { a: '', b: '', c: 'C' }, 'C'],
      ['{a}, {b}, {c}', { a: 'A', b: '', c: '' }, 'A'],
      ['{a} ({b}, {c})', { a: 'A', b: '', c: 'C' }, 'A (C)'],
      ['{a} ({b}, {c})', { a: 'A', b: 'B', c: '' }, 'A (B)'],
      ['{a} ({b}, {c})', { a: 'A', b: '', c: '' }, 'A'],
      ['{a} – {b}: {c}', { a: 'A', b: '', c: 'C' }, 'A: C'],
      ['#{a} {b}', { a: '', b: 'B' }, 'B'],
      ['{a} [{b}] ({c})', { a: 'A', b: '', c: 'C' }, 'A (C)'],
      ['{a}, {b}', { a: 'Acme Inc.', b: '' }, 'Acme Inc.'],
      ['{a}, {b}', { a: '(x) {b}', b: '' }, '(x) {b}'],
      ['{a} / {b}', { a: '$& $1', b: 'B' }, '$& $1 / B'],
      ['{a}{b}', { a: '', b: '' }, ''],
      ['No. {a}', { a: '' }, ''],
      ['{ a }', { a: 'A' }, 'A'],
    ] as const)
    .run(({ assert }, [template, values, expected]) => {
      const text = filledTitle(template, (name) => (values as Record<string, string>)[name] ?? '')
      assert.equal(text, expected)
    })

  test('[G4] only titles with braces are treated as templates', ({ assert }) => {
    assert.isTrue(isTitleTemplate('{name}, {country}'))
    assert.isFalse(isTitleTemplate('name'))
    assert.isFalse(isTitleTemplate(undefined))
    assert.deepEqual(namesInTitle('{name}, {country} {name}'), ['name', 'country'])
  })
})
