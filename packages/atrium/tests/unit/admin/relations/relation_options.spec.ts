import { test } from '@japa/runner'
import {
  checkPivotNames,
  manyToManyError,
  manyToManyRelations,
} from '#admin/views/relation_options'
import { Revue } from '#tests/fixtures/revues'

test.group('The option manyToMany', () => {
  const namesOf = (option?: string[], taken: string[] = []) =>
    manyToManyRelations(Revue, option, taken).map(({ name }) => name)

  test('[R3] by default a many-to-many relation is a field of the form, unless its onQuery adds conditions', ({
    assert,
  }) => {
    assert.deepEqual(namesOf(), ['people', 'styles', 'parts'])
    assert.deepEqual(namesOf(['styles']), ['styles'])
    assert.deepEqual(namesOf([]), [])
    assert.deepEqual(namesOf(undefined, ['people']), ['styles', 'parts'], 'a field of that name')
  })

  test('[R3] a relation that cannot be a field is an error with a reason', ({ assert }) => {
    const error = (name: string, taken: string[] = []) => manyToManyError(Revue, [name], taken)
    assert.isNull(error('people'))
    assert.match(error('peple')!, /'peple', which is not a manyToMany relation.*'?people/)
    assert.match(error('locals')!, /'locals', whose onQuery/)
    assert.match(error('people', ['people'])!, /name of another field/)
  })

  test('[R3] pivot options must name columns that the relation declares', ({ assert }) => {
    const check = (fields: Record<string, { pivot?: Record<string, unknown> }>) =>
      checkPivotNames('Revue', fields, manyToManyRelations(Revue, undefined, []))
    check({ parts: { pivot: { role: {} } } })
    assert.throws(
      () => check({ parts: { pivot: { rolle: {} } } }),
      /fields\.parts\.pivot names .*rolle.*role/
    )
    assert.throws(
      () => check({ title: { pivot: {} } }),
      /fields\.title\.pivot is for a many-to-many/
    )
  })
})
