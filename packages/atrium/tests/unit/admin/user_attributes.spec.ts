import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import type { defineConfig, InferUserAttributes } from '#admin'
import { madeContext } from '#admin/identity/admin_actor'
import { attributesWidget } from '#admin/user_attributes/attribute_fields'
import {
  attributesSchema,
  checkUserAttributes,
  type UserAttributes,
} from '#admin/config/user_attributes'
import { adminSite } from '#tests/helpers/admin'

const DECLARED: UserAttributes = {
  branch_id: { type: 'number', label: 'Branch', help: 'Where they work' },
  night: { type: 'boolean' },
  team: { type: 'text', choices: ['a', 'b'] },
}

test.group('User attributes', () => {
  const Attributes = attributesWidget({ userAttributes: DECLARED, models: new Map() } as never)
  const widget = new Attributes()
  const sent = (texts: Record<string, string>) =>
    new Map(Object.entries(texts).map(([name, text]) => [`attributes.${name}`, [text]]))

  async function stored(texts: Record<string, string>) {
    const [text] = widget.collect('attributes', sent(texts))!
    return await vine.validate({ schema: attributesSchema(DECLARED), data: widget.read([text]) })
  }

  test('[U3] the widget has a field for each declared attribute, and preserves the others', async ({
    assert,
  }) => {
    const shown = widget.show({ branch_id: 4, night: true, other: { deep: [1] } })
    const data = (await widget.data({} as never, 'attributes', shown)) as any
    assert.deepEqual(
      data.inputs.map(({ label, value }: { label: string; value: string }) => [label, value]),
      [
        ['Branch', '4'],
        ['Night', 'true'],
        ['Team', ''],
      ]
    )
    const back = sent({ branch_id: '5', night: 'true', team: 'b' })
    back.set(data.others.name, [data.others.value])
    const [text] = widget.collect('attributes', back)!
    const values = await vine.validate({
      schema: attributesSchema(DECLARED),
      data: widget.read([text]),
    })
    assert.deepEqual(values, { branch_id: 5, night: true, team: 'b', other: { deep: [1] } })
  })

  test('[U3] unchanged attributes are submitted with the values that were shown', async ({
    assert,
  }) => {
    const shown = widget.show({ branch_id: 4, other: 1 })
    const data = (await widget.data({} as never, 'attributes', shown)) as any
    const back = new Map<string, string[]>([[data.others.name, [data.others.value]]])
    for (const { name, value } of data.inputs) back.set(name, [value])
    assert.deepEqual(widget.collect('attributes', back), shown)
    assert.isUndefined(widget.collect('attributes', new Map([['attributes', ['{}']]])))
  })

  test('[U3] attributes are parsed to their declared types', async ({ assert }) => {
    assert.deepEqual(await stored({ branch_id: '4', night: '', team: '' }), { branch_id: 4 })
    await assert.rejects(() => stored({ branch_id: 'four' }))
    await assert.rejects(() => stored({ team: 'c' }))
  })

  test('[U3] the form has an input of each type', async ({ assert }) => {
    const site = await adminSite()
    const values = widget.show({ branch_id: 4, team: 'b' })
    const html = await site.templates.render(
      await madeContext(),
      'admin/partials/fields/attributes',
      {
        site: { t: (key: string) => key },
        field: {
          id: 'f',
          attributes: {},
          data: await widget.data({} as never, 'attributes', values),
        },
      }
    )
    assert.match(html, /<input class="input" name="attributes.branch_id" value="4" type="number"/)
    assert.match(html, /<select class="select" name="attributes.night">/)
    assert.match(html, /<option value="b" selected>b/)
  })

  test('[U3] the TypeScript types of attributes are inferred from the configuration', ({
    assert,
  }) => {
    type Config = ReturnType<typeof defineConfig<{ branch_id: { type: 'number' } }>>
    const attributes: InferUserAttributes<Config> = { branch_id: 4 }
    assert.equal(attributes.branch_id! + 1, 5)
    // @ts-expect-error a text is not a number
    attributes.branch_id = 'four'
    // @ts-expect-error it is not declared
    attributes.other = 1
  })

  test('[P9] an invalid declaration of an attribute is refused at the start', ({ assert }) => {
    const check = (attributes: object) => () => checkUserAttributes('config', attributes as never)
    assert.doesNotThrow(check(DECLARED))
    assert.throws(check({ 'a b': { type: 'text' } }), /userAttributes.a b must be a name/)
    assert.throws(check({ a: { type: 'date' } }), /userAttributes.a/)
    assert.throws(check({ a: {} }), /userAttributes.a.type is missing/)
    assert.throws(check({ a: { type: 'text', rows: 2 } }), /rows/)
  })
})
