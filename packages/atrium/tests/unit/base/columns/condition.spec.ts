import { test } from '@japa/runner'
import fc from 'fast-check'
import { resources } from '#crud'
import { ANY, ONE } from '#base/values/text_pattern'
import { readCondition, splitList, type Condition } from '#base/columns/condition'
import type { Operator } from '#base/columns/operators'
import { UnreadableFilter } from '#base/errors'
import { ANY_CHARACTER } from '#tests/helpers/any_character'
import { onMysql } from '#tests/helpers/databases'

function read(name: string, given: string | string[]): any {
  const resource = resources.all().find((one) => one.name === 'Specimen')!
  const [apiName, operator] = name.split('__')
  return readCondition(resource.columns.find(apiName)!, operator as Operator, given)
}

function valueOf(name: string, text: string) {
  return read(name, text).value
}

test.group('Condition', () => {
  test('[A16] the values of a condition are converted to the type of its column')
    .with([
      { name: 'label__eq', text: ' 5 ', value: ' 5 ' },
      { name: 'amount__eq', text: '-42', value: -42 },
      { name: 'amount__eq', text: '0', value: 0 },
      { name: 'amount__eq', text: '9007199254740993', value: '9007199254740993' },
      { name: 'amount__eq', text: '-9223372036854775808', value: '-9223372036854775808' },
      { name: 'weight__eq', text: '-12.50', value: -12.5 },
      { name: 'weight__eq', text: '12', value: 12 },
      { name: 'fresh__eq', text: 'false', value: false },
      { name: 'fresh__eq', text: 'TRUE', value: true },
      { name: 'fresh__eq', text: '0', value: false },
      { name: 'fresh__eq', text: '1', value: true },
      { name: 'day__eq', text: '2024-02-29', value: '2024-02-29' },
      { name: 'moment__eq', text: '2024-02-29 23:59:59', value: '2024-02-29 23:59:59' },
      { name: 'moment__eq', text: '2024-02-29T23:59:59Z', value: '2024-02-29 23:59:59' },
      { name: 'moment__eq', text: '2024-03-01T01:30:00+02:00', value: '2024-02-29 23:30:00' },
      { name: 'moment__eq', text: '2024-02-29', value: '2024-02-29 00:00:00' },
      { name: 'clock__eq', text: '07:30', value: '07:30:00' },
      {
        name: 'mark__eq',
        text: 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
        value: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
      },
    ])
    .run(({ assert }, { name, text, value }) => {
      assert.deepEqual(valueOf(name, text), value)
    })

  test('[A16] an invalid value of a condition is refused: {$self}')
    .with([
      'label__eq=a\0b',
      'label__like=a\0b',
      'label__contains=\ud800',
      'amount__eq=abc',
      'amount__eq=',
      'amount__eq=1.5',
      'amount__eq=1e3',
      'amount__eq=0x1',
      'amount__eq=+1',
      'amount__eq= 1',
      'amount__eq=007',
      'amount__eq=9223372036854775808',
      'amount__eq=null',
      'weight__eq=1e3',
      'weight__eq=.5',
      'weight__eq=5.',
      'weight__eq=1,5',
      'weight__eq=NaN',
      'weight__eq=Infinity',
      'fresh__eq=yes',
      'fresh__eq=2',
      'fresh__eq=null',
      'day__eq=2023-02-29',
      'day__eq=2024-2-9',
      'day__eq=2024-02-29 10:00:00',
      'day__eq=today',
      'moment__eq=2024-02-30 10:00:00',
      'moment__eq=2024-02-29 25:00:00',
      'moment__eq=10:00:00',
      'moment__eq=1709200000',
      /* MySQL's times have more than 24 hours. */
      `clock__eq=${onMysql ? '24:60:00' : '24:00:00'}`,
      'clock__eq=7:30',
      'mark__eq=a0eebc99',
      'amount__in=1,2,x',
      'amount__in=1,,2',
      'amount__in=1,2,',
      'amount__not_in=x',
      'amount__between=1',
      'amount__between=1,2,3',
      'amount__between=1,x',
      'amount__between=',
      'amount__is=1',
      'amount__is=true',
      'amount__is=NULL',
      'amount__is_not=x',
      'label__is=',
      'fresh__is=maybe',
      'fresh__is=1',
      'extra__is=5',
      'raw__is_not=a',
      'amount__or=5',
      'amount__or=gt:x',
      'amount__or=gt:1,',
      'amount__or=contains:1',
      'amount__or=or:gt:1',
      'amount__or=between:1\\,2',
      'amount__or=in:1',
      'amount__or=nothing:1',
      'amount__or=constructor:1',
      'mark__or=gt:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    ])
    .run(({ assert }, pair) => {
      const cut = pair.indexOf('=')
      assert.throws(() => read(pair.slice(0, cut), pair.slice(cut + 1)), UnreadableFilter as any)
    })

  test('[A16] the reason names what is required: {name}={text}')
    .with([
      { name: 'amount__eq', text: 'abc', reason: 'must be an integer, not "abc"' },
      { name: 'amount__between', text: '1', reason: 'must be two values with a comma between' },
      { name: 'amount__is', text: '1', reason: 'must be null' },
      { name: 'fresh__is', text: '1', reason: 'must be null, true or false' },
      {
        name: 'amount__or',
        text: 'in:1',
        reason: 'must be pairs of operator:value with commas between; operators are eq, ',
      },
    ])
    .run(({ assert }, { name, text, reason }) => {
      assert.throws(() => read(name, text), reason)
    })

  test('[A17] exact compares with its value', ({ assert }) => {
    assert.deepInclude(read('label__exact', ''), { operator: 'eq', value: '' })
    assert.deepInclude(read('amount__exact', '5'), { operator: 'eq', value: 5 })
  })

  test('[A18] in, not_in and between accept comma-separated lists', ({ assert }) => {
    assert.deepInclude(read('amount__in', '1,-2,3'), { values: [1, -2, 3], negate: false })
    assert.deepInclude(read('label__not_in', 'a,,b'), { values: ['a', '', 'b'], negate: true })
    assert.deepInclude(read('amount__between', '1,5'), { from: 1, to: 5 })
    assert.deepInclude(read('label__in', 'one'), { values: ['one'] })
  })

  test('[A18] an escaped comma is part of the value', ({ assert }) => {
    assert.deepEqual(splitList('a\\,b,c'), ['a,b', 'c'])
    assert.deepEqual(splitList('\\,'), [','])
    assert.deepEqual(splitList('a\\b,\\c'), ['a\\b', '\\c'])
    assert.deepEqual(splitList(''), [''])
    assert.deepEqual(read('label__between', 'a\\,b,c').from, 'a,b')
  })

  test('[A18] values that are joined to a list are split to the original values', ({ assert }) => {
    /* A backslash at the end of a part would escape the comma after it. */
    const part = fc.string({ unit: ANY_CHARACTER }).filter((text) => !text.endsWith('\\'))
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), (parts) => {
        const text = parts.map((one) => one.replaceAll(',', '\\,')).join(',')
        assert.deepEqual(splitList(text), parts)
      })
    )
  })

  test('[A18] is and is_not accept null, and for boolean columns true and false', ({ assert }) => {
    assert.include(read('label__is', 'null'), { type: 'null', negate: false })
    assert.include(read('extra__is_not', 'null'), { type: 'null', negate: true })
    assert.include(read('fresh__is', 'null'), { type: 'null', negate: false })
    assert.include(read('fresh__is', 'true'), { operator: 'eq', value: true })
    const notFalse = read('fresh__is_not', 'false') as Extract<Condition, { type: 'or' }>
    assert.include(notFalse.conditions[0], { operator: 'ne', value: false })
    assert.include(notFalse.conditions[1], { type: 'null', negate: false })
  })

  test('[A18] the operator `or` accepts pairs of an operator and a value', ({ assert }) => {
    const { conditions } = read('label__or', 'startswith:A\\,b,eq:x:y,is:null,ilike:%c\\_')
    assert.deepEqual(
      conditions.map(({ type, pattern, value }: any) => pattern ?? value ?? type),
      [['A,b', ANY], 'x:y', 'null', [ANY, 'c_']]
    )
  })

  test('[A18] special characters in contains, startswith and endswith are literal', ({
    assert,
  }) => {
    assert.deepInclude(read('label__contains', '50%_\\'), { pattern: [ANY, '50%_\\', ANY] })
    assert.deepInclude(read('label__startswith', '%'), { pattern: ['%', ANY], foldCase: false })
    assert.deepInclude(read('label__endswith', '_'), { pattern: [ANY, '_'], foldCase: false })
  })

  test('[A18] only the like operators interpret wildcards, and only ilike and not_ilike ignore upper and lower case', ({
    assert,
  }) => {
    const pattern = ['a', ANY, ONE]
    const folding = [
      ['like', false, false],
      ['ilike', true, false],
      ['not_like', false, true],
      ['not_ilike', true, true],
    ]
    for (const [operator, foldCase, negate] of folding) {
      assert.deepInclude(read(`label__${operator}`, 'a%_'), { pattern, foldCase, negate })
    }
  })

  test('[A18] application code passes lists as arrays, whatever characters their values contain', ({
    assert,
  }) => {
    assert.deepEqual(read('label__in', ['a\\', 'b,c', '\\,']).values, ['a\\', 'b,c', '\\,'])
    assert.throws(() => read('label__eq', ['a', 'b']), UnreadableFilter as any)
  })

  test('[A16] a filter with more values or a longer pattern than the maximum is refused', ({
    assert,
  }) => {
    assert.lengthOf(read('amount__in', Array(1000).fill('1').join(',')).values, 1000)
    assert.throws(() => read('amount__in', Array(1001).fill('1').join(',')), /more than 1000/)
    assert.throws(() => read('amount__or', Array(101).fill('eq:1').join(',')), /more than 100/)
    assert.throws(() => read('label__like', '%'.repeat(1001)), /1000/)
    const pairs = (length: number) => [`eq:${'a'.repeat(497)}`, `eq:${'b'.repeat(length - 503)}`]
    assert.lengthOf(read('label__or', pairs(1000)).conditions, 2)
    assert.throws(() => read('label__or', pairs(1001)), /1000 characters in all/)
  })

  test('[A18] a pattern that would compare too many characters at each position is refused', ({
    assert,
  }) => {
    const refused = /more than 100 characters after a %/
    for (const operator of ['like', 'ilike', 'not_like', 'not_ilike']) {
      const like = (text: string) => read(`label__${operator}`, text)
      assert.throws(() => like(`%${'a'.repeat(101)}%b`), refused)
      assert.throws(() => like(`a%${'b'.repeat(101)}`), refused)
      assert.throws(() => like(`%${'a_'.repeat(50)}b%`), refused)
      assert.equal(like(`%${'a'.repeat(100)}%${'b'.repeat(100)}`).type, 'match')
      assert.equal(like(`%${'a_'.repeat(50)}%`).type, 'match')
      /* These are searched at an end, or as one text. */
      for (const text of [`${'a'.repeat(999)}%`, `%${'a_'.repeat(490)}`, `%${'a'.repeat(990)}%`]) {
        assert.equal(like(text).type, 'match')
      }
    }
    for (const operator of ['contains', 'startswith', 'endswith']) {
      assert.equal(read(`label__${operator}`, '_%'.repeat(500)).type, 'match')
    }
  })

  test('[A18] the lengths of alternative patterns are added up, and patterns that ignore case have a lower limit', ({
    assert,
  }) => {
    const alternatives = (count: number) => Array(count).fill('like:%abcde_fghi%').join(',')
    assert.lengthOf(read('label__or', alternatives(10)).conditions, 10)
    assert.throws(() => read('label__or', alternatives(11)), /more than 100 characters after a %/)

    const letters = (count: number) =>
      Array.from({ length: count }, (_, index) => String.fromCodePoint(0x13a0 + index)).join('')
    const latin = [...'abcdefghijklmnopqrstuvwxyz'].join('')
    const many = letters(74) + latin
    assert.equal(read('label__ilike', `%${many}%`).type, 'match')
    assert.throws(() => read('label__ilike', `%${many}ä%`), /more than 100 different characters/)
    assert.throws(() => read('label__or', `ilike:%${many}ä%`), /more than 100 different characters/)
    assert.equal(read('label__like', `%${many}ä%`).type, 'match')
  })
})
