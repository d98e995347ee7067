import { test } from '@japa/runner'
import type { AdminSite } from '#admin/admin_site'
import type { FormField, ValueType } from '#admin/forms/fields/form_field'
import type { FieldView } from '#admin/forms/fields/shown_field'
import { asStored } from '#admin/forms/fields/stored_as_text'

const site = { text: (key: string) => key } as AdminSite

interface Shown {
  valueType: ValueType
  value: string
  type?: string
  attributes?: FieldView['attributes']
  column?: Partial<FormField['column']>
}

function shown(
  { valueType, value, type = 'text', attributes = {}, column }: Shown,
  stored?: string[]
) {
  const field = { valueType, widget: 'text', multiple: false, column } as FormField
  const view = { id: 'a', value, values: [value], type, attributes } as FieldView
  return asStored(site, field, view, stored)
}

test.group('A stored value in a form', () => {
  test('a stored value that the control can’t show becomes a read-only text: {value}')
    .with<Array<{ valueType: ValueType; value: string }>>([
      { valueType: 'number', value: 'NaN' },
      { valueType: 'date', value: '0000-00-00' },
      { valueType: 'datetime', value: 'infinity' },
      { valueType: 'time', value: '838:59:59' },
      { valueType: 'boolean', value: 'yes' },
    ])
    .run(({ assert }, { valueType, value }) => {
      const view = shown({ valueType, value, type: valueType, attributes: { min: 1 } }, [value])
      assert.include(view, { type: 'text', control: 'input', help: 'form.storedAsText' })
      assert.deepEqual(view.attributes, { 'readonly': true, 'aria-describedby': 'a-help' })
    })

  test("[A20.11] a column of Lucid's date decorator can show an unusual value as text, and one with a custom prepare can't", ({
    assert,
  }) => {
    const date = { valueType: 'date', value: '5.1.2024', type: 'date' } as const
    const ofLucid = shown({ ...date, column: { preparesItself: true, holdsDateTime: true } }, [
      '5.1.2024',
    ])
    assert.equal(ofLucid.type, 'text')
    const own = shown({ ...date, column: { preparesItself: true, holdsDateTime: false } }, [
      '5.1.2024',
    ])
    assert.equal(own.type, 'date')
  })

  test('a value copied to the form of a new record can be edited', ({ assert }) => {
    const view = shown({ valueType: 'date', value: 'infinity', type: 'date' })
    assert.equal(view.type, 'text')
    assert.notProperty(view.attributes, 'readonly')
  })

  test('if a stored value violates a browser rule, its field has no browser rules', ({
    assert,
  }) => {
    const rated = {
      valueType: 'number',
      value: '11',
      type: 'number',
      attributes: { max: 10 },
    } as const
    assert.deepEqual(shown(rated, ['11']).attributes, {})
    assert.deepEqual(shown(rated, ['9']).attributes, { max: 10 })
    assert.deepEqual(shown({ ...rated, value: '9' }, ['9']).attributes, { max: 10 })
    const coded = { valueType: 'text', value: 'ab', attributes: { pattern: '\\d+' } } as const
    assert.deepEqual(shown(coded, ['ab']).attributes, {})
    assert.equal(shown({ valueType: 'text', value: 'me', type: 'email' }, ['me']).type, 'text')
  })
})
