import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { resources } from '#crud'
import { refuseInvalid } from '#base/http/problems'
import { readSorts, splitSorts } from '#base/columns/sort'
import { Resource } from '#crud/resource/resource'
import { Specimen } from '#tests/fixtures/lists'

const samples = () => resources.all().find((resource) => resource.name === 'Sample')!

function parse(text: string) {
  const sorts = readSorts(splitSorts(text), samples().sortable, refuseInvalid)
  return sorts.map(({ column, direction }) => [column.attribute, direction])
}

test.group('Sorting', () => {
  test('[A15] sorts use API names, with a minus for descending order', ({ assert }) => {
    assert.deepEqual(parse('name'), [['name', 'asc']])
    assert.deepEqual(parse('-long_text,count,-plain_moment'), [
      ['longText', 'desc'],
      ['count', 'asc'],
      ['plainMoment', 'desc'],
    ])
  })

  test('[A15] the sort "{$self}" is refused')
    .with([
      '',
      ',',
      'name,',
      ',name',
      'name,,count',
      '-',
      'name,-',
      '--name',
      '+name',
      'name-',
      ' name',
      'Name',
      'longText',
      'secret',
      '-secret',
      'nothing',
      'name desc',
      'samples.name',
      '__proto__',
      'constructor',
    ])
    .run(({ assert }, text) => {
      const refusal = (() => {
        try {
          return parse(text)
        } catch (error) {
          return error
        }
      })() as any
      assert.equal(refusal.status, 422)
      assert.deepEqual(
        refusal.errors.map((error: any) => error.field),
        ['sort']
      )
      assert.include(refusal.message, 'long_text')
      assert.notInclude(refusal.message, 'secret')
    })

  test('[A15] columns that are hidden or have no order are unknown', ({ assert }) => {
    const names = [...samples().sortable.keys()]
    assert.includeMembers(names, ['id', 'name', 'active', 'day', 'moment', 'token', 'ratio'])
    assert.notIncludeMembers(names, ['data'])
    assert.notIncludeMembers(names, ['bytes'])
    assert.notIncludeMembers(names, ['secret'])
  })

  test('[A15] only columns in selectSchema can be sorted by', async ({ assert }) => {
    const selectSchema = vine.object({ id: vine.number(), label: vine.string() })
    const resource = new Resource({ model: Specimen, selectSchema })
    await resource.load()
    assert.deepEqual([...resource.sortable.keys()], ['id', 'label'])
  })
})
