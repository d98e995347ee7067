import { test } from '@japa/runner'
import { dateOrderOf } from '#admin/sheets/date_order'

test.group('The order of dates', () => {
  test('[D3] {texts} are {order}')
    .with([
      { texts: ['2026-12-31', null, 'x'], order: 'iso' },
      { texts: ['3/4/2026', '31/12/2026'], order: 'dmy' },
      { texts: ['3/4/2026', '12/31/2026 10:00'], order: 'mdy' },
      { texts: ['3.4.2026'], order: 'dmy' },
      { texts: ['3/4/2026', '5-6-2026'], order: 'dmy', isAmbiguous: true },
      { texts: ['31/12/2026', '12/31/2026'], order: null },
      { texts: ['', 'soon', 5], order: null },
    ])
    .run(({ assert }, { texts, order, isAmbiguous = false }) => {
      assert.deepEqual(dateOrderOf(texts), { order, isAmbiguous } as any)
    })
})
