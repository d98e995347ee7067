import { test } from '@japa/runner'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import vine from '@vinejs/vine'
import { ConfigurationError, LucidCrud, RuntimeError } from '#crud'
import { creatorOf } from '#crud/router'
import { Sample } from '#tests/fixtures/samples'

class Spool extends BaseModel {
  @column({ isPrimary: true })
  declare id: number
}

/** Message of the boot error, which is thrown when the endpoints are made or the table is read. */
async function messageOf(options: Record<string, unknown>): Promise<string> {
  try {
    const creator = new (creatorOf({ model: Sample, ...options } as any))({
      model: Sample,
      ...options,
    } as any)
    creator.planRoutes()
    await creator.resource.load()
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

test.group('Boot errors', () => {
  test(
    '[P9] the message about an invalid {option} names model, option, value {value} and the valid values'
  )
    .with([
      { option: 'path', wrong: 5, value: '5', right: 'a string' },
      { option: 'path', wrong: 'two words', value: 'two words', right: 'letters, digits' },
      { option: 'tags', wrong: 'one', value: "'one'", right: 'a list of strings' },
      {
        option: 'createSchema',
        wrong: vine.object({ nme: vine.string() }),
        value: 'nme',
        right: 'name',
      },
      {
        option: 'updateSchema',
        wrong: vine.object({ nme: vine.string() }),
        value: 'nme',
        right: 'name',
      },
      {
        option: 'selectSchema',
        wrong: vine.object({ nme: vine.string() }),
        value: 'nme',
        right: 'name',
      },
      { option: 'createSchema', wrong: 5, value: '5', right: 'VineJS object schema' },
      { option: 'deleteSchema', wrong: 'x', value: "'x'", right: 'VineJS object schema' },
      {
        option: 'deleteSchema',
        wrong: vine.string(),
        value: 'a VineString',
        right: 'vine.object',
      },
      { option: 'crud', wrong: class Other {}, value: 'class Other', right: 'LucidCrud' },
      { option: 'crud', wrong: new LucidCrud(Spool), value: 'Spool', right: 'must be for Sample' },
      { option: 'endpointCreator', wrong: 5, value: '5', right: 'subclass of EndpointCreator' },
      { option: 'virtualFields', wrong: 5, value: '5', right: 'a list of strings' },
      {
        option: 'includedMethods',
        wrong: ['db_delete'],
        value: 'db_delete',
        right: 'deleteSchema',
      },
      { option: 'pth', wrong: '/x', value: 'pth', right: 'options are model, path' },
      { option: 'virtualFields', wrong: ['name'], value: 'name', right: 'needs no virtual field' },
      { option: 'session', wrong: 'x', value: "'x'", right: 'a function' },
      { option: 'includedMethods', wrong: ['fly'], value: 'fly', right: 'read_multi' },
      { option: 'deletedMethods', wrong: ['swim'], value: 'swim', right: 'read_multi' },
      { option: 'endpointNames', wrong: { fly: 'x' }, value: 'fly', right: 'read_multi' },
      { option: 'endpointNames', wrong: { read: 'a b' }, value: 'a b', right: 'letters, digits' },
      { option: 'filterConfig', wrong: { nme: null }, value: 'nme', right: 'long_text' },
      { option: 'filterConfig', wrong: { name__near: null }, value: 'near', right: 'startswith' },
      { option: 'filterConfig', wrong: { count: 'many' }, value: 'many', right: 'must be' },
      { option: 'filterConfig', wrong: { count: [1] }, value: '[ 1 ]', right: 'must be null' },
      {
        option: 'filterConfig',
        wrong: { data__gt: null },
        value: 'data__gt',
        right: 'what goes is',
      },
      { option: 'filterConfig', wrong: { page: null }, value: 'page', right: 'paging' },
      { option: 'isDeletedColumn', wrong: 'gone', value: 'gone', right: 'long_text' },
      { option: 'deletedAtColumn', wrong: 'name', value: 'name', right: 'datetime or date' },
      { option: 'updatedAtColumn', wrong: 'gone', value: 'gone', right: 'long_text' },
      { option: 'showDeleted', wrong: 'yes', value: "'yes'", right: 'true or false' },
      { option: 'include', wrong: ['friend'], value: 'friend', right: 'relation' },
      { option: 'middleware', wrong: { fly: [] }, value: 'fly', right: 'read_multi' },
      { option: 'access', wrong: 'everyone', value: 'everyone', right: "'public' or 'token'" },
      { option: 'policy', wrong: {}, value: '{}', right: 'a function' },
      { option: 'scope', wrong: 'x', value: "'x'", right: 'a function' },
    ])
    .run(async ({ assert }, { option, wrong, value, right }) => {
      const message = await messageOf({ [option]: wrong })
      assert.include(message, 'Sample')
      assert.include(message, option)
      assert.include(message, value)
      assert.include(message, right)
    })

  test('[P9] an error that several resources of one table have in common is reported once', ({
    assert,
  }) => {
    const missing = () => new RuntimeError('Note: the table notes has no column text')
    const { errors, message } = new ConfigurationError([missing(), missing(), missing()])
    assert.lengthOf(errors, 1)
    assert.include(message, 'has 1 error:')
  })
})
