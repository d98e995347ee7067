import { test } from '@japa/runner'
import { checkWidgetColumns, checkWidgets } from '#admin/views/widget_checks'

const KNOWN = ['title', 'slug', 'price']

test.group('Admin | options of widgets', () => {
  test('[R13, P9] an invalid option of a widget is reported with the valid values')
    .with([
      [
        { price: { widget: 'money' } },
        "Item: fields.price.currency is undefined, and must be the code of a currency, as in 'EUR'",
      ],
      [
        { price: { widget: 'money', currency: 'Euro' } },
        "Item: fields.price.currency is 'Euro', and must be the code of a currency, as in 'EUR'",
      ],
      [
        { price: { widget: 'number', currency: 'EUR' } },
        "Item: fields.price.currency is for the widget 'money' only",
      ],
      [
        { slug: { widget: 'slug', from: 'nme' } },
        "Item: fields.slug.from is 'nme', and must be the field that the slug is made of; fields are title and price",
      ],
      [
        { slug: { widget: 'slug', from: 'slug' } },
        "Item: fields.slug.from is 'slug', and must be the field that the slug is made of; fields are title and price",
      ],
      [
        { price: { widget: 'number', suggestions: true } },
        "Item: fields.price.suggestions is for texts of one line, and a list of texts also for the widget 'tags'",
      ],
    ] as const)
    .run(({ assert }, [fields, message]) => {
      assert.throws(() => checkWidgets('Item', fields, KNOWN), message)
    })

  test('[R13] valid options of widgets are accepted', ({ assert }) => {
    const fields = {
      price: { widget: 'money', currency: 'JPY' },
      slug: { widget: 'slug', from: 'title' },
    } as const
    assert.doesNotThrow(() => checkWidgets('Item', fields, KNOWN))
  })

  test("[R13, P9] a widget for a column whose type it can't write is an error", ({ assert }) => {
    const columns = (kind: string) => ({ find: () => ({ kind }) as any })
    const check = (fields: object, kind: string) => () =>
      checkWidgetColumns('Item', fields as any, columns(kind))
    assert.throws(
      check({ price: { widget: 'money' } }, 'text'),
      "Item: fields.price.widget is 'money', which is for columns of the type integer or number; the column's type is text"
    )
    assert.throws(
      check({ price: { widget: 'money', minorUnits: true } }, 'number'),
      "Item: fields.price.widget is 'money' with minorUnits, which is for columns of the type integer; the column's type is number"
    )
    assert.throws(check({ tags: { widget: 'tags' } }, 'integer'), /json or text/)
    assert.doesNotThrow(check({ tags: { widget: 'tags' } }, 'json'))
    assert.doesNotThrow(check({ price: { widget: 'text' } }, 'integer'))
  })
})
