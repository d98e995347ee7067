import { test } from '@japa/runner'
import { resources } from '#crud'
import { itemParameters, listParameters, ownParameter } from '#crud/request/query_string'
import { QueryString } from '#crud/request/query_string'

function at(path: string) {
  return resources.endpoints().find((one) => one.path === `/api/${path}`)!.resource
}

test.group('Parameters of lists and items', () => {
  test('[A17] a filter with the name of a built-in parameter replaces it', ({ assert }) => {
    assert.includeMembers(listParameters(at('letters')), ['sort', 'deleted', 'fields', 'count'])
    assert.notIncludeMembers(listParameters(at('parcels')), ['sort'])
    assert.notIncludeMembers(listParameters(at('parcels')), ['deleted'])
    assert.notIncludeMembers(itemParameters(at('parcels')), ['deleted'])
    assert.isUndefined(ownParameter(at('parcels'), new QueryString('sort=a'), 'sort'))
    assert.equal(ownParameter(at('letters'), new QueryString('sort=a'), 'sort'), 'a')
  })

  test('[A22] deleted is a parameter if deleted items are shown', ({ assert }) => {
    assert.include(itemParameters(at('letters')), 'deleted')
    assert.notInclude(itemParameters(at('memos')), 'deleted')
    assert.notInclude(listParameters(at('memos')), 'deleted')
  })

  test('[S13] parameters for paging and sorting are not parameters of an item', ({ assert }) => {
    assert.notIncludeMembers(itemParameters(at('letters')), ['sort'])
    assert.notIncludeMembers(itemParameters(at('letters')), ['limit'])
    assert.notIncludeMembers(itemParameters(at('letters')), ['count'])
  })
})
