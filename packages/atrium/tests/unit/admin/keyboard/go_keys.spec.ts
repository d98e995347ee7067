import { test } from '@japa/runner'
import fc from 'fast-check'
import { goKeys, PAGE_KEYS } from '#admin/keyboard/go_keys'

test.group('goKeys', () => {
  test('[L12] a model has the first letter of its label that is free', ({ assert }) => {
    assert.deepEqual(goKeys(['Films', 'Fees', 'Älteste', 'Products', 'Fff']), [
      'f',
      's',
      'l',
      'p',
      '1',
    ])
    assert.deepEqual(goKeys(['Заказы', '注文', '42']), ['1', '2', '3'])
  })

  test('[L12] no two pages have the same key, and none that of a page of the site', ({
    assert,
  }) => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 60 }), (labels) => {
        const keys = goKeys(labels)
        assert.lengthOf(keys, labels.length)
        const given = [...keys.filter((key) => key !== null), ...Object.values(PAGE_KEYS)]
        assert.lengthOf(new Set(given), given.length)
        for (const key of given) assert.match(key, /^[a-z1-9]$/)
      })
    )
  })
})
