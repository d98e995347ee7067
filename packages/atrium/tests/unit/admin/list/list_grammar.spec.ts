import { test } from '@japa/runner'
import fc from 'fast-check'
import { ListParameters } from '#admin/list/list_parameters'
import { ModelView } from '#admin/views/model_view'
import { filterErrorMessage } from '#base/columns/filter'
import { defineConfig, resources } from '#crud'
import { Column } from '#base/columns/column'
import { ListRequest } from '#crud/request/list_request'
import { QueryString } from '#crud/request/query_string'
import { Letter, Specimen, SPECIMEN_OPERATORS } from '#tests/fixtures/lists'
import { adminSite } from '#tests/helpers/admin'
import { toParameter, toQuery } from '#tests/helpers/memory_list'
import { runs } from '#tests/helpers/random_runs'
import { anyRule } from '#tests/helpers/specimen_rules'

type Field = [name: string, text: string]

const NAMES = Object.entries(SPECIMEN_OPERATORS).flatMap(([column, operators]) =>
  operators.map((operator) => `${column}__${operator}`)
)

/** The typed request of a query string of the API. */
function ofApi({ model }: ModelView, fields: Field[]): ListRequest {
  const path = `/api/${model.table}`
  const { resource } = resources.endpoints().find((one) => one.path === path)!
  return ListRequest.parse(resource, new QueryString(toQuery(fields)), defineConfig())
}

/** The list of an address of the admin site. */
function ofAdmin(view: ModelView, fields: Field[]): ListParameters {
  return ListParameters.read(view, toQuery(fields))
}

const asAdmin = ([name, text]: Field): Field => [`filter.${name}`, text]

/** A request with names in the place of columns, which each door has of its own, and of wildcards. */
function plain({ conditions, sorts, paging, deleted }: ListRequest): unknown {
  const text = JSON.stringify({ conditions, sorts, paging, deleted }, (_, value) => {
    if (value instanceof Column) return value.name
    return typeof value === 'symbol' ? { symbol: value.description } : value
  })
  return JSON.parse(text)
}

test.group('List parameters in admin site and API', (group) => {
  let specimens: ModelView
  let letters: ModelView

  group.setup(async () => {
    const { models } = await adminSite()
    const { databaseConfig } = models.get('Artefact')!
    specimens = new ModelView({ model: Specimen, databaseConfig })
    letters = new ModelView({ model: Letter, databaseConfig })
    for (const { resource } of [specimens, letters]) await resource.load()
  })

  test('[L1, L7, A18] the admin site and the API parse a list query to the same request', ({
    assert,
  }) => {
    const rules = fc.uniqueArray(anyRule, {
      maxLength: 4,
      selector: ({ column, operator }) => column + operator,
    })
    const sort = fc.record({
      name: fc.constantFrom(...specimens.resource.sortable.keys()),
      direction: fc.constantFrom('asc', 'desc'),
    })
    const sorts = fc.array(sort, { minLength: 1, maxLength: 4 })
    const page = fc.integer({ min: 1, max: 1_000_000 })
    const rows = fc.integer({ min: 1, max: 100 })
    fc.assert(
      fc.property(rules, sorts, page, rows, (some, order, wanted, many) => {
        const filters = some.map((rule) => toParameter(rule, new Set()))
        const minus = order.map(({ name, direction }) => (direction === 'desc' ? '-' : '') + name)
        const api = ofApi(specimens, [
          ...filters,
          ['sort', minus.join()],
          ['page', String(wanted)],
          ['itemsPerPage', String(many)],
        ])
        const admin = ofAdmin(specimens, [
          ...filters.map(asAdmin),
          ['sort_by', order.map(({ name }) => name).join()],
          ['sort_order', order.map(({ direction }) => direction).join()],
          ['page', String(wanted)],
          ['rows-per-page-select', String(many)],
        ])
        assert.lengthOf(api.conditions, some.length)
        assert.deepEqual(plain(admin.toRequest()), plain(api))
      }),
      { numRuns: runs(1000) }
    )
  })

  test('[B16, A22] the parameter deleted has the same meaning in the admin site and the API', ({
    assert,
  }) => {
    for (const mode of ['include', 'only', 'exclude', '']) {
      const { deleted } = ofAdmin(letters, [['deleted', mode]])
      assert.equal(deleted, ofApi(letters, [['deleted', mode]]).deleted)
    }
  })

  test('[L1, A16] a value that the API refuses is ignored by the admin list, with the same reason', ({
    assert,
  }) => {
    const words = fc.constantFrom('', 'null', 'true', 'eq:1', '2024-02-29', '10:30', ',', '%', '-1')
    const text = fc.array(fc.oneof(words, fc.string({ maxLength: 3 })), { maxLength: 3 })
    const field = fc.tuple(
      fc.constantFrom(...NAMES),
      text.map((some) => some.join(''))
    )
    const refusals = new Set<boolean>()
    fc.assert(
      fc.property(field, (filter) => {
        const admin = ofAdmin(specimens, [asAdmin(filter)])
        const errors = admin.errors.map(({ error }) => filterErrorMessage(error!))
        refusals.add(errors.length > 0)
        try {
          assert.lengthOf(ofApi(specimens, [filter]).conditions, admin.conditions.length)
          assert.isEmpty(errors)
        } catch (error) {
          if ((error as { status?: number }).status !== 422) throw error
          assert.deepEqual(
            errors.map((why) => `The ${filter[0]} parameter ${why}`),
            (error as any).errors.map(({ message }: any) => message)
          )
        }
      }),
      { numRuns: runs(2000) }
    )
    assert.lengthOf([...refusals], 2)
  })

  test('[S27, A13] paging parameters that the API refuses are replaced by defaults in the admin list', ({
    assert,
  }) => {
    for (const [page, rows] of [
      ['0', '20'],
      ['-3', '20'],
      ['x', '20'],
      ['2', '0'],
      ['2', '-1'],
      ['2', '1.5'],
    ]) {
      assert.throws(() =>
        ofApi(specimens, [
          ['page', page],
          ['itemsPerPage', rows],
        ])
      )
      const { paging } = ofAdmin(specimens, [
        ['page', page],
        ['rows-per-page-select', rows],
      ]).toRequest()
      assert.deepInclude(paging, { shape: 'page' })
      assert.include([10, 20], paging.limit)
    }
  })
})
