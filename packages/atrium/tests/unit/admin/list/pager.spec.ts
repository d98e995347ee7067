import { test } from '@japa/runner'
import { ListParameters } from '#admin/list/list_parameters'
import { pagerOf } from '#admin/list/pager'
import { adminSite } from '#tests/helpers/admin'

test.group('Pager of a list', () => {
  /** The numbers, with the current one in brackets and gaps as dots. */
  async function shown(page: number, last: number) {
    const site = await adminSite()
    const { pages, previous, next } = pagerOf(
      new ListParameters(site.models.get('Utensil')!, { page }),
      last
    )
    const numbers = pages.map((link) => {
      if (!link) return '…'
      return link.url ? String(link.page) : `[${link.page}]`
    })
    return { numbers: numbers.join(' '), previous: previous.url, next: next.url }
  }

  test('the pager shows the first, the last and the neighbouring pages, and no gap of a single page', async ({
    assert,
  }) => {
    const cases: Array<[number, number, string]> = [
      [1, 1, '[1]'],
      [1, 2, '[1] 2'],
      [2, 3, '1 [2] 3'],
      [1, 9, '[1] 2 … 9'],
      [3, 9, '1 2 [3] 4 … 9'],
      [4, 9, '1 2 3 [4] 5 … 9'],
      [5, 9, '1 … 4 [5] 6 … 9'],
      [6, 9, '1 … 5 [6] 7 8 9'],
      [9, 9, '1 … 8 [9]'],
      [160, 321, '1 … 159 [160] 161 … 321'],
    ]
    for (const [page, last, expected] of cases) {
      const { numbers } = await shown(page, last)
      assert.equal(numbers, expected)
    }
  })

  test('there is no previous link on the first page and no next link on the last', async ({
    assert,
  }) => {
    assert.deepInclude(await shown(1, 3), { previous: null, next: '/admin/Utensil/?page=2' })
    assert.deepInclude(await shown(2, 3), {
      previous: '/admin/Utensil/',
      next: '/admin/Utensil/?page=3',
    })
    assert.deepInclude(await shown(3, 3), { previous: '/admin/Utensil/?page=2', next: null })
  })
})
