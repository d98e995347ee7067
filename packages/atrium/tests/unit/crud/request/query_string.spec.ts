import { test } from '@japa/runner'
import fc from 'fast-check'
import { QueryString } from '#crud/request/query_string'
import { ANY_CHARACTER } from '#tests/helpers/any_character'

const statusOf = (read: () => unknown): number => {
  try {
    read()
  } catch (error) {
    return (error as { status: number }).status
  }
  return 200
}

test.group('Query string', () => {
  test('[A16] names and values are percent-decoded and not interpreted further', ({ assert }) => {
    const query = new QueryString('a=1%2C2,3&b+c=x+y%2Bz&=nameless&c=a=b%26&%C3%A4=%F0%9F%98%80')
    assert.equal(query.get('a'), '1,2,3')
    assert.equal(query.get('b c'), 'x y+z')
    assert.equal(query.get('c'), 'a=b&')
    assert.equal(query.get('ä'), '😀')
    assert.equal(query.get(''), 'nameless')
  })

  test('[A16] a parameter without a value is empty, and a missing one is undefined', ({
    assert,
  }) => {
    const query = new QueryString('a&b=&&c=1')
    assert.equal(query.get('a'), '')
    assert.equal(query.get('b'), '')
    assert.isUndefined(query.get('d'))
    assert.deepEqual([query.has('a'), query.has('d')], [true, false])
    assert.deepEqual(query.names, ['a', 'b', 'c'])
    assert.deepEqual(new QueryString('').names, [])
  })

  test('[A16] a parameter that occurs several times is refused when it is read', ({ assert }) => {
    const query = new QueryString('a=1&b=2&a=1')
    assert.equal(
      statusOf(() => query.get('a')),
      422
    )
    assert.equal(query.get('b'), '2')
    assert.deepEqual(query.names, ['a', 'b'])
  })

  test('[A16] a parameter with brackets is refused when it is read')
    .with(['a[]=1', 'a[b]=1', 'a%5B0%5D=1', 'a[=1', 'a=1&a[]=2', 'a[b][c]=1'])
    .run(({ assert }, text) => {
      const query = new QueryString(`${text}&b=2`)
      assert.equal(
        statusOf(() => query.get('a')),
        422
      )
      assert.isTrue(query.has('a'))
      assert.equal(query.get('b'), '2')
      assert.deepEqual(query.names.toSorted(), ['a', 'b'])
    })

  test("[A16] names of Object.prototype's members are ordinary names")
    .with(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    .run(({ assert }, name) => {
      assert.isUndefined(new QueryString('').get(name))
      assert.isFalse(new QueryString('').has(name))
      assert.equal(new QueryString(`${name}=1`).get(name), '1')
      assert.equal(
        statusOf(() => new QueryString(`${name}[x]=1`).get(name)),
        422
      )
      assert.notProperty({}, 'x')
    })

  test('[A29] malformed percent-encoding is a 400')
    .with(['a=%', 'a=%zz', '%=1', 'a=%ff', 'a=%ED%A0%80'])
    .run(({ assert }, text) => {
      assert.equal(
        statusOf(() => new QueryString(text)),
        400
      )
    })

  test('[A16] any text is unchanged after it is percent-encoded and decoded', ({ assert }) => {
    const text = fc.string({ unit: ANY_CHARACTER, maxLength: 20 })
    const name = text.filter((one) => one.indexOf('[') < 1)
    const pairs = fc.uniqueArray(fc.tuple(name, text), { selector: ([one]) => one, maxLength: 6 })
    fc.assert(
      fc.property(pairs, fc.boolean(), (parameters, isForm) => {
        const encoded = isForm
          ? new URLSearchParams(parameters).toString()
          : parameters.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
        const query = new QueryString(encoded)
        for (const [key, value] of parameters) assert.equal(query.get(key), value)
      })
    )
  })
})
