import { test } from '@japa/runner'
import { OrderFinder } from '#admin/sheets/date_order'

const EXAMPLES = [
  {
    texts: ['2026-12-31', null, 'x', 'Jan 1 2000', '20240331', '5/5/2026'],
    order: null,
    line: null,
  },
  { texts: ['3/4/2026', '31/12/2026', '5/6/2026'], order: 'dmy', line: 2, toldBy: 'example' },
  { texts: ['3/4/2026', '12/31/2026 10:00'], order: 'mdy', line: 2, toldBy: 'example' },
  { texts: ['3.4.2026'], order: 'dmy', line: 1, toldBy: 'points' },
  { texts: ['3.4.2026', '31.4.2026', '31.3.2026'], order: 'dmy', line: 3, toldBy: 'example' },
  { texts: ['31/03/24', '01/02/24'], order: 'dmy', line: 1, toldBy: 'example' },
  { texts: ['24-03-31', '99-12-31'], order: 'iso', line: 2, toldBy: 'example' },
  { texts: ['24-03-31', '04-05-50'], order: 'dmy', line: 2, toldBy: 'all' },
  { texts: ['3/4/2026', '5-6-2026'], order: null, isAmbiguous: true, line: 1 },
  { texts: ['31/12/2026', '12/31/2026'], order: null, line: 2 },
  { texts: ['', 'soon', 5], order: null, line: null },
]

test.group('Date order', () => {
  test('[D3] the date order of {texts} is {order}')
    .with(EXAMPLES)
    .run(({ assert }, { texts, order, line, isAmbiguous = false, toldBy }) => {
      const finder = new OrderFinder()
      for (const [index, text] of texts.entries()) finder.add(text, index + 1)
      const { example, ...found } = finder.found

      assert.deepEqual(found, { order, isAmbiguous, ...(toldBy && { toldBy }) } as any)
      assert.equal(example?.line ?? null, line)
    })
})
