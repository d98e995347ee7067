import { test } from '@japa/runner'
import fc from 'fast-check'
import { resources } from '#crud'
import { defineConfig } from '#crud/define_config'
import { ListRequest } from '#crud/request/list_request'
import { pageOf } from '#crud/request/list_grammar'
import { QueryString } from '#crud/request/query_string'

const config = defineConfig()

function parse(text: string, paged = false, settings = {}) {
  const { resource } = resources.endpoints().find(({ path }) => path === '/api/specimens')!
  const pagination = { ...config.pagination, ...settings }
  return ListRequest.parse(resource, new QueryString(text), { ...config, pagination }, paged).paging
}

function problemOf(text: string): { status: number; message: string; errors?: any[] } {
  try {
    parse(text)
  } catch (error) {
    return error as any
  }
  throw new Error(`${text} was accepted`)
}

test.group('Paging parameters', () => {
  test('[A10] by default a list has 100 items from offset 0', ({ assert }) => {
    assert.deepEqual(parse(''), { shape: 'offset', offset: 0, limit: 100 })
  })

  test('[A10] offset without limit and limit without offset have defaults', ({ assert }) => {
    assert.deepEqual(parse('offset=7'), { shape: 'offset', offset: 7, limit: 100 })
    assert.deepEqual(parse('limit=7'), { shape: 'offset', offset: 0, limit: 7 })
    assert.deepEqual(parse('limit=0'), { shape: 'offset', offset: 0, limit: 0 })
  })

  test('[A11] page or itemsPerPage alone selects pages, by default page 1 of 10 items', ({
    assert,
  }) => {
    const shape = 'page'
    assert.deepEqual(parse('page=3'), { shape, page: 3, itemsPerPage: 10, offset: 20, limit: 10 })
    assert.deepEqual(parse('itemsPerPage=7'), {
      shape,
      page: 1,
      itemsPerPage: 7,
      offset: 0,
      limit: 7,
    })
    assert.deepEqual(parse('page=4&itemsPerPage=7'), {
      shape,
      page: 4,
      itemsPerPage: 7,
      offset: 21,
      limit: 7,
    })
  })

  test('[A10, A11] the default page sizes and limits are configurable', ({ assert }) => {
    const settings = { limit: 5, itemsPerPage: 6, maximum: 50 }
    assert.include(parse('', false, settings), { limit: 5 })
    assert.include(parse('page=1', false, settings), { itemsPerPage: 6, limit: 6 })
  })

  test('[A11] page or itemsPerPage together with offset or limit is refused')
    .with([
      'page=1&offset=0',
      'page=1&limit=10',
      'itemsPerPage=10&offset=0',
      'itemsPerPage=10&limit=0',
      'page=1&itemsPerPage=1&offset=1&limit=1',
    ])
    .run(({ assert }, text) => {
      const { status, message } = problemOf(text)
      assert.equal(status, 400)
      assert.match(message, /^Conflicting parameters/)
    })

  test('[A13] the query {$self} is refused, and the error names the parameter')
    .with(
      ['offset', 'limit', 'page', 'itemsPerPage'].flatMap((name) =>
        [
          '-1',
          '1.0',
          '1.5',
          '1e2',
          '0x10',
          'a',
          '+',
          '%2B1',
          '%201',
          '1%20',
          '1,2',
          'NaN',
          '١',
        ].map((value) => `${name}=${value}`)
      )
    )
    .run(({ assert }, text) => {
      const { status, errors } = problemOf(text)
      assert.equal(status, 422)
      assert.deepEqual(
        errors!.map((error) => error.field),
        [text.split('=')[0]]
      )
    })

  test('[A13] zero is not a valid page or page size', ({ assert }) => {
    assert.equal(problemOf('page=0').status, 422)
    assert.equal(problemOf('itemsPerPage=0').status, 422)
    assert.equal(problemOf('page=000').status, 422)
    assert.equal(parse('offset=0&limit=0').limit, 0)
  })

  test('[A13] a repeated parameter is refused, even with the same value')
    .with(['offset=1&offset=1', 'limit=1&limit=2', 'page=1&page=', 'itemsPerPage[]=1'])
    .run(({ assert }, text) => {
      assert.equal(problemOf(text).status, 422)
    })

  test('[A13] an empty paging parameter counts as missing', ({ assert }) => {
    assert.deepEqual(parse('page=&itemsPerPage=&offset=&limit='), parse(''))
    assert.deepEqual(parse('page=2&limit='), parse('page=2'))
    assert.deepEqual(parse('offset=2&page'), parse('offset=2'))
    assert.deepEqual(parse('itemsPerPage=3&page='), parse('itemsPerPage=3'))
  })

  test('[A13] a page size over the maximum is reduced to the maximum', ({ assert }) => {
    assert.equal(parse('limit=1001').limit, 1000)
    assert.include(parse('itemsPerPage=5000&page=3'), { itemsPerPage: 1000, offset: 2000 })
    assert.include(parse('itemsPerPage=1000'), { itemsPerPage: 1000 })
    assert.include(parse(`limit=${'9'.repeat(400)}`), { limit: 1000 })
  })

  test('[A13] default sizes above the maximum are reduced, too', ({ assert }) => {
    const settings = { limit: 100, itemsPerPage: 10, maximum: 4 }
    assert.equal(parse('', false, settings).limit, 4)
    assert.equal(parse('page=2', false, settings).limit, 4)
    assert.equal(parse('page=2', false, settings).offset, 4)
  })

  test('[A12] any page number results in an offset that every database accepts', ({ assert }) => {
    for (const text of ['9007199254740991', '9'.repeat(40), '9'.repeat(400)]) {
      const { offset } = parse(`page=${text}&itemsPerPage=1000`)
      assert.equal(offset, Number.MAX_SAFE_INTEGER)
      assert.isAtMost(parse(`offset=${text}`).offset, Number.MAX_SAFE_INTEGER)
    }
  })

  test('[A24] read_paginated starts at page 1 by default, and at offset 0 if limit is given', ({
    assert,
  }) => {
    assert.deepEqual(parse('', true), pageOf(1, 10))
    assert.deepEqual(parse('page=', true), pageOf(1, 10))
    assert.equal(parse('limit=5', true).shape, 'offset')
  })

  test('[A11, A13] random pages contain the items that follow those of the previous pages', ({
    assert,
  }) => {
    const count = fc.integer({ min: 1, max: 1_000_000 })
    fc.assert(
      fc.property(count, fc.integer({ min: 1, max: 1000 }), (page, size) => {
        assert.deepEqual(parse(`page=${page}&itemsPerPage=${size}`), {
          shape: 'page',
          page,
          itemsPerPage: size,
          offset: (page - 1) * size,
          limit: size,
        })
      })
    )
  })
})
