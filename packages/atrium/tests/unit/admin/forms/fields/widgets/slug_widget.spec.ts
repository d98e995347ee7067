import { test } from '@japa/runner'
import { SlugWidget } from '#admin/forms/fields/widgets/slug_widget'

const sent = (values: Record<string, string>) =>
  new Map(Object.entries(values).map(([name, value]) => [name, [value]]))

test.group('Admin | slugs', () => {
  const make = new SlugWidget({ from: 'title', most: 12, isCreate: true })
  const keep = new SlugWidget({ from: 'title', most: 12, isCreate: false })

  test('[R13] a slug is generated only for a new record, and only if left empty', ({ assert }) => {
    assert.deepEqual(make.collect('slug', sent({ title: 'Ärger 5' })), ['arger-5'])
    assert.deepEqual(make.collect('slug', sent({ title: 'Ärger', slug: ' ' })), ['arger'])
    assert.isUndefined(make.collect('slug', sent({ title: 'Ärger', slug: 'own' })))
    assert.isUndefined(make.collect('slug', sent({ title: '東京' })))
    assert.isUndefined(make.collect('slug', sent({})))
    assert.isUndefined(keep.collect('slug', sent({ title: 'Ärger', slug: '' })))
  })

  test('[R13] a slug in an inline row is generated from a field of the same row', ({ assert }) => {
    const values = sent({ 'title': 'Parent', 'items.0.title': 'Row', 'items.0.slug': '' })
    assert.deepEqual(make.collect('items.0.slug', values), ['row'])
  })

  test('[R13] a slug is not longer than the column, and is cut between words if possible')
    .with([
      ['one two three four', 'one-two'],
      ['one two four', 'one-two-four'],
      ['internationalisation', 'internationa'],
    ])
    .run(({ assert }, [text, slug]) => {
      assert.deepEqual(make.preview(text), { type: 'text', content: slug })
    })
})
