import { test } from '@japa/runner'
import { resources } from '#crud'
import { bodyForm } from '#crud/openapi/field_schemas'
import type { Column } from '#base/columns/column'

/** A column of the samples with another introspection. */
function columnWith(apiName: string, facts: Partial<Column>): Column {
  const { resource } = resources.endpoints().find(({ path }) => path === '/api/samples')!
  const column = resource.columns.all.find((one) => one.apiName === apiName)!
  const told: Record<PropertyKey, unknown> = facts
  return new Proxy(column, {
    get: (target, name) => (name in told ? told[name] : Reflect.get(target, name, target)),
  })
}

test.group('Numbers in body schemas', () => {
  test('[Q1, A8] the schema of a decimal has the range of its column', ({ assert }) => {
    const told = bodyForm(columnWith('ratio', { decimalRange: { most: '99999999.99' } as any }))
    assert.containsSubset(told, { minimum: -99_999_999.99, maximum: 99_999_999.99 })
    assert.notProperty(bodyForm(columnWith('ratio', { decimalRange: undefined })), 'maximum')
  })

  test('[Q1, A20] the schema of an integer has the range of its column, or else that of exact JSON numbers', ({
    assert,
  }) => {
    const facts = { kind: 'integer', isBigInteger: false } as const
    const small = { ...facts, integerRange: { least: -32768n, most: 32767n } }
    assert.containsSubset(bodyForm(columnWith('ratio', small)), { minimum: -32768, maximum: 32767 })
    const widest = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
    for (const integerRange of [undefined, { least: -(2n ** 63n), most: 2n ** 63n - 1n }]) {
      assert.containsSubset(bodyForm(columnWith('ratio', { ...facts, integerRange })), widest)
    }
    const big = bodyForm(columnWith('ratio', { ...small, isBigInteger: true }))
    assert.notProperty(big, 'maximum')
  })
})
