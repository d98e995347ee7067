import { test } from '@japa/runner'
import { section, tab } from '#admin'
import {
  inLayoutOrder,
  layoutOf,
  type Block,
  type LaidOutField,
} from '#admin/forms/layout/form_layout'

const FIELDS = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }))

/** `a b` for fields, `Title(...)` for sections, `[One(...) Two(...)]` for tabs; closed ones begin with a minus. */
function textOf(blocks: Array<Block<LaidOutField>>): string {
  return blocks
    .map((block) => {
      if (block.kind === 'fields') return block.fields.map(({ name }) => name).join(' ')
      if (block.kind === 'section') {
        return `${block.isOpen ? '' : '-'}${block.title}(${textOf(block.blocks)})`
      }
      const tabs = block.tabs.map(
        (one) => `${one.isSelected ? '' : '-'}${one.title}(${textOf(one.blocks)})`
      )
      return `[${tabs.join(' ')}]`
    })
    .join(' | ')
}

test.group('Layout of a form', () => {
  test('[R1] without the option layout, all fields are one block of two columns', ({ assert }) => {
    assert.deepEqual(layoutOf(undefined, FIELDS), [{ kind: 'fields', columns: 2, fields: FIELDS }])
    assert.deepEqual(layoutOf(undefined, []), [])
  })

  test('[R1] fields are in the order of the option layout, and all others at the end', ({
    assert,
  }) => {
    const parts = ['e', section('Money', ['c', section('Taxes', ['a'])]), 'b']
    assert.equal(textOf(layoutOf(parts, FIELDS)), 'e | Money(c | Taxes(a)) | b d')
    assert.deepEqual(
      inLayoutOrder(parts, FIELDS).map(({ name }) => name),
      ['e', 'c', 'a', 'b', 'd']
    )
    assert.equal(textOf(layoutOf([section('Money', ['c'])], FIELDS)), 'Money(c) | a b d e')
  })

  test('[R1] consecutive tabs share a row, and the first one is open', ({ assert }) => {
    const parts = [tab('One', ['a']), tab('Two', [section('S', ['b'])]), 'c', tab('Three', ['d'])]
    assert.equal(textOf(layoutOf(parts, FIELDS)), '[One(a) -Two(S(b))] | c | [Three(d)] | e')
  })

  test('[R1] sections and tabs without a visible field are omitted', ({ assert }) => {
    const parts = [
      section('Gone', ['x', section('Inner', ['y'])]),
      tab('Hidden', ['z']),
      tab('Shown', ['a']),
      section('Kept', ['x', 'b']),
    ]
    assert.equal(textOf(layoutOf(parts, FIELDS)), '[Shown(a)] | Kept(b) | c d e')
    assert.equal(textOf(layoutOf([tab('Hidden', ['z'])], FIELDS)), 'a b c d e')
  })

  test('[R1] an error of a field opens the tab and the sections that contain it', ({ assert }) => {
    const parts = [
      section('Fold', [section('Inner', ['a'], { collapsed: true }), 'b'], { collapsed: true }),
      tab('One', ['c']),
      tab('Two', [section('Deep', ['d'], { collapsed: true })]),
    ]
    const withError = (name: string) =>
      textOf(
        layoutOf(
          parts,
          FIELDS.map((one) => (one.name === name ? { ...one, error: 'Wrong' } : one))
        )
      )
    assert.equal(withError(''), '-Fold(-Inner(a) | b) | [One(c) -Two(-Deep(d))] | e')
    assert.equal(withError('a'), 'Fold(Inner(a) | b) | [One(c) -Two(-Deep(d))] | e')
    assert.equal(withError('b'), 'Fold(-Inner(a) | b) | [One(c) -Two(-Deep(d))] | e')
    assert.equal(withError('d'), '-Fold(-Inner(a) | b) | [-One(c) Two(Deep(d))] | e')
  })

  test('[R1] a collapsed section with an empty required field starts expanded', ({ assert }) => {
    const parts = [section('Fold', ['a'], { collapsed: true })]
    const open = (field: object) => textOf(layoutOf(parts, [{ name: 'a', ...field }]))
    assert.equal(open({ required: true, values: [''] }), 'Fold(a)')
    assert.equal(open({ required: true, values: ['x'] }), '-Fold(a)')
    assert.equal(open({ required: false, values: [] }), '-Fold(a)')
  })

  test('[R1] a section has its own columns and help text', ({ assert }) => {
    const [block] = layoutOf([section('Money', ['a'], { columns: 3, help: 'Gross' })], [FIELDS[0]])
    assert.deepEqual(block, {
      kind: 'section',
      id: 'form-section-1',
      title: 'Money',
      help: 'Gross',
      isFoldable: false,
      isOpen: true,
      blocks: [{ kind: 'fields', columns: 3, fields: [FIELDS[0]] }],
    })
  })
})
